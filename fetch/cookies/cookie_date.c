/* The dates of cookies. The algorithm of RFC 6265, 5.1.1, reads words in any order, between delimiters of nearly any
 * kind: the first word that can be a time of day is the time, and likewise the day of the month, the month and the
 * year. */
#include "fetch/cookies/cookie.h"

#include "base/bytes.h"

typedef struct parts {
    int hour, minute, second, day, month, year;
    bool has_time, has_day, has_month, has_year;
} parts;

static bool is_delimiter(unsigned char c)
{
    return c == '\t' || (c >= ' ' && c <= '/') || (c >= ';' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

/* Reads a number of least to most digits at the front of text. False: fewer digits, or more. */
static bool cookie_date_take_digits(crawl_slice *text, size_t least, size_t most, int *value)
{
    size_t count = 0;
    int number = 0;
    while (count < text->size && cw_is_digit((unsigned char)text->data[count])) {
        if (count == most)
            return false;
        number = number * 10 + (text->data[count++] - '0');
    }
    if (count < least)
        return false;
    *value = number;
    *text = cw_drop(*text, count);
    return true;
}

static bool read_time(crawl_slice word, parts *date)
{
    int hour, minute, second;
    if (!cookie_date_take_digits(&word, 1, 2, &hour) || !cw_take_text(&word, ":") ||
        !cookie_date_take_digits(&word, 1, 2, &minute) || !cw_take_text(&word, ":") ||
        !cookie_date_take_digits(&word, 1, 2, &second))
        return false;
    date->hour = hour;
    date->minute = minute;
    date->second = second;
    return true;
}

static bool read_day(crawl_slice word, parts *date)
{
    return cookie_date_take_digits(&word, 1, 2, &date->day);
}

static bool read_month(crawl_slice word, parts *date)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    for (int i = 0; i < 12 && word.size >= 3; i++)
        if (cw_equal_nocase(crawl_slice_of(word.data, 3), crawl_slice_of(names + 3 * i, 3))) {
            date->month = i + 1;
            return true;
        }
    return false;
}

static bool read_year(crawl_slice word, parts *date)
{
    return cookie_date_take_digits(&word, 2, 4, &date->year);
}

static void cookie_date_take_word(crawl_slice word, parts *date)
{
    if (!date->has_time && read_time(word, date))
        date->has_time = true;
    else if (!date->has_day && read_day(word, date))
        date->has_day = true;
    else if (!date->has_month && read_month(word, date))
        date->has_month = true;
    else if (!date->has_year && read_year(word, date))
        date->has_year = true;
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

static bool cookie_is_date(const parts *date)
{
    return date->has_time && date->has_day && date->has_month && date->has_year && date->year >= 1601 &&
           date->day >= 1 && date->day <= days_of_month(date->year, date->month) && date->hour <= 23 &&
           date->minute <= 59 && date->second <= 59;
}

/* Returns the days since 1 January 1970 in the Gregorian calendar. Years are counted from March, so that a leap day
 * comes last. */
static int64_t days_since_1970(const parts *date)
{
    int64_t year = date->year - (date->month <= 2);
    int64_t month = date->month > 2 ? date->month - 3 : date->month + 9;
    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + date->day - 1 - 719468;
}

crawl_err cw_cookie_date(crawl_slice text, int64_t *ms)
{
    parts date = {0};
    for (size_t at = 0; at < text.size;) {
        size_t start = at;
        while (at < text.size && !is_delimiter((unsigned char)text.data[at]))
            at++;
        if (at > start)
            cookie_date_take_word(crawl_slice_of(text.data + start, at - start), &date);
        else
            at++;
    }
    if (date.has_year && date.year <= 99)
        date.year += date.year >= 70 ? 1900 : 2000;
    if (!cookie_is_date(&date))
        return CRAWL_EPARSE;
    *ms = (((days_since_1970(&date) * 24 + date.hour) * 60 + date.minute) * 60 + date.second) * 1000;
    return CRAWL_OK;
}
