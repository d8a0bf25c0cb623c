#include "base/json/json_read.h"

#include <stdio.h>
#include <string.h>

/* jansson passes over one that stands behind a number. */
static json_t *refuse_nul(json_error_t *why)
{
    if (why) {
        *why = (json_error_t){.line = 1};
        snprintf(why->text, sizeof why->text, "a NUL byte");
    }
    return NULL;
}

json_t *cw_json_read(crawl_slice line, json_error_t *why)
{
    const char *text = line.data ? line.data : "";
    if (memchr(text, '\0', line.size))
        return refuse_nul(why);
    json_t *value = json_loadb(text, line.size, 0, why);
    return value ? value : json_loadb(text, line.size, JSON_DECODE_INT_AS_REAL, why);
}
