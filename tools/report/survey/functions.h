/* The functions that SQL of the report has beside SQLite's:
 *
 *   find(url)           the page of a URL, whatever its spelling; of an earlier crawl was(url)
 *   find_external(url)  likewise of a link that leads out of the crawl
 *   answer(rank)        "404 Not Found"
 *   rank_of(error)      that of an error alone
 *   cut_words(cut)      "deeper than --depth"
 *   names_sitemap(url)  has the URL the name of a sitemap?
 *   use_name(n)         "train"; use_number(name)
 */
#ifndef CW_SURVEY_FUNCTIONS_H
#define CW_SURVEY_FUNCTIONS_H

#include "tools/report/survey/survey.h"

/* CRAWL_ENOMEM. */
crawl_err cw_survey_add_functions(cw_survey *survey);

#endif
