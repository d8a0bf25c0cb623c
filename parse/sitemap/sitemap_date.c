/* Reads the dates of sitemaps and feeds: W3C date and time, and dates of mail. A missing part counts as its first
 * value: "2024" is the first second of that year; a missing zone is UTC. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"
#include "base/text/date_scan.h"

#include <stdlib.h>

/* Reads a number of one to `most` digits. false: there is no digit. */
static bool sitemap_date_take_number(crawl_slice *text, size_t most, int *out)
{
    size_t count = cw_count_digits(*text);
    crawl_slice digits = cw_take(text, count < most ? count : most);
    if (!digits.size)
        return false;
    *out = 0;
    for (size_t i = 0; i < digits.size; i++)
        *out = *out * 10 + (digits.data[i] - '0');
    return true;
}

static bool take_char(crawl_slice *text, const char *any)
{
    if (!text->size || !text->data[0] || !strchr(any, text->data[0]))
        return false;
    *text = cw_drop(*text, 1);
    return true;
}

static int64_t sitemap_date_seconds_of(const cw_date_parts *date)
{
    enum { DAY = 24 * 60 * 60 };
    const struct tm *tm = &date->tm;
    bool is_time = tm->tm_hour <= 24 && tm->tm_min <= 59 && tm->tm_sec <= 60 && abs(date->east_s) <= DAY;
    return is_time && cw_date_is_valid(date) ? cw_date_seconds(date) : CRAWL_SITEMAP_NO_DATE;
}

/* Reads the number of a month, which tm counts from 0. */
static bool take_month_number(crawl_slice *text, struct tm *tm)
{
    int month;
    if (!sitemap_date_take_number(text, 2, &month))
        return false;
    tm->tm_mon = month - 1;
    return true;
}

/* Reads a zone, or nothing: "Z", "+02:00", "-0700", "EST"; an unknown name is UTC, as RFC 5322 says; with an
 * offset a name says nothing: "GMT+0200" of JavaScript, "+0000 UTC" of Go. */
static bool sitemap_date_take_zone(crawl_slice *text, int *east_s)
{
    int hours = 0;
    int minutes = 0;
    *text = cw_trim_start(*text);
    cw_date_zone(cw_take_letters(text), east_s);
    bool west = text->size && text->data[0] == '-';
    if (!take_char(text, "+-"))
        return true;
    if (!sitemap_date_take_number(text, 2, &hours))
        return false;
    take_char(text, ":");
    sitemap_date_take_number(text, 2, &minutes);
    *east_s = (hours * 60 + minutes) * 60 * (west ? -1 : 1);
    *text = cw_trim_start(*text);
    cw_take_letters(text);
    return true;
}

/* "10:20", "10:20:30", "10:20:30.4" */
static bool sitemap_date_take_time(crawl_slice *text, struct tm *tm)
{
    if (!sitemap_date_take_number(text, 2, &tm->tm_hour) || !take_char(text, ":") ||
        !sitemap_date_take_number(text, 2, &tm->tm_min))
        return false;
    if (!take_char(text, ":"))
        return true;
    if (!sitemap_date_take_number(text, 2, &tm->tm_sec))
        return false;
    if (take_char(text, ".,"))
        while (take_char(text, "0123456789"))
            ;
    return true;
}

/* "2024", "2024-01", "2024-01-31", "2024-01-31Z", "2024-01-31T10:20+02:00", and with a space instead of "T" */
static bool take_w3c(crawl_slice text, cw_date_parts *date)
{
    int year;
    if (!sitemap_date_take_number(&text, 4, &year) || year < 1000)
        return false;
    date->tm.tm_year = year - 1900;
    if (take_char(&text, "-/") && !take_month_number(&text, &date->tm))
        return false;
    if (take_char(&text, "-/") && !sitemap_date_take_number(&text, 2, &date->tm.tm_mday))
        return false;
    take_char(&text, "Tt");
    text = cw_trim_start(text);
    crawl_slice zone = text; /* a date of XML Schema may have one */
    if (text.size && !take_char(&zone, "Zz+-") && !sitemap_date_take_time(&text, &date->tm))
        return false;
    crawl_slice rest = cw_trim_start(text);
    crawl_slice half = cw_take_letters(&rest);
    if (cw_is_nocase(half, "AM") || cw_is_nocase(half, "PM")) /* no zones */
        return false;
    bool is_apart = !text.size || !cw_is_alpha((unsigned char)text.data[0]) || take_char(&text, "Zz");
    return is_apart && sitemap_date_take_zone(&text, &date->east_s) && cw_trim_start(text).size == 0;
}

static bool take_month(crawl_slice *text, struct tm *tm)
{
    static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    crawl_slice name = cw_take_letters(text);
    for (tm->tm_mon = 0; tm->tm_mon < 12; tm->tm_mon++)
        if (cw_starts_nocase(name, names[tm->tm_mon]))
            return true;
    return false;
}

/* "Thu, 05 Jan 2023 12:34:50 GMT" */
static bool take_mail(crawl_slice text, cw_date_parts *date)
{
    int year;
    size_t comma = cw_find_char(text, ',');
    text = cw_trim_start(comma < text.size ? cw_drop(text, comma + 1) : text);
    if (!sitemap_date_take_number(&text, 2, &date->tm.tm_mday))
        return false;
    take_char(&text, "-");
    text = cw_trim_start(text);
    if (!take_month(&text, &date->tm))
        return false;
    take_char(&text, "-");
    text = cw_trim_start(text);
    if (!sitemap_date_take_number(&text, 4, &year))
        return false;
    date->tm.tm_year = year < 50 ? 100 + year : year < 1000 ? year : year - 1900;
    text = cw_trim_start(text);
    return !text.size || (sitemap_date_take_time(&text, &date->tm) && sitemap_date_take_zone(&text, &date->east_s));
}

int64_t cw_sitemap_date(crawl_slice text)
{
    cw_date_parts w3c = {.tm = {.tm_mday = 1}};
    cw_date_parts mail = {0};
    text = cw_trim(text);
    if (take_w3c(text, &w3c))
        return sitemap_date_seconds_of(&w3c);
    return take_mail(text, &mail) ? sitemap_date_seconds_of(&mail) : CRAWL_SITEMAP_NO_DATE;
}
