/* Chains and loops of redirects. Every page that redirects leads to one place, so that each walk ends after as many
 * steps as there are pages, and each loop is found once. */
#ifndef CW_SURVEY_REDIRECTS_H
#define CW_SURVEY_REDIRECTS_H

#include "crawler/program/tools/report/survey.h"

/* Hops that are counted and shown of one chain; browsers follow 20. */
#define CW_SURVEY_HOPS_MAX 50u

/* Once all records are there: ties each redirect to the page that it leads to; marks the pages of loops, of each loop
 * one with loop_begins; and sets hops of each page that redirects and that no other leads to, which is where a chain
 * begins: how many redirects lie between it and what is none, or is in a loop. */
void cw_survey_follow_redirects(cw_survey *survey);

/* Two redirects or more, one after the other, which begin here and are no part of a loop. */
static inline bool cw_survey_is_chain(const cw_survey_page *page)
{
    return page->hops > 1;
}

#endif
