#include "tools/report/make.h"

#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/report/survey/redirects.h"
#include "tools/report/survey/survey_judge.h"
#include "tools/report/survey/survey_read.h"

static const char tool[] = "report";

static int make_read_all(cw_survey *survey, const char *const *paths, size_t count, cw_survey_take *take)
{
    int status = CW_EXIT_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = cw_survey_read(survey, paths[i], take);
    return status;
}

static int make_no_memory(void)
{
    cw_tool_say(tool, "%s", crawl_strerror(CRAWL_ENOMEM));
    return CW_EXIT_LOCAL;
}

/* Reads the input. Links come last, since they are kept only if they lead to a broken page, or to one of the
 * sitemap. */
static int read_current(const cw_survey_input *input, cw_survey *survey)
{
    int status = make_read_all(survey, input->records, input->record_count, cw_survey_take_record);
    survey->has_requests = input->requests.count > 0;
    survey->has_links = input->links.count > 0;
    if (!status)
        status = make_read_all(survey, input->requests.paths, input->requests.count, cw_survey_take_request);
    if (!status && cw_survey_settle_externals(survey))
        status = make_no_memory();
    if (!status)
        cw_survey_find_sitemap_pages(survey);
    for (size_t i = 0; i < input->sitemaps.count && !status; i++)
        status = cw_survey_read_sitemap(survey, input->sitemaps.paths[i]);
    if (!status)
        status = make_read_all(survey, input->links.paths, input->links.count, cw_survey_take_link);
    return !status && input->state ? cw_survey_read_state(survey, input->state) : status;
}

static int read_old(const cw_survey_input *input, cw_survey_report *report)
{
    if (!input->compare)
        return CW_EXIT_OK;
    report->old = cw_survey_create();
    return report->old ? cw_survey_read(report->old, input->compare, cw_survey_take_record) : make_no_memory();
}

static crawl_slice make_origin_of(crawl_slice url)
{
    crawl_slice host = cw_survey_host_of(url);
    return host.size ? crawl_slice_of(url.data, (size_t)(host.data + host.size - url.data)) : host;
}

/* The origin that all pages have; empty: they have several. */
static crawl_slice common_origin(const cw_survey_list *pages)
{
    crawl_slice origin = pages->count ? make_origin_of(pages->items[0]->says.url) : (crawl_slice){0};
    for (size_t i = 1; i < pages->count; i++)
        if (!crawl_slice_equal(origin, make_origin_of(pages->items[i]->says.url)))
            return (crawl_slice){0};
    return origin;
}

static void count_pages(cw_survey_report *report)
{
    const cw_survey_list *pages = &report->survey->pages;
    for (size_t i = 0; i < pages->count; i++) {
        const cw_survey_record *says = &pages->items[i]->says;
        bool is_judged = cw_survey_judge(says) != CW_SURVEY_UNCHECKED;
        if (!is_judged)
            cw_survey_coverage_unread(&report->survey->coverage, says->status, says->error);
        report->judged += is_judged;
        report->responses += says->status > 0;
        report->answers += says->status >= 200 && says->status < 300 && !says->error.size;
        report->html_pages += cw_survey_is_html(says);
        report->deepest = says->depth > report->deepest ? says->depth : report->deepest;
    }
}

static crawl_err make_prepare(cw_survey_report *report)
{
    count_pages(report);
    report->origin = common_origin(&report->survey->pages);
    cw_survey_follow_redirects(report->survey);
    crawl_err err = cw_survey_mark_copies(report);
    if (!err)
        err = cw_survey_folders_build(&report->folders, report->survey);
    return err ? err : cw_survey_count(report);
}

int cw_survey_make(const cw_survey_input *input, cw_survey_report *report)
{
    report->config = input->config;
    report->ended_by = input->ended_by;
    report->survey = cw_survey_create();
    int status = report->survey ? read_current(input, report->survey) : make_no_memory();
    if (!status)
        status = read_old(input, report);
    if (status)
        return status;
    if (!report->survey->pages.count) {
        cw_tool_say(tool, "there was no record");
        return CW_EXIT_NOTHING;
    }
    return make_prepare(report) ? make_no_memory() : CW_EXIT_OK;
}

void cw_survey_unmake(cw_survey_report *report)
{
    cw_survey_folders_free(&report->folders);
    cw_survey_free(report->survey);
    cw_survey_free(report->old);
}
