/* Dates as protocols write them: in English, whatever language the process speaks (strptime follows LC_TIME). */
#ifndef CW_DATE_SCAN_H
#define CW_DATE_SCAN_H

#include <crawl/base.h>
#include <time.h>

/* The fields of a date. */
typedef struct cw_date_parts {
    struct tm tm;   /* those that the form has */
    int east_s;     /* of UTC, in seconds */
    bool two_digit; /* the year, of which tm_year has the last two digits alone */
} cw_date_parts;

/* Reads text by form, to its end: %a a day's short name, %A its whole one, %b a month's short name, %d day (one digit
 * or two), %H %M %S, %Y %y the year by four digits or two, %z "+0100"; a blank is one blank or more, and anything else
 * is itself. Names are in any case; a day's name is not compared with the date. False: it is none, or no date of a
 * calendar. */
bool cw_date_scan(crawl_slice text, const char *form, cw_date_parts *out);

/* Is it a day of the years 1 to 9999? A year by two digits has a 29th of February if it may. */
bool cw_date_is_valid(const cw_date_parts *parts);

/* Seconds since 1970, UTC. */
int64_t cw_date_seconds(const cw_date_parts *parts);

#endif
