/* See http_date.h. */
#include "crawler/http_date.h"

#include <time.h>

bool cw_http_date(crawl_slice value, int64_t *ms)
{
    static const char *const forms[] = {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"};
    char text[64];
    if (value.size == 0 || value.size >= sizeof text)
        return false;
    memcpy(text, value.data, value.size);
    text[value.size] = '\0';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct tm date = {0};
        const char *end = strptime(text, forms[i], &date);
        if (!end || *end)
            continue;
        *ms = (int64_t)timegm(&date) * 1000;
        return true;
    }
    return false;
}
