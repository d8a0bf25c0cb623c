/* The headers of an answer that its record shows: those that output.answer_headers names. */
#ifndef CW_OUTPUT_ANSWER_HEADERS_H
#define CW_OUTPUT_ANSWER_HEADERS_H

#include <crawl/record.h>

/* If the answer has one of these headers, appends a member of JSON to *members, behind a comma if that is not empty:
 * "headers":{"server":["nginx"]}. names: with spaces or commas between them; upper and lower case are the same.
 * CRAWL_ENOMEM. */
crawl_err cw_output_answer_headers(const crawl_record *record, const char *names, crawl_buf *members);

#endif
