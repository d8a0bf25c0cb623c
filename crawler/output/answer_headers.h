/* The headers of an answer that its record has: those that output.answer_headers names. */
#ifndef CW_OUTPUT_ANSWER_HEADERS_H
#define CW_OUTPUT_ANSWER_HEADERS_H

#include <crawl/record.h>

/* Appends a member of JSON to *members, behind a comma where something stands there, if the answer has one of these
 * headers: "headers":{"server":["nginx"]}. names: apart by spaces or commas, in any case. CRAWL_ENOMEM. */
crawl_err cw_output_answer_headers(const crawl_record *record, const char *names, crawl_buf *members);

#endif
