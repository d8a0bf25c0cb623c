/* See redirects.h. */
#include "crawler/program/tools/report/redirects.h"

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

void cw_survey_follow_redirects(cw_survey *survey)
{
    tie(survey);
    find_loops(survey);
    for (size_t i = 0; i < survey->pages.count; i++) {
        cw_survey_page *page = survey->pages.items[i];
        page->hops = page->is_target || page->in_loop ? 0 : count_hops(page);
    }
}
