/* Finds chains and loops of redirects. Every page that redirects leads to one place, so each walk ends after at most as
 * many steps as there are pages, and each loop is found once. */
#ifndef CW_SURVEY_REDIRECTS_H
#define CW_SURVEY_REDIRECTS_H

#include "tools/report/survey/survey.h"

/* The most hops of a chain that are counted and shown; browsers follow 20. */
#define CW_SURVEY_HOPS_MAX 50u

/* To be called when all records are there: ties each redirect to the page that it leads to; marks the pages of loops,
 * and one page of each loop with loop_begins; and sets hops of each page where a chain begins, which is a redirect that
 * no other redirect leads to: how many redirects there are from it to a page that is none, or is in a loop. */
void cw_survey_follow_redirects(cw_survey *survey);

/* To be called when all records are there, and before the links. A link that leads out of the crawl is broken if its
 * redirects end with something broken. A page that redirects to a URL out of the crawl that was checked does not count
 * as unchecked any more. CRAWL_ENOMEM. */
crawl_err cw_survey_settle_externals(cw_survey *survey);

/* Does a chain of two or more redirects begin here, which is no part of a loop? */
static inline bool cw_survey_is_chain(const cw_survey_page *page)
{
    return page->hops > 1;
}

#endif
