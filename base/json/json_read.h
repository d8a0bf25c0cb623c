/* Parses the JSON lines that this project writes. */
#pragma once

#include <crawl/base.h>

#include <jansson.h>

/* Parses one value. Values of pages may contain integers beyond 64 bits, which become the nearest real number. NULL:
 * not JSON, or out of memory; why (may be NULL) says which. */
json_t *cw_json_read(crawl_slice line, json_error_t *why);
