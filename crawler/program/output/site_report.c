/* See site_report.h. */
#include "crawler/program/output/site_report.h"

#include "base/error.h"
#include "crawler/program/output/spool.h"
#include "crawler/program/tools/report/make.h"
#include "crawler/program/tools/report/page/head.h"
#include "crawler/program/tools/report/page/page.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <crawl/output.h>
#include <crawl/redis.h>
#include <stdlib.h>
#include <sys/stat.h>

struct cw_site_report {
    const crawl_config *config;
    cw_spool records, links; /* what the report is made of */
};

/* Does this file have all lines of this crawl, and no others? */
static bool can_be_read(const crawl_config *config, const char *path)
{
    struct stat found;
    bool is_whole = path != config->output || (!config->keep.count && !config->keep_types.count);
    return path && is_whole && strcmp(path, "-") != 0 && config->existing != CRAWL_EXISTING_APPEND &&
           !crawl_redis_is_url(path) && !crawl_output_is_csv(path) && stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Opens a spool, unless the crawl's own file will do. own: that file. name: of the spool in the directory of --state.
 */
static crawl_err open_source(cw_spool *s, const crawl_config *config, const char *own, const char *name, bool resumed,
                             crawl_error *error)
{
    if (can_be_read(config, own))
        return crawl_buf_append_text(&s->path, own) ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
    return cw_spool_open(s, config, name, config->report, resumed, error);
}

crawl_err cw_site_report_open(const crawl_config *config, bool resumed, cw_site_report **out, crawl_error *error)
{
    cw_site_report *report = calloc(1, sizeof *report);
    if (!report)
        return cw_error(error, CRAWL_ENOMEM);
    report->config = config;
    report->records.file = report->links.file = -1;
    crawl_err err = open_source(&report->records, config, config->output, CW_SITE_REPORT_RECORDS, resumed, error);
    if (!err)
        err = open_source(&report->links, config, config->links, CW_SITE_REPORT_LINKS, resumed, error);
    if (err)
        cw_site_report_free(report);
    else
        *out = report;
    return err;
}

/* In a crawl with a directory, the links of a page are written before its record, and both before its request is done.
 */
crawl_err cw_site_report_record(cw_site_report *report, const crawl_record *record)
{
    crawl_lines *records = report->records.lines;
    crawl_lines *links = report->links.lines;
    bool outlives = report->config->state != NULL;
    crawl_err err = outlives && links ? crawl_lines_flush(links) : CRAWL_OK;
    if (err || !records)
        return err;
    crawl_record lean = *record;
    lean.text = (crawl_slice){0}; /* the report does not need it */
    err = crawl_record_json(&lean, NULL, (crawl_slice){0}, crawl_lines_begin(records));
    err = crawl_lines_end(records, err);
    return err || !outlives ? err : crawl_lines_flush(records);
}

crawl_err cw_site_report_edge(cw_site_report *report, const crawl_edge *edge)
{
    if (!report->links.lines)
        return CRAWL_OK;
    return crawl_lines_end(report->links.lines, crawl_edge_json(edge, crawl_lines_begin(report->links.lines)));
}

crawl_err cw_site_report_close(cw_site_report *report, crawl_error *error)
{
    crawl_err err = cw_spool_close(&report->records, error);
    crawl_err of_links = cw_spool_close(&report->links, err ? NULL : error);
    return err ? err : of_links;
}

/* How many faults of each kind the page lists. */
static void say_faults(const cw_survey_report *made, const char *path, crawl_buf *said)
{
    const char *between = ": ";
    crawl_buf_printf(said, "  report    %s", path);
    if (cw_survey_coverage_missing(&made->survey->coverage)) {
        cw_writer out = {.out = said};
        crawl_buf_printf(said, ", about ");
        cw_survey_head_put_share(&out, made);
    }
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++) {
        uint64_t count = table->is_fault ? cw_survey_count_of(table, made) : 0;
        if (count)
            crawl_buf_printf(said, "%s%llu %s", between, (unsigned long long)count, table->id);
        between = count ? ", " : between;
    }
    crawl_buf_printf(said, "\n");
}

int cw_site_report_make(const cw_site_report *report, const char *ended_by, crawl_buf *said)
{
    const crawl_config *config = report->config;
    crawl_error error = {0};
    const char *records = report->records.path.data;
    cw_survey_report made = {
        .slow_ms = CW_SURVEY_SLOW_MS, .large_bytes = CW_SURVEY_LARGE_BYTES, .deep = CW_SURVEY_DEEP};
    cw_survey_input input = {.records = &records,
                             .record_count = 1,
                             .links = {{report->links.path.data}, 1},
                             .requests = {{config->requests}, can_be_read(config, config->requests)},
                             .state = config->state,
                             .config = config,
                             .ended_by = ended_by};
    int status = cw_survey_make(&input, &made);
    if (!status && cw_survey_write_page(&made, config->report, &error)) {
        cw_tool_say(NULL, "report: %s", error.message);
        status = CW_EXIT_LOCAL;
    }
    if (!status)
        say_faults(&made, config->report, said);
    cw_survey_unmake(&made);
    return status == CW_EXIT_NOTHING ? CW_EXIT_OK : status;
}

void cw_site_report_free(cw_site_report *report)
{
    if (!report)
        return;
    cw_spool_free(&report->records);
    cw_spool_free(&report->links);
    free(report);
}
