/* Judges a page by its record: whether it is broken, and the words for its status or error. Pure. */
#pragma once

#include "tools/report/survey/survey.h"

typedef struct cw_survey_record {
    int status;
    crawl_slice error;
    bool redirects;    /* it has a target */
    bool is_limited;   /* the host asked to come back later */
    bool asks_license; /* the answer names an RSL licence */
} cw_survey_record;

typedef enum cw_survey_state {
    CW_SURVEY_FINE,      /* 2xx, or 304 */
    CW_SURVEY_REDIRECTS, /* 3xx with a target */
    CW_SURVEY_BROKEN,    /* a reader who follows a link to it finds nothing */
    CW_SURVEY_UNCHECKED  /* not requested, or not read because of a rule or limit of the site or the crawl */
} cw_survey_state;

/* Judges a record. A page is broken if its status is 400 or more (except for 429, a wall, and 401 and 402 that ask for
 * a licence), its transfer failed, its redirects have no end, or its link is not a URL. */
cw_survey_state cw_survey_judge(const cw_survey_record *record);

#define CW_SURVEY_CAUSE_SIZE 80
typedef struct cw_survey_cause {
    char text[CW_SURVEY_CAUSE_SIZE];
} cw_survey_cause;

/* Returns a number that sorts results: a status or, after all statuses, an error. Equal words have equal numbers. */
unsigned cw_survey_rank(const cw_survey_record *record);
/* Returns the result in words: "200 OK", "404 Not Found", "The name of the host was not found". */
cw_survey_cause cw_survey_answer_of_rank(unsigned rank);
