/* How much of a site a crawl has seen: counts the URLs without a result by what kept the crawl from them. URLs without
 * a request are known only if the crawl's links are given. */
#pragma once

#include <crawl/base.h>

typedef enum cw_survey_cut {
    CW_SURVEY_CUT_NONE, /* the link led somewhere, leads out of the site, or is not followed */
    CW_SURVEY_CUT_ROBOTS,
    CW_SURVEY_CUT_HOST,    /* it asked to be left alone, or failed too often */
    CW_SURVEY_CUT_LICENSE, /* the answer asks for a licence */
    CW_SURVEY_CUT_DEPTH,
    CW_SURVEY_CUT_QUEUED, /* a limit of the run or a signal ended the crawl first */
    CW_SURVEY_CUT_SCOPE,  /* on a host of the crawl; other hosts are not part of the site */
    CW_SURVEY_CUT_FILTER,
    CW_SURVEY_CUT_LIMIT, /* against endless sites, and of the queue */
    CW_SURVEY_CUT_NOFOLLOW,
    CW_SURVEY_CUT_OTHER,
    CW_SURVEY_CUTS
} cw_survey_cut;

typedef struct cw_survey_coverage {
    uint64_t cut[CW_SURVEY_CUTS]; /* URLs */
    uint64_t missing;             /* all of them */
} cw_survey_coverage;

/* The causes in words: "beyond a limit of the crawl". */
extern const char *const cw_survey_cut_words[CW_SURVEY_CUTS];

/* Returns the cause for a link with this verdict. */
cw_survey_cut cw_survey_cut_of(crawl_slice verdict);

/* Returns the cause for a page whose record has this status and error and no result. */
cw_survey_cut cw_survey_cut_of_answer(int status, crawl_slice error);

/* Returns the number of URLs found without a result. */
static inline uint64_t cw_survey_coverage_missing(const cw_survey_coverage *coverage)
{
    return coverage->missing;
}
