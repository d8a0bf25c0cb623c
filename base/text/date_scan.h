/* Parses dates as written by protocols: in English, whatever the locale (strptime depends on LC_TIME). */
#pragma once

#include <crawl/base.h>
#include <time.h>

/* The fields of a date. */
typedef struct cw_date_parts {
    struct tm tm;   /* the fields in the form */
    int ms;         /* thousandths of a second */
    int east_s;     /* seconds east of UTC */
    bool two_digit; /* the year has two digits, and tm_year holds only these */
} cw_date_parts;

/* Parses the whole text by form: %a is a day's short name, %A its full name, %b a month's short name, %m its number
 * (two digits), %d the day (one or two), %H %M %S the time, %f a fraction of the second (".5") or nothing, %Y and %y
 * the year with four or two digits, %z "+0100", "+01:00" or "Z"; a blank stands for one or more blanks, and any other
 * character for itself. Names may be in any case; a day's name is not compared with the date. False: text has another
 * form, or the date does not exist. */
bool cw_date_scan(crawl_slice text, const char *form, cw_date_parts *out);

/* Returns true for a day of the years 1 to 9999. With a year of two digits, 29 February is valid if some such year has
 * it. */
bool cw_date_is_valid(const cw_date_parts *parts);

/* Returns seconds since 1970, UTC. */
int64_t cw_date_seconds(const cw_date_parts *parts);

/* Finds a zone by its name in RFC 5322, section 4.3, in any case, or "UTC". False: it is none, and *east_s is 0. */
bool cw_date_zone(crawl_slice name, int *east_s);
