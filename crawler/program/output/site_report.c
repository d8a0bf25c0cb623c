/* See site_report.h. */
#include "crawler/program/output/site_report.h"

#include "base/error.h"
#include "crawler/program/output/csv.h"
#include "crawler/program/output/record.h"
#include "crawler/program/tools/report/make.h"
#include "crawler/program/tools/report/page.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <crawl/redis.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* One of the two files that the report is made of. */
typedef struct report_source {
    cw_output_sink *sink; /* NULL: the crawl writes the file anyway */
    crawl_buf path;
    int file; /* without a name; -1: it has one */
} report_source;

struct cw_output_site_report {
    const crawl_config *config;
    report_source records, links;
};

/* Is it a file that holds all of this crawl, and nothing else? */
static bool can_be_read(const crawl_config *config, const char *path)
{
    struct stat found;
    bool is_whole = path != config->output || (!config->keep.count && !config->keep_types.count);
    return path && is_whole && strcmp(path, "-") != 0 && config->existing != CRAWL_EXISTING_APPEND &&
           !crawl_redis_is_url(path) && !cw_output_is_csv(path) && stat(path, &found) == 0 && S_ISREG(found.st_mode);
}

/* Makes the file beside the page, which is open from then on and has no name. */
static crawl_err open_nameless(report_source *s, const char *page, crawl_error *error)
{
    crawl_buf name = {0};
    if (crawl_buf_printf(&name, "%s.XXXXXX", page))
        return cw_error(error, CRAWL_ENOMEM);
    s->file = mkostemp(name.data, O_CLOEXEC);
    crawl_err err = s->file < 0 ? cw_error_of_file(error, page) : CRAWL_OK;
    if (!err)
        unlink(name.data);
    crawl_buf_free(&name);
    if (!err && crawl_buf_printf(&s->path, "/proc/self/fd/%d", s->file))
        err = cw_error(error, CRAWL_ENOMEM);
    return err;
}

/* own: the file of the crawl itself. name: of the file in the directory of --state. */
static crawl_err open_source(report_source *s, const crawl_config *config, const char *own, const char *name,
                             bool resumed, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    if (can_be_read(config, own))
        return crawl_buf_append_text(&s->path, own) ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
    if (!config->state)
        err = open_nameless(s, config->report, error);
    else if (crawl_buf_printf(&s->path, "%s/%s", config->state, name))
        err = cw_error(error, CRAWL_ENOMEM);
    return err ? err : cw_output_sink_open(s->path.data, resumed ? CW_SINK_APPENDS : 0, NULL, &s->sink, error);
}

crawl_err cw_output_site_report_open(const crawl_config *config, bool resumed, cw_output_site_report **out,
                                     crawl_error *error)
{
    cw_output_site_report *report = calloc(1, sizeof *report);
    if (!report)
        return cw_error(error, CRAWL_ENOMEM);
    report->config = config;
    report->records.file = report->links.file = -1;
    crawl_err err = open_source(&report->records, config, config->output, "report-records", resumed, error);
    if (!err)
        err = open_source(&report->links, config, config->links, "report-links", resumed, error);
    if (err)
        cw_output_site_report_free(report);
    else
        *out = report;
    return err;
}

/* In a directory that goes on, the links of a page leave before its record, and both before its request is done. */
crawl_err cw_output_site_report_record(cw_output_site_report *report, const crawl_record *record)
{
    cw_output_sink *records = report->records.sink;
    cw_output_sink *links = report->links.sink;
    bool outlives = report->config->state != NULL;
    crawl_err err = outlives && links ? cw_output_sink_flush(links) : CRAWL_OK;
    if (err || !records)
        return err;
    crawl_record lean = *record;
    lean.text = (crawl_slice){0}; /* what the report does not look at */
    cw_output_put_record(cw_output_sink_begin(records), &lean, NULL);
    err = cw_output_sink_end(records);
    return err || !outlives ? err : cw_output_sink_flush(records);
}

crawl_err cw_output_site_report_edge(cw_output_site_report *report, const crawl_edge *edge)
{
    if (!report->links.sink)
        return CRAWL_OK;
    cw_output_put_edge(cw_output_sink_begin(report->links.sink), edge);
    return cw_output_sink_end(report->links.sink);
}

static crawl_err close_source(report_source *s, crawl_error *error)
{
    crawl_err err = cw_output_sink_close(s->sink, error);
    s->sink = NULL;
    return err;
}

crawl_err cw_output_site_report_close(cw_output_site_report *report, crawl_error *error)
{
    crawl_err err = close_source(&report->records, error);
    crawl_err of_links = close_source(&report->links, err ? NULL : error);
    return err ? err : of_links;
}

/* How many faults of each kind the page lists. */
static void say_faults(const cw_survey_report *made, const char *path, crawl_buf *said)
{
    const char *between = ": ";
    crawl_buf_printf(said, "  report    %s", path);
    for (const cw_survey_table *table = cw_survey_tables; table->id; table++) {
        uint64_t count = table->is_fault ? cw_survey_count_of(table, made) : 0;
        if (count)
            crawl_buf_printf(said, "%s%llu %s", between, (unsigned long long)count, table->id);
        between = count ? ", " : between;
    }
    crawl_buf_printf(said, "\n");
}

int cw_output_site_report_make(const cw_output_site_report *report, crawl_buf *said)
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
                             .state = config->state};
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

static void free_source(report_source *s)
{
    cw_output_sink_close(s->sink, NULL);
    crawl_buf_free(&s->path);
    if (s->file >= 0)
        close(s->file);
}

void cw_output_site_report_free(cw_output_site_report *report)
{
    if (!report)
        return;
    free_source(&report->records);
    free_source(&report->links);
    free(report);
}
