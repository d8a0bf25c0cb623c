/* Dates of sitemaps and feeds. Of what is missing the beginning is taken: "2024" is its first second; without a zone,
 * UTC. */
#include "parse/sitemap/sitemap_private.h"

#include "base/bytes.h"

typedef struct moment {
    int64_t year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    int zone; /* minutes east of Greenwich */
} moment;

static void skip_space(crawl_slice *text)
{
    while (text->size && cw_is_space((unsigned char)text->data[0]))
        *text = crawl_slice_of(text->data + 1, text->size - 1);
}

/* One or more digits, at most so many. False: there are none. */
static bool take_number(crawl_slice *text, size_t most, int *out)
{
    size_t count = 0;
    int value = 0;
    while (count < most && count < text->size && cw_is_digit((unsigned char)text->data[count]))
        value = value * 10 + (text->data[count++] - '0');
    *text = crawl_slice_of(text->data + count, text->size - count);
    if (count)
        *out = value;
    return count > 0;
}

static bool take_char(crawl_slice *text, const char *any)
{
    if (!text->size || !text->data[0] || !strchr(any, text->data[0]))
        return false;
    *text = crawl_slice_of(text->data + 1, text->size - 1);
    return true;
}

static bool is_leap(int64_t year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days from 1970-01-01 on, of the Gregorian calendar. */
static int64_t days_of(int64_t year, int month, int day)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int64_t last = year - 1;
    int64_t leaps = last / 4 - last / 100 + last / 400 - 477; /* 477 before 1970 */
    return (year - 1970) * 365 + leaps + before[month - 1] + (month > 2 && is_leap(year)) + day - 1;
}

static int64_t seconds_of(const moment *m)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool valid = m->year >= 1 && m->year <= 9999 && m->month >= 1 && m->month <= 12 && m->day >= 1 && m->hour <= 24 &&
                 m->minute <= 59 && m->second <= 60 && m->zone >= -24 * 60 && m->zone <= 24 * 60;
    if (!valid || m->day > lengths[m->month - 1] + (m->month == 2 && is_leap(m->year)))
        return CRAWL_SITEMAP_NO_DATE;
    return ((days_of(m->year, m->month, m->day) * 24 + m->hour) * 60 + m->minute - m->zone) * 60 + m->second;
}

/* "Z", "+02:00", "-0700", or nothing. */
static bool take_offset(crawl_slice *text, int *zone)
{
    int hours = 0;
    int minutes = 0;
    bool west = text->size && text->data[0] == '-';
    if (take_char(text, "Zz") || !take_char(text, "+-"))
        return true;
    if (!take_number(text, 2, &hours))
        return false;
    take_char(text, ":");
    take_number(text, 2, &minutes);
    *zone = (hours * 60 + minutes) * (west ? -1 : 1);
    return true;
}

/* "10:20", "10:20:30", "10:20:30.4" */
static bool take_time(crawl_slice *text, moment *m)
{
    if (!take_number(text, 2, &m->hour) || !take_char(text, ":") || !take_number(text, 2, &m->minute))
        return false;
    if (!take_char(text, ":"))
        return true;
    if (!take_number(text, 2, &m->second))
        return false;
    if (take_char(text, ".,"))
        while (take_char(text, "0123456789"))
            ;
    return true;
}

/* "2024", "2024-01", "2024-01-31", "2024-01-31T10:20+02:00", and with a space in place of "T" */
static bool take_w3c(crawl_slice text, moment *m)
{
    int year;
    if (!take_number(&text, 4, &year) || year < 1000)
        return false;
    m->year = year;
    if (take_char(&text, "-/") && !take_number(&text, 2, &m->month))
        return false;
    if (take_char(&text, "-/") && !take_number(&text, 2, &m->day))
        return false;
    take_char(&text, "Tt");
    skip_space(&text);
    if (text.size && (!take_time(&text, m) || (skip_space(&text), !take_offset(&text, &m->zone))))
        return false;
    skip_space(&text);
    return text.size == 0;
}

static bool take_month(crawl_slice *text, int *month)
{
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12 && text->size >= 3; i++)
        if (cw_equal_nocase(crawl_slice_of(text->data, 3), crawl_slice_of(names + 3 * i, 3))) {
            *month = i + 1;
            while (text->size && cw_is_alpha((unsigned char)text->data[0]))
                *text = crawl_slice_of(text->data + 1, text->size - 1);
            return true;
        }
    return false;
}

/* A zone by its name; any other is UTC, as RFC 5322 has it. */
static int zone_of(crawl_slice name)
{
    static const struct {
        const char *name;
        int hours;
    } zones[] = {{"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5},
                 {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7}};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (cw_equal_nocase(name, crawl_slice_from(zones[i].name)))
            return zones[i].hours * 60;
    return 0;
}

/* "Thu, 05 Jan 2023 12:34:50 GMT" */
static bool take_mail(crawl_slice text, moment *m)
{
    int year;
    const char *comma = text.size ? memchr(text.data, ',', text.size) : NULL;
    if (comma)
        text = crawl_slice_of(comma + 1, text.size - (size_t)(comma + 1 - text.data));
    skip_space(&text);
    if (!take_number(&text, 2, &m->day) || (take_char(&text, "-"), skip_space(&text), !take_month(&text, &m->month)))
        return false;
    take_char(&text, "-");
    skip_space(&text);
    if (!take_number(&text, 4, &year))
        return false;
    m->year = year < 50 ? 2000 + year : year < 1000 ? 1900 + year : year;
    skip_space(&text);
    if (!text.size)
        return true;
    if (!take_time(&text, m))
        return false;
    skip_space(&text);
    if (text.size && !cw_is_alpha((unsigned char)text.data[0]))
        return take_offset(&text, &m->zone);
    m->zone = zone_of(text);
    return true;
}

int64_t cw_sitemap_date(crawl_slice text)
{
    moment w3c = {.month = 1, .day = 1};
    moment mail = {0};
    text = cw_trim(text);
    if (!text.size)
        return CRAWL_SITEMAP_NO_DATE;
    if (take_w3c(text, &w3c))
        return seconds_of(&w3c);
    return take_mail(text, &mail) ? seconds_of(&mail) : CRAWL_SITEMAP_NO_DATE;
}
