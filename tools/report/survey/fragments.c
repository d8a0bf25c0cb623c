#include "tools/report/survey/fragments.h"

#include "base/bytes.h"
#include "base/text/percent.h"
#include "tools/report/survey/redirects.h"

#include <stdlib.h>

/* The fragment of a URL, without a directive (":~:text=..."), which is no part of it. */
static crawl_slice fragment_of(crawl_slice url)
{
    crawl_slice fragment = cw_drop(url, cw_find_char(url, '#'));
    fragment = fragment.size ? cw_drop(fragment, 1) : fragment;
    const char *directive = fragment.size ? memmem(fragment.data, fragment.size, ":~:", 3) : NULL;
    return directive ? crawl_slice_of(fragment.data, (size_t)(directive - fragment.data)) : fragment;
}

/* Looks for the fragment as it stands, or else with its escapes decoded. */
static crawl_err fragments_is_there(cw_survey *survey, const cw_survey_page *page, crawl_slice fragment, bool *found)
{
    *found = cw_survey_has_id(survey, page, fragment);
    if (*found)
        return CRAWL_OK;
    crawl_buf_clear(&survey->canonical);
    crawl_err err = cw_percent_decode(fragment, &survey->canonical);
    crawl_slice decoded = crawl_buf_slice(&survey->canonical);
    *found = !err && (cw_survey_has_id(survey, page, decoded) || cw_is_nocase(decoded, "top"));
    return err;
}

/* The page that a browser shows in the end; NULL: it has no record, or a redirect says which part of it to show. */
static const cw_survey_page *shown_page(cw_survey *survey, const cw_survey_page *page)
{
    for (unsigned hops = 0; page && page->says.redirect.size; hops++) {
        crawl_slice next = page->says.redirect;
        bool is_over = hops == CW_SURVEY_HOPS_MAX || cw_find_char(next, '#') < next.size;
        page = is_over ? NULL : cw_survey_find(survey, next);
    }
    return page;
}

static crawl_err add_missing(cw_survey *survey, crawl_slice url, const cw_survey_link *link)
{
    cw_survey_page *missing;
    crawl_err err = cw_survey_add_other(&survey->fragments, survey->by_fragment, url, &missing);
    if (err || !missing)
        return err;
    missing->linked++;
    return cw_survey_add_source(survey, missing, link);
}

crawl_err cw_survey_judge_fragment(cw_survey *survey, const cw_survey_page *page, const cw_survey_link *link)
{
    crawl_slice fragment = fragment_of(link->to);
    const cw_survey_page *shown = fragment.size ? shown_page(survey, page) : NULL;
    if (!shown || !shown->ids)
        return CRAWL_OK;
    bool found;
    crawl_err err = fragments_is_there(survey, shown, fragment, &found);
    crawl_slice url = crawl_slice_of(link->to.data, (size_t)(fragment.data + fragment.size - link->to.data));
    return err || found ? err : add_missing(survey, url, link);
}
