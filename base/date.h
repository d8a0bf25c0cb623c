/* Dates as text. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <time.h>

/* "2026-01-31T12:00:00.000Z" */
typedef struct cw_date {
    char text[64];
} cw_date;

/* Formats milliseconds since 1970, before 1970 whole seconds, as RFC 3339 in UTC with milliseconds; empty for dates
 * that a calendar cannot hold. */
static inline cw_date cw_date_of(int64_t wall_ms)
{
    cw_date date = {""};
    struct tm parts;
    time_t seconds = (time_t)(wall_ms / 1000);
    if (!gmtime_r(&seconds, &parts))
        return date;
    /* strftime's %Y has no leading zeros. */
    snprintf(date.text, sizeof date.text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
             parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, (int)(wall_ms % 1000));
    return date;
}

/* As cw_date_of, with "never" for INT64_MIN and any negative date, and "forever" for CRAWL_FOREVER. */
static inline cw_date cw_date_or_end(int64_t wall_ms)
{
    if (wall_ms == INT64_MAX)
        return (cw_date){"forever"};
    cw_date date = wall_ms < 0 ? (cw_date){""} : cw_date_of(wall_ms);
    return *date.text ? date : (cw_date){"never"};
}
