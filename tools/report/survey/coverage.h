/* How much of a site a crawl has seen: URLs that it found and of which nothing is known, by what kept it from them.
 * URLs that it did not ask for are known where the links of the crawl are there. */
#pragma once

#include <crawl/base.h>

typedef enum cw_survey_cut {
    CW_SURVEY_CUT_NONE, /* the link led somewhere, or out of the site, or is none that is followed */
    CW_SURVEY_CUT_ROBOTS,
    CW_SURVEY_CUT_HOST,    /* it asked to be left alone, or failed too often */
    CW_SURVEY_CUT_LICENSE, /* the answer asks for one */
    CW_SURVEY_CUT_DEPTH,
    CW_SURVEY_CUT_QUEUED, /* a limit of the run or a signal ended the crawl before */
    CW_SURVEY_CUT_SCOPE,  /* on a host of the crawl: what lies on others is no part of the site */
    CW_SURVEY_CUT_FILTER,
    CW_SURVEY_CUT_LIMIT, /* against sites without end, and of the queue */
    CW_SURVEY_CUT_NOFOLLOW,
    CW_SURVEY_CUT_OTHER,
    CW_SURVEY_CUTS
} cw_survey_cut;

typedef struct cw_survey_coverage {
    uint64_t cut[CW_SURVEY_CUTS]; /* URLs */
    uint64_t missing;             /* all of them */
} cw_survey_coverage;

/* The sort of the URLs, in the words of a sentence: "beyond a limit of the crawl". */
extern const char *const cw_survey_cut_words[CW_SURVEY_CUTS];

/* The cause for a link with this verdict. */
cw_survey_cut cw_survey_cut_of(crawl_slice verdict);

/* The cause for a page that has a record of this status and error, of which nothing is known. */
cw_survey_cut cw_survey_cut_of_answer(int status, crawl_slice error);

/* The URLs that were found and of which nothing is known. */
static inline uint64_t cw_survey_coverage_missing(const cw_survey_coverage *coverage)
{
    return coverage->missing;
}
