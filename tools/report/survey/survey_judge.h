/* Judges a page by its record: whether it is broken, and the words for its status or error. Pure: a function of the
 * record alone. */
#pragma once

#include "tools/report/survey/survey.h"

typedef struct cw_survey_record {
    int status;
    crawl_slice error;
    bool redirects;    /* it names a place to go to */
    bool is_limited;   /* the host asked to come back later */
    bool asks_license; /* the answer names a licence of RSL */
} cw_survey_record;

typedef enum cw_survey_state {
    CW_SURVEY_FINE,      /* 2xx, or 304 */
    CW_SURVEY_REDIRECTS, /* 3xx with a place to go to */
    CW_SURVEY_BROKEN,    /* whoever follows a link to it finds nothing */
    CW_SURVEY_UNCHECKED  /* not asked for, or left unread: by a rule or a limit, of the site or of the crawl */
} cw_survey_state;

/* A page is broken with a status from 400 on except 429, and 401 and 402 that ask for a licence, after a transfer that
 * failed, and for redirects without an end and links that are no URL. */
cw_survey_state cw_survey_judge(const cw_survey_record *record);

/* The result in words: "200 OK", "404 Not Found", "The name of the host was not found". */
#define CW_SURVEY_CAUSE_SIZE 80
typedef struct cw_survey_cause {
    char text[CW_SURVEY_CAUSE_SIZE];
} cw_survey_cause;
cw_survey_cause cw_survey_answer_of(const cw_survey_record *record);

/* A number by which answers are sorted, the same for the same words: a status or, after all statuses, an error. */
unsigned cw_survey_rank(const cw_survey_record *record);
cw_survey_cause cw_survey_answer_of_rank(unsigned rank);
