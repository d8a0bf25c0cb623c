/* The SQL functions of the report:
 *
 *   find(url)           the page of a URL, whatever its spelling; for the earlier crawl was(url)
 *   find_external(url)  the same for a link that leads out of the crawl
 *   shown(page)         the page to which its redirects lead
 *   host_at(url)        the number of its host, added if needed; for the earlier crawl old_host_at(url)
 *   origin_of(url)      "https://example.com"
 *   tally(url, n), tallied(url)  count the links to a URL
 *   judged(status, error, redirects, verdict, preferences)  4 * rank + state
 *   is_html(status, error, charset, verdict, content_type)  1 if it was read as HTML
 *   media_type(text), short(text), trimmed(text), hash(text)
 *   words_apart(text, other), bits_apart(simhash, simhash)
 *   moment(text)        20261122192410123
 *   answer(rank)        "404 Not Found"
 *   rank_of(error)      the rank of an error without a status
 *   cut_of_answer(status, error), cut_of_link(verdict, pages)  cw_survey_cut; pages: on the host of its target
 *   is_finished()       1 if the crawl is known to have ended with an empty queue
 *   cut_words(cut)      "deeper than --depth"
 *   names_sitemap(url)  1 if the URL has the name of a sitemap
 *   use_name(n)         "train"; use_number(name) */
#pragma once

#include "tools/report/survey/survey.h"

/* CRAWL_ENOMEM. */
crawl_err cw_survey_add_functions(cw_survey *survey);
