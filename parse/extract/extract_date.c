/* Dates as pages write them. See extract_text.h. The text is read word by word: a number of four digits is a year, one
 * of one or two a day; a word is the name of a month, of a day or a zone; a number with a colon is a time. */
#include "parse/extract/extract_text.h"

#include "base/bytes.h"
#include "base/text/date_scan.h"

#include <stdio.h>

/* The longest text that is a date, in bytes. */
#define MOST 64u

typedef struct date {
    cw_date_parts parts;
    bool has_year;
    bool has_month;
    bool has_day;
    bool has_time;
    bool has_zone;   /* a name of one, or an offset */
    bool has_offset; /* with it a name says nothing: "GMT+2" */
    bool has_name;
    bool has_weekday;
} date;

static const char *const months[] = {"january", "february", "march",     "april",   "may",      "june",
                                     "july",    "august",   "september", "october", "november", "december"};
static const char *const days[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
static const char *const fillers[] = {"at", "of", "on", "the"};

/* Returns the index of the name that word begins, with at least three letters. -1: none. */
static int find_name(crawl_slice word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (word.size >= 3 && word.size <= strlen(names[i]) &&
            cw_equal_nocase(word, crawl_slice_of(names[i], word.size)))
            return (int)i;
    return -1;
}

static int extract_date_number_of(crawl_slice digits)
{
    int number = 0;
    for (size_t i = 0; i < digits.size; i++)
        number = number * 10 + (digits.data[i] - '0');
    return number;
}

/* Takes a number of at most `most` digits. -1: there is none. */
static int extract_date_take_number(crawl_slice *text, size_t most)
{
    size_t count = cw_count_digits(*text);
    return count && count <= most ? extract_date_number_of(cw_take(text, count)) : -1;
}

static bool set_year(date *d, int year)
{
    bool was_set = d->has_year;
    d->parts.tm.tm_year = year - 1900;
    d->has_year = true;
    return !was_set;
}

static bool set_month(date *d, int month)
{
    bool was_set = d->has_month;
    d->parts.tm.tm_mon = month - 1;
    d->has_month = true;
    return !was_set;
}

static bool set_day(date *d, int day)
{
    bool was_set = d->has_day;
    d->parts.tm.tm_mday = day;
    d->has_day = true;
    return !was_set;
}

/* Takes the time after the hour and its colon: minutes, and seconds with a fraction, which is ignored. */
static bool extract_date_take_time(crawl_slice *text, int hour, date *d)
{
    int minute = extract_date_take_number(text, 2);
    int second = cw_take_text(text, ":") ? extract_date_take_number(text, 2) : 0;
    if (minute < 0 || second < 0 || d->has_time)
        return false;
    if (cw_starts_with(*text, ".") || cw_starts_with(*text, ","))
        *text = cw_drop(*text, 1 + cw_count_digits(cw_drop(*text, 1)));
    d->parts.tm.tm_hour = hour;
    d->parts.tm.tm_min = minute;
    d->parts.tm.tm_sec = second;
    d->has_time = true;
    return hour < 24 && minute < 60 && second <= 60;
}

/* Takes "+02:00", "-0700", "+01", after a time. */
static bool extract_date_take_offset(crawl_slice *text, date *d)
{
    bool is_west = text->data[0] == '-';
    *text = cw_drop(*text, 1);
    bool is_whole = cw_count_digits(*text) == 4;
    int hours = is_whole ? extract_date_number_of(cw_take(text, 2)) : extract_date_take_number(text, 2);
    int minutes = cw_take_text(text, ":") || is_whole ? extract_date_take_number(text, 2) : 0;
    if (hours < 0 || hours > 14 || minutes < 0 || minutes > 59 || d->has_offset)
        return false;
    d->parts.east_s = (hours * 60 + minutes) * 60 * (is_west ? -1 : 1);
    d->has_zone = d->has_offset = true;
    return true;
}

/* Takes "am", "pm", "a.m." or "p.m." after a twelve-hour time; the word before its point is taken. */
static bool take_half(crawl_slice *text, crawl_slice word, date *d)
{
    int *hour = &d->parts.tm.tm_hour;
    bool is_whole = word.size == 2 || cw_is_nocase(cw_take_letters(text), "m");
    bool is_pm = cw_is_nocase(word, "pm") || cw_is_nocase(word, "p");
    bool is_am = cw_is_nocase(word, "am") || cw_is_nocase(word, "a");
    cw_take_text(text, ".");
    if (!is_whole || (!is_pm && !is_am) || !d->has_time || *hour < 1 || *hour > 12)
        return false;
    *hour = *hour % 12 + (is_pm ? 12 : 0);
    return true;
}

/* Takes the name of a zone after a time. */
static bool extract_date_take_zone(crawl_slice word, date *d)
{
    int east_s;
    if (!cw_date_zone(word, &east_s) || !d->has_time || d->has_name)
        return false;
    if (!d->has_offset)
        d->parts.east_s = east_s;
    d->has_zone = d->has_name = true;
    return true;
}

static bool extract_date_take_word(crawl_slice *text, date *d)
{
    crawl_slice word = cw_take_letters(text);
    int month = find_name(word, months, sizeof months / sizeof *months);
    cw_take_text(text, ".");
    if (month >= 0)
        return set_month(d, month + 1);
    if (find_name(word, days, sizeof days / sizeof *days) >= 0)
        return d->has_weekday = true;
    if ((cw_is_nocase(word, "z") && d->has_day && !d->has_time && !text->size) ||
        cw_is_among(word, fillers, sizeof fillers / sizeof *fillers) || (cw_is_nocase(word, "t") && d->has_day))
        return true;
    return extract_date_take_zone(word, d) || take_half(text, word, d);
}

/* Skips "st", "nd", "rd", "th" after a day. */
static void pass_ending(crawl_slice *text)
{
    static const char *const endings[] = {"st", "nd", "rd", "th"};
    crawl_slice rest = *text;
    if (cw_is_among(cw_take_letters(&rest), endings, sizeof endings / sizeof *endings))
        *text = rest;
}

/* Takes the sign after a year, a month or a day: of Chinese and Japanese, or of Korean. Before it may be a space. */
static bool extract_date_take_sign(crawl_slice *text, const char *chinese, const char *korean)
{
    crawl_slice rest = cw_trim_start(*text);
    bool has_sign = cw_take_text(&rest, chinese) || cw_take_text(&rest, korean);
    *text = has_sign ? rest : *text;
    return has_sign;
}

/* Takes "2024-05-06" after its year and sign. Behind a point may be a space. */
static bool take_iso(crawl_slice *text, char sign, date *d)
{
    *text = sign == '.' ? cw_trim_start(*text) : *text;
    int month = extract_date_take_number(text, 2);
    bool has_sign = text->size && text->data[0] == sign;
    *text = cw_drop(*text, has_sign);
    *text = sign == '.' ? cw_trim_start(*text) : *text;
    int day = has_sign ? extract_date_take_number(text, 2) : -1;
    if (sign == '.')
        cw_take_text(text, "."); /* of Korean dates */
    return set_month(d, month) && set_day(d, day) && month > 0 && day > 0;
}

/* Takes "6.5.2024" after its day. */
static bool take_dotted(crawl_slice *text, date *d)
{
    int month = extract_date_take_number(text, 2);
    bool has_dot = cw_take_text(text, ".");
    bool has_year = cw_count_digits(*text) == 4;
    int year = has_dot && has_year ? extract_date_take_number(text, 4) : -1;
    return set_month(d, month) && set_year(d, year) && month > 0 && year > 0;
}

static bool extract_date_take_digits(crawl_slice *text, date *d)
{
    size_t digits = cw_count_digits(*text);
    int value = extract_date_take_number(text, 4);
    char next = text->size ? text->data[0] : '\0';
    bool is_dotted = next == '.' && cw_count_digits(cw_trim_start(cw_drop(*text, 1)));
    if (digits == 4 && !d->has_month && (next == '-' || next == '/' || is_dotted)) {
        *text = cw_drop(*text, 1);
        return set_year(d, value) && take_iso(text, next, d);
    }
    if (digits == 4) {
        (void)extract_date_take_sign(text, "\u5e74", "\ub144");
        return set_year(d, value);
    }
    if (value < 0 || digits > 2)
        return false;
    if (extract_date_take_sign(text, "\u6708", "\uc6d4"))
        return set_month(d, value);
    if (cw_take_text(text, ":"))
        return extract_date_take_time(text, value, d);
    if (digits == 2 && d->has_weekday && d->has_day && d->has_month && !d->has_year)
        return set_year(d, value + (value < 50 ? 2000 : 1900)); /* RFC 5322, 4.3 */
    if (!set_day(d, value))
        return false;
    if (extract_date_take_sign(text, "\u65e5", "\uc77c"))
        return true;
    if (next == '.' && !d->has_month && cw_count_digits(cw_drop(*text, 1))) {
        *text = cw_drop(*text, 1);
        return take_dotted(text, d);
    }
    cw_take_text(text, ".");
    pass_ending(text);
    return true;
}

/* Reads the next part of a date. false: it is not one. */
static bool extract_date_take_part(crawl_slice *text, date *d)
{
    char c = text->data[0];
    if (cw_is_digit((unsigned char)c))
        return extract_date_take_digits(text, d);
    if (cw_is_alpha((unsigned char)c))
        return extract_date_take_word(text, d);
    if ((c == '+' || c == '-') && d->has_time)
        return extract_date_take_offset(text, d);
    if (cw_take_text(text, "\xc2\xa0") || cw_take_text(text, "\xe2\x80\xaf")) /* no-break spaces */
        return true;
    *text = cw_drop(*text, 1);
    return cw_is_space((unsigned char)c) || c == ',' || (c == '-' && d->has_day != d->has_year);
}

/* Converts to UTC, if the zone is known. False: the year there is not positive, or has more than four digits. */
static bool settle_zone(date *d)
{
    if (d->has_zone) {
        time_t seconds = (time_t)cw_date_seconds(&d->parts);
        gmtime_r(&seconds, &d->parts.tm);
    }
    return d->parts.tm.tm_year > -1900 && d->parts.tm.tm_year < 10000 - 1900;
}

static void put_date(const date *d, char out[CW_EXTRACT_DATE_SIZE])
{
    const struct tm *tm = &d->parts.tm;
    /* strftime's %Y has no leading zeros. */
    int size = snprintf(out, CW_EXTRACT_DATE_SIZE, "%04u", (unsigned)(tm->tm_year + 1900) % 10000);
    size +=
        (int)strftime(out + size, CW_EXTRACT_DATE_SIZE - (size_t)size, d->has_time ? "-%m-%dT%H:%M:%S" : "-%m-%d", tm);
    if (d->has_zone)
        snprintf(out + size, CW_EXTRACT_DATE_SIZE - (size_t)size, "Z");
}

/* Removes a full stop at the end, and the brackets around the whole. */
static crawl_slice extract_date_unwrap(crawl_slice text)
{
    text = cw_trim(text);
    text.size -= cw_ends_with(text, ".");
    bool is_wrapped = text.size > 1 && cw_starts_with(text, "(") && cw_ends_with(text, ")");
    return is_wrapped ? crawl_slice_of(text.data + 1, text.size - 2) : text;
}

bool cw_extract_date(crawl_slice text, char out[CW_EXTRACT_DATE_SIZE])
{
    date d = {0};
    char plain[MOST];
    text = extract_date_unwrap(text);
    bool is_date = text.size > 0 && text.size <= MOST;
    text = crawl_slice_of(plain, is_date ? cw_extract_plain(text, plain, MOST) : 0);
    while (is_date && text.size)
        is_date = extract_date_take_part(&text, &d);
    is_date = is_date && d.has_year && d.has_month && d.has_day && cw_date_is_valid(&d.parts) && settle_zone(&d);
    if (is_date)
        put_date(&d, out);
    return is_date;
}
