/* See read.h. */
#include "base/json/read.h"

json_t *cw_json_read(crawl_slice line, json_error_t *why)
{
    const char *text = line.data ? line.data : "";
    json_t *value = json_loadb(text, line.size, 0, why);
    return value ? value : json_loadb(text, line.size, JSON_DECODE_INT_AS_REAL, why);
}
