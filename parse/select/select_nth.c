#include "parse/select/select_nth.h"

#include "base/bytes.h"

/* A number with more digits is taken as this: no element has so many siblings. */
#define MOST 999999999

/* False: there are no digits here, and *out is as it was. */
static bool select_nth_take_digits(cw_select_reader *reader, long *out)
{
    crawl_slice rest = crawl_slice_of(reader->at, (size_t)(reader->end - reader->at));
    size_t count = cw_count_digits(rest);
    long number = 0;
    for (size_t i = 0; i < count && number < MOST; i++)
        number = number * 10 + (rest.data[i] - '0');
    reader->at += count;
    if (count)
        *out = number < MOST ? number : MOST;
    return count > 0;
}

/* 1, -1, or 0 where there is no sign. */
static int take_sign(cw_select_reader *reader)
{
    return cw_select_take(reader, '+') ? 1 : cw_select_take(reader, '-') ? -1 : 0;
}

static bool select_nth_take_word(cw_select_reader *reader, const char *word)
{
    crawl_slice rest = crawl_slice_of(reader->at, (size_t)(reader->end - reader->at));
    bool is_next = cw_starts_nocase(rest, word);
    reader->at += is_next ? strlen(word) : 0;
    return is_next;
}

/* Reads "+ 1" behind "n", or nothing. */
static crawl_err read_offset(cw_select_reader *reader, cw_select_nth *out)
{
    cw_select_skip(reader);
    int sign = take_sign(reader);
    if (!sign)
        return CRAWL_OK;
    cw_select_skip(reader);
    if (!select_nth_take_digits(reader, &out->b))
        return cw_select_fail(reader, reader->at, "expected a number behind the sign");
    out->b *= sign;
    return CRAWL_OK;
}

crawl_err cw_select_nth_read(cw_select_reader *reader, cw_select_nth *out)
{
    *out = (cw_select_nth){0};
    cw_select_skip(reader);
    if (select_nth_take_word(reader, "even") || select_nth_take_word(reader, "odd")) {
        *out = (cw_select_nth){.a = 2, .b = cw_lower((unsigned char)reader->at[-1]) == 'd'};
        return CRAWL_OK;
    }
    int sign = take_sign(reader);
    long number = 1;
    bool has_digits = select_nth_take_digits(reader, &number);
    number *= sign < 0 ? -1 : 1;
    if (select_nth_take_word(reader, "n")) {
        out->a = number;
        return read_offset(reader, out);
    }
    out->b = number;
    return has_digits ? CRAWL_OK
                      : cw_select_fail(reader, reader->at, "expected even, odd, a number, or a form such as 2n+1");
}

/* "count(others)" and what is compared with it: the place less one. */
static void put_count(cw_writer *writer, crawl_slice others, const char *sign, long place)
{
    cw_put_text(writer, "count(");
    cw_put(writer, others);
    cw_put_format(writer, ") %s %ld", sign, place - 1);
}

/* The place is b or, in steps of a, more or less. */
static void select_nth_put_steps(cw_writer *writer, cw_select_nth nth, crawl_slice others)
{
    long step = nth.a < 0 ? -nth.a : nth.a;
    long shift = ((1 - nth.b) % step + step) % step;
    cw_put_text(writer, "(count(");
    cw_put(writer, others);
    cw_put_char(writer, ')');
    if (shift)
        cw_put_format(writer, " + %ld", shift);
    cw_put_format(writer, ") mod %ld = 0", step);
}

void cw_select_nth_put(cw_writer *writer, cw_select_nth nth, crawl_slice others)
{
    bool is_bounded = nth.a < 0 || nth.b > 1;
    if (nth.a <= 0 && nth.b < 1) {
        cw_put_text(writer, "false()");
    } else if (nth.a == 0 && nth.b == 1) {
        cw_put_text(writer, "not(");
        cw_put(writer, others);
        cw_put_char(writer, ')');
    } else if (nth.a == 0) {
        put_count(writer, others, "=", nth.b);
    } else if (nth.a == 1 && !is_bounded) {
        cw_put_text(writer, "true()");
    } else {
        if (is_bounded)
            put_count(writer, others, nth.a < 0 ? "<=" : ">=", nth.b);
        if (nth.a != 1 && nth.a != -1) {
            cw_put_text(writer, is_bounded ? " and " : "");
            select_nth_put_steps(writer, nth, others);
        }
    }
}
