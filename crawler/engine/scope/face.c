#include "crawler/engine/scope/face.h"

#include "base/bytes.h"

#include <time.h>

/* How long before and after its date an answer may have been made. */
enum { MADE_BEFORE_S = 10, MADE_AFTER_S = 2, QUARTER_S = 900 };
/* The most bytes between a time and its date. */
enum { BESIDE = 24 };

#define SIGNS "?&<0123456789"

/* Takes the mark before a parameter, and the parameter too if it has this name. */
static bool take_face_param(crawl_slice *rest, crawl_slice param)
{
    if (!cw_take_text(rest, "?") && !cw_take_text(rest, "&"))
        return false;
    (void)cw_take_text(rest, "amp;");
    bool is_named = rest->size > param.size && rest->data[param.size] == '=' &&
                    crawl_slice_equal(crawl_slice_of(rest->data, param.size), param);
    if (is_named)
        *rest = cw_drop(*rest, cw_find_any(*rest, "&\"'<> #\n"));
    return true;
}

static bool take_face_field(crawl_slice *rest)
{
    static const char *const tags[] = {"<input", "<select", "<option"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (cw_starts_nocase(*rest, tags[i])) {
            (void)cw_cut(rest, '>');
            return true;
        }
    }
    return false;
}

/* Reads a time like "0:04:05" as seconds within the hour. */
static bool read_face_time(crawl_slice text, size_t *size, int *second)
{
    size_t hours = cw_count_digits(text);
    crawl_slice rest = cw_drop(text, hours);
    if (hours < 1 || hours > 2 || rest.size < 6 || rest.data[0] != ':' || rest.data[3] != ':' ||
        cw_count_digits(cw_drop(rest, 1)) != 2 || cw_count_digits(cw_drop(rest, 4)) != 2)
        return false;
    *size = hours + 6;
    *second = ((rest.data[1] - '0') * 10 + rest.data[2] - '0') * 60 + (rest.data[4] - '0') * 10 + rest.data[5] - '0';
    return true;
}

/* Returns true if the numbers in the text include the day of the month and the year of the answer, in any time zone. */
static bool has_face_date(crawl_slice text, time_t answered)
{
    enum { DAY_S = 86400 };
    bool has_day = false;
    bool has_year = false;
    while (text.size) {
        size_t size = cw_count_digits(text);
        long number = 0;
        for (size_t i = 0; i < size && i < 5; i++)
            number = number * 10 + text.data[i] - '0';
        for (time_t at = answered - DAY_S; size && at <= answered + DAY_S; at += DAY_S) {
            struct tm date;
            (void)gmtime_r(&at, &date);
            has_day = has_day || (size <= 2 && number == date.tm_mday);
            has_year = has_year || (size == 4 && number == date.tm_year + 1900);
        }
        text = cw_drop(text, size ? size : 1);
    }
    return has_day && has_year;
}

/* Takes the time of the answer if its date is next to it. *rest is the end of body. */
static bool take_face_time(crawl_slice body, crawl_slice *rest, int64_t answered_ms)
{
    size_t size;
    int second;
    time_t answered = (time_t)(answered_ms / 1000);
    size_t before = (size_t)(rest->data - body.data);
    if (!read_face_time(*rest, &size, &second))
        return false;
    /* The time zone of a page is not known. */
    int64_t ago = ((int64_t)answered + MADE_AFTER_S - second) % QUARTER_S;
    if ((ago + QUARTER_S) % QUARTER_S > MADE_BEFORE_S + MADE_AFTER_S)
        return false;
    before = before < BESIDE ? before : BESIDE;
    crawl_slice after = cw_drop(*rest, size);
    after.size = after.size < BESIDE ? after.size : BESIDE;
    if (!has_face_date(crawl_slice_of(rest->data - before, before + size + after.size), answered))
        return false;
    *rest = cw_drop(*rest, size);
    return true;
}

/* Takes text that begins with one of SIGNS. Returns the number of bytes that belong to the face after all. */
static size_t take_face_sign(crawl_slice body, crawl_slice *rest, crawl_slice param, int64_t answered_ms)
{
    if (take_face_time(body, rest, answered_ms) || take_face_param(rest, param) || take_face_field(rest))
        return 0;
    size_t digits = cw_count_digits(*rest);
    return digits ? digits : 1;
}

crawl_err cw_scope_face(crawl_slice body, crawl_slice param, int64_t answered_ms, crawl_buf *out)
{
    crawl_slice rest = body;
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_reserve(out, body.size);
    while (rest.size && !err) {
        size_t size = cw_find_any(rest, SIGNS);
        if (!size)
            size = take_face_sign(body, &rest, param, answered_ms);
        crawl_slice kept = cw_take(&rest, size);
        err = crawl_buf_append(out, kept.data, kept.size);
    }
    return err;
}
