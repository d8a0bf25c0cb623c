/* JSON as strangers write it: checked and copied without white space, in a form that every reader takes. */
#pragma once

#include "base/writer.h"

/* Appends the one value that text is (RFC 8259), without white space between its parts. Text that readers disagree on
 * is made plain: an escape of half a surrogate pair, and of NUL, becomes U+FFFD, and a whole number of more than 18
 * digits gets ".0". False: it is no JSON, has more than CRAWL_DATA_MAX_LEVELS levels, or a number that no double holds;
 * then what was appended is to be cut off again. */
bool cw_data_json_copy(crawl_slice text, cw_writer *out);
