#include "tools/report/survey/redirects.h"

#include "base/bytes.h"
#include "tools/report/survey/survey_judge.h"

/* Ties redirects to their targets; hops is used as the number of the walk that came by, until the chains are
 * measured. */
static void tie(cw_survey *survey)
{
    for (size_t i = 0; i < survey->pages.count; i++) {
        cw_survey_page *page = survey->pages.items[i];
        page->target = page->says.redirect.size ? cw_survey_find(survey, page->says.redirect) : NULL;
        page->hops = 0;
        if (page->target && page->target != page)
            page->target->is_target = true;
    }
}

static void mark_loop(cw_survey_page *begin)
{
    begin->loop_begins = true;
    for (cw_survey_page *page = begin; !page->in_loop; page = page->target)
        page->in_loop = true;
}

/* Finds the loops. A walk that meets its own number has found a loop; a walk that meets another number ends, because
 * the rest is known. */
static void find_loops(cw_survey *survey)
{
    uint32_t walk = 0;
    for (size_t i = 0; i < survey->pages.count; i++) {
        cw_survey_page *page = survey->pages.items[i];
        for (walk++; page && page->target && !page->hops; page = page->target)
            page->hops = walk;
        if (page && page->target && page->hops == walk && !page->in_loop)
            mark_loop(page);
    }
}

static uint32_t count_hops(const cw_survey_page *page)
{
    uint32_t hops = 0;
    while (page && page->says.redirect.size && !page->in_loop && hops < CW_SURVEY_HOPS_MAX) {
        page = page->target;
        hops++;
    }
    return hops;
}

/* Where the redirects of a link that leads out of the crawl end; NULL: nowhere. */
static const cw_survey_page *end_of(cw_survey *survey, const cw_survey_page *page)
{
    for (unsigned hops = 0; page->says.redirect.size; hops++) {
        const cw_survey_page *next = cw_survey_find_external(survey, page->says.redirect);
        if (!next)
            break;
        if (next == page || hops == CW_SURVEY_HOPS_MAX)
            return NULL;
        page = next;
    }
    return page;
}

/* A visitor who follows the redirect gets the page at its end. */
static crawl_err redirects_take_end(cw_survey *survey, cw_survey_page *page)
{
    crawl_buf words = {0};
    const cw_survey_page *end = end_of(survey, page);
    if (!end) {
        page->says.error = crawl_slice_from("redirects");
        page->says.detail = crawl_slice_from("the redirects lead in a circle");
        return CRAWL_OK;
    }
    if (end == page || !cw_survey_is_broken(end))
        return CRAWL_OK;
    crawl_err err = crawl_buf_printf(&words, "redirects to %.*s", (int)end->says.url.size, end->says.url.data);
    crawl_slice detail = crawl_buf_slice(&words);
    if (!err)
        err = cw_survey_keep(survey, &detail, CW_SURVEY_TEXT_MAX);
    crawl_buf_free(&words);
    page->says.status = end->says.status;
    page->says.error = end->says.error;
    page->says.detail = err ? (crawl_slice){0} : detail;
    return err;
}

crawl_err cw_survey_settle_externals(cw_survey *survey)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = survey->externals.count; i-- > 0 && !err;)
        err = redirects_take_end(survey, survey->externals.items[i]);
    for (size_t i = 0; i < survey->pages.count && survey->externals.count && !err; i++) {
        cw_survey_record *says = &survey->pages.items[i]->says;
        if (cw_is(says->error, "scope") && says->redirect.size && cw_survey_find_external(survey, says->redirect))
            says->error = says->detail = (crawl_slice){0};
    }
    return err;
}

void cw_survey_follow_redirects(cw_survey *survey)
{
    tie(survey);
    find_loops(survey);
    for (size_t i = 0; i < survey->pages.count; i++) {
        cw_survey_page *page = survey->pages.items[i];
        page->hops = page->is_target || page->in_loop ? 0 : count_hops(page);
    }
}
