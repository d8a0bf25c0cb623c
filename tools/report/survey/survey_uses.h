/* What a page says of its use by AI, as the statements of its record have it (docs/preferences.md): a text of lines,
 * one for each use that a statement refuses or grants, one for each licence, and for each use what all of them come to.
 * Most pages of a site say the same, so such a text is kept once. */
#ifndef CW_SURVEY_USES_H
#define CW_SURVEY_USES_H

#include "tools/report/survey/survey.h"

/* The most bytes of the text for one page: some fifty statements; further ones are left out. */
#define CW_SURVEY_USES_MAX 2048u

typedef enum cw_survey_stand { CW_STAND_AT_ODDS, CW_STAND_REFUSED, CW_STAND_GRANTED, CW_STAND_LICENSE } cw_survey_stand;

/* A line. */
typedef struct cw_survey_use {
    unsigned use; /* a crawl_use; CRAWL_USE_COUNT: of a licence */
    cw_survey_stand stand;
    crawl_slice source;    /* empty: all of them */
    crawl_slice statement; /* "train-ai=n"; likewise */
} cw_survey_use;

/* Reads the array of statements of a record: sets record->uses, whose text is the survey's until the next record, and
 * asks_license. CRAWL_ENOMEM. */
crawl_err cw_survey_take_uses(cw_survey *survey, const cw_json_value *statements, cw_survey_record *record);

/* Takes the next line off a text of them, which is not empty. */
cw_survey_use cw_survey_next_use(crawl_slice *uses);

#endif
