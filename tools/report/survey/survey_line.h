/* Reads one line of JSON as a crawl writes it: a record, a link, or a request. Picks the members that a report needs,
 * and leaves out members of another type than they should have. */
#ifndef CW_SURVEY_LINE_H
#define CW_SURVEY_LINE_H

#include "tools/report/survey/survey.h"

/* The most bytes of a line: a record with the text of its page (--text, 1 MiB, of which a byte may be escaped by six),
 * what the page says of itself, and four URLs. */
#define CW_SURVEY_LINE_MAX ((size_t)16 << 20)

/* Takes one line of --output, --links or --requests. CRAWL_EPARSE: it is none; error says why. CRAWL_ENOMEM. */
crawl_err cw_survey_take_record(cw_survey *survey, crawl_slice line, crawl_error *error);
crawl_err cw_survey_take_link(cw_survey *survey, crawl_slice line, crawl_error *error);
crawl_err cw_survey_take_request(cw_survey *survey, crawl_slice line, crawl_error *error);

#endif
