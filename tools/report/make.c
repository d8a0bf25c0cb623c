#include "tools/report/make.h"

#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/report/survey/survey_judge.h"
#include "tools/report/survey/survey_read.h"
#include "tools/report/survey/survey_settle.h"

static const char tool[] = "report";

static int make_read_all(cw_survey *survey, const char *const *paths, size_t count)
{
    int status = CW_EXIT_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = cw_survey_read(survey, paths[i]);
    return status;
}

static int make_failed(crawl_err err)
{
    if (err == CRAWL_ENOMEM)
        cw_tool_say(tool, "%s", crawl_strerror(err));
    return err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

/* Refuses records that were given as links, since a site without links looks like that. */
static int make_read_links(const cw_survey_input *input, cw_survey *survey)
{
    static const char changes[] = "SELECT total_changes()";
    int64_t before = cw_survey_number(survey, changes);
    int status = make_read_all(survey, input->links.paths, input->links.count);
    bool has_others = cw_survey_number(survey, changes) > before;
    bool has_links = cw_survey_number(survey, "SELECT EXISTS (SELECT 1 FROM main.links)");
    if (status || survey->failure)
        return status ? status : make_failed(survey->failure);
    if (has_links || !has_others)
        return CW_EXIT_OK;
    cw_tool_say(tool, "--links %s: it has no link, but records or requests", input->links.paths[0]);
    return CW_EXIT_USAGE;
}

static int make_read_lines(const cw_survey_input *input, cw_survey *survey)
{
    int status = make_read_all(survey, input->records, input->record_count);
    if (!status)
        status = make_read_links(input, survey);
    if (!status)
        status = make_read_all(survey, input->requests.paths, input->requests.count);
    for (size_t i = 0; i < input->sitemaps.count && !status; i++)
        status = cw_survey_read_sitemap(survey, input->sitemaps.paths[i]);
    if (status)
        return status;
    crawl_error error = {0};
    crawl_err err = cw_results_settle(survey->results, &error);
    if (err)
        cw_tool_say(tool, "%s", *error.message ? error.message : crawl_strerror(err));
    return err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

static int read_current(const cw_survey_input *input, cw_survey *survey)
{
    survey->has_requests = input->requests.count > 0;
    survey->has_links = input->links.count > 0;
    survey->ended_by = input->ended_by;
    int status = survey->results ? make_read_lines(input, survey) : CW_EXIT_OK;
    if (!status)
        status = make_failed(cw_survey_run(survey, "BEGIN")); /* or each statement would end in a walk of the cache */
    if (!status)
        status = make_failed(cw_survey_settle_records(survey));
    return !status && input->state ? cw_survey_read_state(survey, input->state) : status;
}

static int read_old(const cw_survey_input *input, cw_survey_report *report)
{
    if (!input->compare)
        return CW_EXIT_OK;
    report->old = cw_survey_create_old(report->survey);
    if (!report->old)
        return CW_EXIT_LOCAL;
    report->old->host_from = input->old_host;
    report->old->host_to = input->host;
    return cw_survey_read_old(report->old, input->compare);
}

/* Returns the database that is the only input, or NULL: the input is lines. */
static const char *make_database(const cw_survey_input *input)
{
    return input->record_count == 1 && cw_results_is_file(input->records[0]) ? input->records[0] : NULL;
}

static uint64_t make_number(const cw_survey_report *report, const char *sql)
{
    return (uint64_t)cw_survey_number(report->survey, sql);
}

/* Counts in one pass, since there may be millions of pages. */
static void make_count_pages(cw_survey_report *report)
{
    static const char sql[] =
        "SELECT sum(kind = 0 AND state = 0), sum(kind = 0 AND state = 1), sum(kind = 0 AND state = 2), "
        "sum(kind = 0 AND state = 3), sum(kind = 0 AND status), "
        "sum(kind = 0 AND state = 0 AND status BETWEEN 200 AND 299), sum(kind = 0 AND html), max(iif(kind = 0, depth, 0)), "
        "sum(part), sum(iif(kind = 0, bytes, 0)), sum(kind = 1), sum(kind = 1 AND state < 3), sum(kind = 3) FROM page";
    uint64_t *const numbers[] = {&report->states[0], &report->states[1], &report->states[2],  &report->states[3],
                                 &report->responses, &report->answers,   &report->html_pages, &report->deepest,
                                 &report->parts,     &report->bytes,     &report->externals,  &report->judged_externals,
                                 &report->invalid};
    cw_survey_numbers(report->survey, sql, numbers, sizeof numbers / sizeof *numbers);
    report->judged =
        report->states[CW_SURVEY_FINE] + report->states[CW_SURVEY_REDIRECTS] + report->states[CW_SURVEY_BROKEN];
}

static void make_count(cw_survey_report *report)
{
    make_count_pages(report);
    report->has_texts = make_number(report, "SELECT EXISTS (SELECT 1 FROM main.pages WHERE text IS NOT NULL)");
    report->is_encrypted =
        make_number(report, "SELECT EXISTS (SELECT 1 FROM p WHERE kind = 0 AND html AND url LIKE 'https:%')");
    report->guards = make_number(report, "SELECT sum(known) FROM guard");
    report->unguarded = make_number(report, "SELECT count(*) FROM guard WHERE pages > 0");
    report->hosts = make_number(report, "SELECT count(*) FROM host WHERE pages");
    report->tells_translations = make_number(
        report, "SELECT NOT EXISTS (SELECT 1 FROM translation WHERE named IS NOT page) OR EXISTS (SELECT 1 FROM "
                "translation JOIN page ON page.id = named WHERE named <> translation.page AND told)");
    report->median_ms = make_number(report, "SELECT elapsed_ms FROM page WHERE kind = 0 AND status ORDER BY elapsed_ms "
                                            "LIMIT 1 OFFSET (SELECT count(*) / 2 FROM page WHERE kind = 0 AND status)");
    if (report->old)
        report->old_pages = make_number(report, "SELECT count(*) FROM old_page WHERE kind = 0");
    report->origin = crawl_buf_slice(&report->survey->origin);
}

static crawl_err make_prepare(cw_survey_report *report)
{
    crawl_err err = cw_survey_settle_links(report->survey, report->old);
    if (err)
        return err;
    make_count(report);
    return cw_survey_count(report);
}

/* Refuses an earlier crawl without a URL in common: it would make each fault a new one. */
static int make_check_common(const cw_survey_input *input, const cw_survey_report *report)
{
    if (!report->old)
        return CW_EXIT_OK;
    if (!report->old_pages) {
        cw_tool_say(tool, "--compare %s: there was no record", input->compare);
        return CW_EXIT_NOTHING;
    }
    if (input->host.size && !report->old->mapped) {
        cw_tool_say(tool, "--map: no page of this crawl is on %.*s", (int)input->host.size, input->host.data);
        return CW_EXIT_USAGE;
    }
    if (make_number(report, "SELECT EXISTS (SELECT 1 FROM page WHERE was IS NOT NULL)") || report->survey->failure)
        return CW_EXIT_OK;
    cw_tool_say(tool, "--compare %s: it has no page of this crawl; if the host had another name there, add --map A=B",
                input->compare);
    return CW_EXIT_USAGE;
}

int cw_survey_make(const cw_survey_input *input, cw_survey_report *report)
{
    report->config = input->config;
    report->ended_by = input->ended_by && *input->ended_by ? input->ended_by : NULL;
    const char *database = make_database(input);
    if (database && (input->links.count || input->requests.count || input->sitemaps.count)) {
        cw_tool_say(tool, "%s has its own links, requests and sitemaps: add more with crawl query --save", database);
        return CW_EXIT_USAGE;
    }
    report->survey = cw_survey_create(database);
    int status = report->survey ? read_current(input, report->survey) : CW_EXIT_LOCAL;
    if (!status)
        status = read_old(input, report);
    if (status)
        return status;
    bool has_page = cw_survey_number(report->survey, "SELECT EXISTS (SELECT 1 FROM page WHERE kind = 0)");
    if (!has_page && !report->survey->failure) {
        cw_tool_say(tool, "there was no record");
        return CW_EXIT_NOTHING;
    }
    crawl_err err = report->survey->failure ? report->survey->failure : make_prepare(report);
    status = make_failed(err ? err : report->survey->failure);
    return status ? status : make_check_common(input, report);
}

void cw_survey_unmake(cw_survey_report *report)
{
    cw_survey_free(report->old);
    cw_survey_free(report->survey);
}
