/* The functions that SQL of the report has beside SQLite's:
 *
 *   find(url)           the page of a URL, whatever its spelling; of an earlier crawl was(url)
 *   find_external(url)  likewise of a link that leads out of the crawl
 *   shown(page)         that to which its redirects lead
 *   host_at(url)        the number of its host, added if needed; of an earlier crawl old_host_at(url)
 *   origin_of(url)      "https://example.com"
 *   judged(status, error, redirects, verdict, preferences)  4 * rank + state
 *   is_html(status, error, charset, verdict, content_type)  was it read as HTML?
 *   media_type(text), short(text), trimmed(text), hash(text)
 *   moment(text)        20261122192410123
 *   answer(rank)        "404 Not Found"
 *   rank_of(error)      that of an error alone
 *   cut_of_answer(status, error), cut_of_link(verdict, pages)  cw_survey_cut; pages: of the host of its target
 *   cut_words(cut)      "deeper than --depth"
 *   names_sitemap(url)  has the URL the name of a sitemap?
 *   use_name(n)         "train"; use_number(name)
 */
#pragma once

#include "tools/report/survey/survey.h"

/* CRAWL_ENOMEM. */
crawl_err cw_survey_add_functions(cw_survey *survey);
