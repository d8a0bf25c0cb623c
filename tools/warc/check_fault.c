#include "tools/warc/check_fault.h"

#include "base/text/date_scan.h"
#include "tools/common/say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void cw_check_fault(cw_check *check, const char *unit, uint64_t place, const char *format, ...)
{
    char what[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    check->faults++;
    cw_tool_escape_print(crawl_slice_from(check->path), stdout);
    if (check->inner) {
        fputs(": ", stdout);
        cw_tool_escape_print(crawl_slice_from(check->inner), stdout);
    }
    if (unit)
        printf(": %s %" PRIu64, unit, place);
    fputs(": ", stdout);
    cw_tool_escape_print(crawl_slice_from(what), stdout);
    putchar('\n');
}

crawl_err cw_check_add_id(cw_map *ids, crawl_slice id)
{
    typedef struct check_id {
        bool is_there;
        char text[];
    } check_id;
    if (cw_map_get(ids, id))
        return CRAWL_EXISTS;
    return cw_map_make(ids, id, sizeof(check_id), offsetof(check_id, text)) ? CRAWL_OK : CRAWL_ENOMEM;
}

bool cw_check_is_date(crawl_slice date)
{
    cw_date_parts parts;
    return cw_date_scan(date, "%Y-%m-%dT%H:%M:%S%f%z", &parts);
}
