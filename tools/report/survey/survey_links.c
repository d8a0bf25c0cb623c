/* See survey.h: the links of a site and the URLs that its sitemaps name, added when the pages are known. */
#include "base/bytes.h"
#include "base/utf8.h"
#include "tools/report/survey/fragments.h"
#include "tools/report/survey/survey_judge.h"

static crawl_err add_invalid(cw_survey *survey, const cw_survey_link *link)
{
    cw_survey_page *page;
    crawl_slice text = cw_utf8_cut(link->to, CW_SURVEY_TEXT_MAX);
    crawl_err err = cw_survey_add_other(&survey->invalid, survey->by_invalid, text, &page);
    if (err || !page)
        return err;
    page->says.error = crawl_slice_from("no-url");
    page->linked++;
    return cw_survey_add_source(survey, page, link);
}

crawl_err cw_survey_add_link(cw_survey *survey, const cw_survey_link *link)
{
    survey->links++;
    survey->leads_out |= link->leads_out;
    if (link->is_invalid)
        return add_invalid(survey, link);
    if (cw_is(link->tag, "redirect") && cw_survey_find_external(survey, link->from))
        return CRAWL_OK; /* a hop: the link to its first URL counts */
    crawl_slice name = cw_survey_host_of(link->to);
    cw_survey_host *host = name.size ? cw_survey_host_at(survey, name) : NULL;
    if (host)
        host->links++;
    cw_survey_page *page = cw_survey_find(survey, link->to);
    if (!page)
        page = cw_survey_find_external(survey, link->to);
    cw_survey_cut cut = link->leads_out && host && host->pages ? CW_SURVEY_CUT_SCOPE : link->cut;
    if (!page && cut && cw_survey_coverage_add(&survey->coverage, &survey->of_ids, link->to, cut))
        return CRAWL_ENOMEM;
    if (!page)
        page = cw_map_get(survey->by_unasked, crawl_slice_of(link->to.data, cw_find_char(link->to, '#')));
    if (!page)
        return CRAWL_OK;
    page->linked++;
    crawl_err err = cw_survey_judge_fragment(survey, page, link);
    if (err)
        return err;
    return cw_survey_is_broken(page) ? cw_survey_add_source(survey, page, link) : CRAWL_OK;
}

crawl_err cw_survey_add_sitemap_url(cw_survey *survey, crawl_slice url)
{
    cw_survey_page *page = cw_survey_find(survey, url);
    survey->has_sitemap = true;
    if (page && page->host)
        page->host->in_sitemap = true;
    if (page) {
        page->in_sitemap = true;
        return CRAWL_OK;
    }
    return cw_survey_add_other(&survey->unasked, survey->by_unasked, url, &page);
}

crawl_err cw_survey_add_sitemap(cw_survey *survey, crawl_slice url)
{
    if (cw_map_count(survey->sitemaps) >= CW_SURVEY_HOSTS_MAX)
        return CRAWL_OK;
    crawl_err err = cw_survey_keep(survey, &url, CRAWL_URL_MAX_INPUT);
    if (!err)
        err = cw_map_put(survey->sitemaps, url, cw_map_get(survey->texts, url));
    return err == CRAWL_EXISTS ? CRAWL_OK : err;
}
