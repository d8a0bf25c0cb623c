#include "tools/common/columns.h"

#include "base/text/escape.h"
#include "base/utf8.h"

#include <locale.h>
#include <stdlib.h>
#include <wchar.h>

bool cw_tool_is_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}

void cw_tool_columns_begin(void)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (utf8)
        uselocale(utf8);
}

void cw_tool_columns_end(void)
{
    locale_t before = uselocale(LC_GLOBAL_LOCALE);
    if (before != LC_GLOBAL_LOCALE)
        freelocale(before);
}

/* Returns true for characters that set the direction of others, which could reverse a row. */
static bool is_direction(uint32_t code)
{
    return code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static unsigned columns_width_of(uint32_t code)
{
    int width = wcwidth((wchar_t)code);
    return width < 0 ? 1 : (unsigned)width;
}

/* Takes the next character, and gets its columns. */
static crawl_slice columns_take(crawl_slice *rest, unsigned *columns)
{
    cw_utf8 next = cw_utf8_next(rest->data, rest->data + rest->size);
    crawl_slice character = crawl_slice_of(rest->data, next.size);
    *columns = next.code < 0x80 ? 1 : columns_width_of(next.code);
    *rest = crawl_slice_of(rest->data + next.size, rest->size - next.size);
    return character;
}

unsigned cw_tool_columns(crawl_slice text)
{
    unsigned sum = 0;
    while (text.size) {
        unsigned columns;
        columns_take(&text, &columns);
        sum += columns;
    }
    return sum;
}

/* Returns the size of as many leading characters as fit into the columns. */
static size_t columns_head_of(crawl_slice text, unsigned columns, unsigned *used)
{
    crawl_slice rest = text;
    unsigned next;
    *used = 0;
    while (rest.size) {
        crawl_slice before = rest;
        columns_take(&rest, &next);
        if (*used + next > columns)
            return (size_t)(before.data - text.data);
        *used += next;
    }
    return text.size;
}

/* Returns where the longest tail begins that fits into the columns. */
static size_t tail_of(crawl_slice text, unsigned columns, unsigned *used)
{
    crawl_slice rest = text;
    unsigned next;
    *used = cw_tool_columns(text);
    while (*used > columns) {
        columns_take(&rest, &next);
        *used -= next;
    }
    return (size_t)(rest.data - text.data);
}

/* Appends a piece. When out of memory, it is missing. */
static void columns_put(crawl_buf *out, crawl_slice text)
{
    crawl_err err = crawl_buf_append(out, text.data, text.size);
    (void)err;
}

/* Appends the text, with escapes for characters that must not be shown. */
static void clean(crawl_slice text, bool is_utf8, crawl_buf *out)
{
    crawl_buf escaped = {0};
    crawl_err err = cw_escape(text, &escaped);
    crawl_slice rest = err ? (crawl_slice){0} : crawl_buf_slice(&escaped);
    while (rest.size) {
        uint32_t code = cw_utf8_next(rest.data, rest.data + rest.size).code;
        unsigned columns;
        crawl_slice character = columns_take(&rest, &columns);
        bool is_shown = code < 0x80 || (is_utf8 && !is_direction(code));
        columns_put(out, is_shown ? character : crawl_slice_from("?"));
    }
    crawl_buf_free(&escaped);
}

/* Appends a head and a tail of the text, of these columns, with "…" between them. Returns the columns of the whole. */
static unsigned columns_put_ends(crawl_buf *out, crawl_slice text, unsigned head, unsigned end, bool is_utf8)
{
    unsigned head_columns, tail_columns;
    size_t tail = tail_of(text, end, &tail_columns);
    columns_put(out, crawl_slice_of(text.data, columns_head_of(text, head, &head_columns)));
    columns_put(out, crawl_slice_from(is_utf8 ? "…" : "~"));
    columns_put(out, crawl_slice_of(text.data + tail, text.size - tail));
    return head_columns + 1 + tail_columns;
}

/* Returns how many of the columns before a cut belong to whole words; all of them if the first word is longer. */
static unsigned columns_of_words(crawl_slice text, unsigned columns)
{
    unsigned used;
    size_t size = columns_head_of(text, columns, &used);
    const char *blank = size < text.size && text.data[size] == ' ' ? text.data + size : memrchr(text.data, ' ', size);
    return blank ? cw_tool_columns(crawl_slice_of(text.data, (size_t)(blank - text.data))) : columns;
}

static unsigned columns_put_short(crawl_buf *out, crawl_slice text, unsigned columns, bool is_utf8, bool is_sentence)
{
    crawl_buf shown = {0};
    if (!columns)
        return 0;
    clean(text, is_utf8, &shown);
    crawl_slice all = crawl_buf_slice(&shown);
    unsigned whole = cw_tool_columns(all);
    unsigned end = (columns - 1) / 3;
    if (whole <= columns)
        columns_put(out, all);
    else if (is_sentence)
        whole = columns_put_ends(out, all, columns_of_words(all, columns - 1), 0, is_utf8);
    else
        whole = columns_put_ends(out, all, columns - 1 - end, end, is_utf8);
    crawl_buf_free(&shown);
    return whole;
}

unsigned cw_tool_put_cut(crawl_buf *out, crawl_slice text, unsigned columns, bool is_utf8)
{
    return columns_put_short(out, text, columns, is_utf8, false);
}

unsigned cw_tool_put_words(crawl_buf *out, crawl_slice text, unsigned columns, bool is_utf8)
{
    return columns_put_short(out, text, columns, is_utf8, true);
}
