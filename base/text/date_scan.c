#include "base/text/date_scan.h"

#include "base/bytes.h"

static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

enum { DAYS = sizeof days / sizeof *days, MONTHS = sizeof months / sizeof *months, SHORT = 3 };

static bool date_scan_take(crawl_slice *text, size_t size)
{
    if (text->size < size)
        return false;
    *text = crawl_slice_of(text->data + size, text->size - size);
    return true;
}

/* Reads one of these names, or its first `most` letters. Returns its index; -1: none of them. */
static int date_scan_take_name(crawl_slice *text, const char *const *names, int count, size_t most)
{
    for (int i = 0; i < count; i++) {
        size_t size = strlen(names[i]);
        size = size < most ? size : most;
        if (text->size >= size && cw_equal_nocase(crawl_slice_of(text->data, size), crawl_slice_of(names[i], size)) &&
            date_scan_take(text, size))
            return i;
    }
    return -1;
}

/* Reads a number of `fewest` to `digits` digits with a value from least to most. */
static bool date_scan_take_number(crawl_slice *text, size_t fewest, size_t digits, int least, int most, int *out)
{
    int value = 0;
    size_t size = 0;
    while (size < digits && size < text->size && cw_is_digit((unsigned char)text->data[size]))
        value = value * 10 + (text->data[size++] - '0');
    *out = value;
    return size >= fewest && value >= least && value <= most && date_scan_take(text, size);
}

static bool take_zone(crawl_slice *text, int *east_s)
{
    int hours;
    int minutes;
    char first = text->size ? *text->data : '\0';
    int sign = first == '-' ? -1 : 1;
    if (first == 'Z')
        return date_scan_take(text, 1);
    if ((first != '+' && first != '-') || !date_scan_take(text, 1) || !date_scan_take_number(text, 2, 2, 0, 23, &hours))
        return false;
    (void)cw_take_text(text, ":");
    if (!date_scan_take_number(text, 2, 2, 0, 59, &minutes))
        return false;
    *east_s = sign * (hours * 3600 + minutes * 60);
    return true;
}

/* Reads a fraction like ".25" if there is one; three digits count. */
static bool take_fraction(crawl_slice *text, int *ms)
{
    if (!cw_take_text(text, "."))
        return true;
    crawl_slice digits = cw_take(text, cw_count_digits(*text));
    int scale = 100;
    for (size_t i = 0; i < digits.size && scale; i++, scale /= 10)
        *ms += (digits.data[i] - '0') * scale;
    return digits.size > 0;
}

static bool date_scan_take_month(crawl_slice *text, struct tm *tm)
{
    bool good = date_scan_take_number(text, 2, 2, 1, MONTHS, &tm->tm_mon);
    tm->tm_mon--;
    return good;
}

static bool take_year(crawl_slice *text, cw_date_parts *out, bool two_digit)
{
    out->two_digit = two_digit;
    if (two_digit)
        return date_scan_take_number(text, 2, 2, 0, 99, &out->tm.tm_year);
    bool good = date_scan_take_number(text, 4, 4, 1, 9999, &out->tm.tm_year);
    out->tm.tm_year -= 1900;
    return good;
}

static bool take_field(crawl_slice *text, char field, cw_date_parts *out)
{
    struct tm *tm = &out->tm;
    switch (field) {
    case 'a':
        return date_scan_take_name(text, days, DAYS, SHORT) >= 0;
    case 'A':
        return date_scan_take_name(text, days, DAYS, SIZE_MAX) >= 0;
    case 'b':
        return (tm->tm_mon = date_scan_take_name(text, months, MONTHS, SHORT)) >= 0;
    case 'm':
        return date_scan_take_month(text, tm);
    case 'd':
        return date_scan_take_number(text, 1, 2, 1, 31, &tm->tm_mday);
    case 'H':
        return date_scan_take_number(text, 1, 2, 0, 23, &tm->tm_hour);
    case 'M':
        return date_scan_take_number(text, 2, 2, 0, 59, &tm->tm_min);
    case 'S':
        return date_scan_take_number(text, 2, 2, 0, 60, &tm->tm_sec);
    case 'f':
        return take_fraction(text, &out->ms);
    case 'z':
        return take_zone(text, &out->east_s);
    default:
        return take_year(text, out, field == 'y');
    }
}

static bool take_blanks(crawl_slice *text)
{
    size_t before = text->size;
    while (text->size && *text->data == ' ')
        date_scan_take(text, 1);
    return text->size < before;
}

bool cw_date_is_valid(const cw_date_parts *parts)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const struct tm *tm = &parts->tm;
    int year = tm->tm_year + (parts->two_digit ? 0 : 1900);
    bool leaps = year % 4 == 0 && (parts->two_digit || year % 100 != 0 || year % 400 == 0);
    bool in_range = year >= (parts->two_digit ? 0 : 1) && year <= 9999 && tm->tm_mon >= 0 && tm->tm_mon < 12;
    return in_range && tm->tm_mday >= 1 && tm->tm_mday <= lengths[tm->tm_mon] + (tm->tm_mon == 1 && leaps);
}

bool cw_date_scan(crawl_slice text, const char *form, cw_date_parts *out)
{
    *out = (cw_date_parts){0};
    for (; *form; form++) {
        bool good = *form == '%'   ? take_field(&text, *++form, out)
                    : *form == ' ' ? take_blanks(&text)
                                   : text.size && *text.data == *form && date_scan_take(&text, 1);
        if (!good)
            return false;
    }
    return text.size == 0 && cw_date_is_valid(out);
}

int64_t cw_date_seconds(const cw_date_parts *parts)
{
    struct tm tm = parts->tm;
    return (int64_t)timegm(&tm) - parts->east_s;
}

bool cw_date_zone(crawl_slice name, int *east_s)
{
    static const struct {
        const char *name;
        int hours;
    } zones[] = {{"Z", 0},    {"UT", 0},   {"UTC", 0},  {"GMT", 0},  {"EST", -5}, {"EDT", -4},
                 {"CST", -6}, {"CDT", -5}, {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7}};
    *east_s = 0;
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (cw_is_nocase(name, zones[i].name)) {
            *east_s = zones[i].hours * 3600;
            return true;
        }
    return false;
}
