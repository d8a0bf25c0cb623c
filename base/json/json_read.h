/* Reads JSON as our own lines have it. */
#pragma once

#include <crawl/base.h>

#include <jansson.h>

/* Reads one value as a line of ours has it: in the values of pages a whole number may be beyond 64 bits, and becomes
 * the nearest real one. NULL: it is no JSON, or there is no memory; why (may be NULL) says so. */
json_t *cw_json_read(crawl_slice line, json_error_t *why);
