/* The query of a canonical URL: pairs escaped uniformly and sorted.
 *
 * The pairs are written escaped, in their original order. Most queries are sorted already, and need nothing more. The
 * others are sorted as slices of the written text: the first byte in which two escaped pairs differ decides how their
 * decoded bytes compare, so nothing is ever decoded. */
#include "parse/canonical/canonical.h"

#include "base/text/percent.h"

#include <stdlib.h>

enum { ON_STACK = 64 }; /* pairs sorted without allocating */

static char *write_pair(char *to, const char *from, const char *end)
{
    const char *equals = memchr(from, '=', (size_t)(end - from));
    to = cw_percent_form(to, from, equals ? equals : end);
    *to++ = '=';
    return equals ? cw_percent_form(to, equals + 1, end) : to;
}

/* Returns the rank of the byte at this place of a pair; the end of a name comes first. */
static int rank(crawl_slice pair, size_t at)
{
    switch (pair.data[at]) {
    case '=':
        return -1;
    case '+':
        return ' ';
    case '%':
        return cw_percent_value(pair.data + at, pair.data + pair.size);
    default:
        return (unsigned char)pair.data[at];
    }
}

static bool is_inside_escape(crawl_slice pair, size_t at)
{
    return (at >= 1 && pair.data[at - 1] == '%') || (at >= 2 && pair.data[at - 2] == '%');
}

/* Orders two written pairs by the bytes of their names, then of their values. */
static int canonical_query_compare_pairs(crawl_slice a, crawl_slice b)
{
    size_t least = a.size < b.size ? a.size : b.size;
    size_t at = 0;
    while (at < least && a.data[at] == b.data[at])
        at++;
    if (at == least)
        return (a.size > b.size) - (a.size < b.size);
    if (is_inside_escape(a, at))
        return (unsigned char)a.data[at] - (unsigned char)b.data[at];
    return rank(a, at) - rank(b, at);
}

/* Stable bottom-up merge sort. Returns the array that the result is in. */
static crawl_slice *sort_pairs(crawl_slice *pairs, crawl_slice *spare, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = count - start < width ? count : start + width;
            size_t end = count - middle < width ? count : middle + width;
            size_t left = start;
            size_t right = middle;
            for (size_t to = start; to < end; to++) {
                bool from_left =
                    left < middle && (right == end || canonical_query_compare_pairs(pairs[left], pairs[right]) <= 0);
                spare[to] = from_left ? pairs[left++] : pairs[right++];
            }
        }
        crawl_slice *sorted = spare;
        spare = pairs;
        pairs = sorted;
    }
    return pairs;
}

static void join_pairs(const crawl_slice *pairs, size_t count, char *to)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *to++ = '&';
        memcpy(to, pairs[i].data, pairs[i].size);
        to += pairs[i].size;
    }
}

/* Sorts the count written pairs in place; scratch must have room for all of them. */
static crawl_err order(char *query, size_t size, size_t count, char *scratch)
{
    crawl_slice on_stack[2 * ON_STACK];
    crawl_slice *pairs = count <= ON_STACK ? on_stack : malloc(2 * count * sizeof *pairs);
    if (!pairs)
        return CRAWL_ENOMEM;
    crawl_slice rest = crawl_slice_of(query, size);
    for (size_t i = 0; i < count; i++)
        pairs[i] = cw_cut(&rest, '&');
    join_pairs(sort_pairs(pairs, pairs + count, count), count, scratch);
    memcpy(query, scratch, size);
    if (pairs != on_stack)
        free(pairs);
    return CRAWL_OK;
}

typedef struct written_pairs {
    char *end;
    size_t count;
    bool sorted;
} written_pairs;

/* Returns true if a written pair is dropped. */
static bool is_dropped(const cw_canonical_rules *rules, crawl_slice pair)
{
    crawl_slice name = cw_cut(&pair, '=');
    return (rules->drop_blank && pair.size == 0) || (rules->drop && cw_canonical_drops(rules->drop, name, pair));
}

static written_pairs write_pairs(char *to, crawl_slice query, const cw_canonical_rules *rules)
{
    bool drops = rules->drop || rules->drop_blank;
    const char *end = query.data + query.size;
    written_pairs all = {to, 0, true};
    crawl_slice before = {0};
    for (const char *at = query.data; at < end;) {
        const char *next = memchr(at, '&', (size_t)(end - at));
        next = next ? next : end;
        if (next > at) {
            char *start = all.end + (all.count > 0);
            crawl_slice pair = crawl_slice_of(start, (size_t)(write_pair(start, at, next) - start));
            if (!drops || !is_dropped(rules, pair)) {
                if (all.count++)
                    *all.end = '&';
                all.end = start + pair.size;
                all.sorted = all.sorted && canonical_query_compare_pairs(before, pair) <= 0;
                before = pair;
            }
        }
        at = next + 1;
    }
    return all;
}

/* Sorts the written pairs, from byte start of out to its end. */
static crawl_err order_written(crawl_buf *out, size_t start, size_t count)
{
    size_t size = out->size - start;
    crawl_err err = crawl_buf_reserve(out, size);
    return err ? err : order(out->data + start, size, count, out->data + out->size);
}

crawl_err cw_canonical_query(crawl_slice query, const cw_canonical_rules *rules, crawl_buf *out)
{
    /* Each byte becomes at most three, and each pair, which has at least one byte, gets one "=". */
    size_t start = out->size;
    crawl_err err = crawl_buf_reserve(out, 4 * query.size + 2);
    if (err)
        return err;
    written_pairs all = write_pairs(out->data + start + 1, query, rules);
    if (all.count) {
        out->data[start] = '?';
        out->size = (size_t)(all.end - out->data);
    }
    if (!all.sorted && !rules->unsorted)
        err = order_written(out, start + 1, all.count);
    if (err)
        out->size = start;
    out->data[out->size] = '\0';
    return err;
}
