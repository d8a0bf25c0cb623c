/* JSON from untrusted sources: checked and copied without white space, in a form that every reader accepts. */
#pragma once

#include "base/writer.h"

/* Appends the one value that text is (RFC 8259), without white space between its parts. Text that readers disagree on
 * is normalized: an escape of half a surrogate pair, or of NUL, becomes U+FFFD, and an integer of more than 18 digits
 * gets ".0". false: it is not JSON, has more than CRAWL_DATA_MAX_LEVELS levels, or a number that no double holds; the
 * caller must then remove what was appended. */
bool cw_data_json_copy(crawl_slice text, cw_writer *out);
