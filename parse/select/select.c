/* CSS selectors as XPath 1.0: crawl_select_xpath. A selector is read once, from left to right, and no tree of it is
 * built: the part left of a combinator becomes a condition on the part right of it.
 *
 *     div.a > p      descendant-or-self::p[parent::div[class a]]
 *
 * A page is then walked once, in document order, and each node is judged by looking back, so that no node is found
 * twice. XPath that goes forward, //div/p, collects the nodes of each step, which takes quadratic time if elements are
 * nested. It is used if a selector is relative to a node: after :scope and in :has(). */
#include "base/bytes.h"
#include "base/error.h"
#include "base/utf8.h"
#include "parse/select/select_compound.h"

#include <crawl/extract.h>

/* A combinator, and the axes that lead from right to left and from left to right. */
static const struct {
    char sign;
    const char *back;
    const char *forward;
} combinators[] = {
    {' ', "ancestor", "descendant"},
    {'>', "parent", "child"},
    {'+', "preceding-sibling::*[1]/self", "following-sibling::*[1]/self"},
    {'~', "preceding-sibling", "following-sibling"},
};

enum { NONE = -1, DESCENDANT = 0 };

/* Takes a combinator and returns its index. NONE: the selector ends here. */
static int take_combinator(cw_select_reader *reader)
{
    bool has_space = cw_select_skip(reader);
    for (int i = 1; i < (int)(sizeof combinators / sizeof *combinators); i++)
        if (cw_select_take(reader, combinators[i].sign)) {
            cw_select_skip(reader);
            return i;
        }
    bool is_end = reader->at == reader->end || *reader->at == ',' || *reader->at == ')';
    return has_space && !is_end ? DESCENDANT : NONE;
}

/* "a ::text" and "a ::attr(x)" include a's own, as in Scrapy. */
static const char *axis_of(int sign, bool is_back, const cw_select_compound *right)
{
    bool is_bare = !right->tests.size && right->node.size == 1 && right->node.data[0] == '*';
    if (sign == DESCENDANT && right->tail.size && is_bare)
        return is_back ? "ancestor-or-self" : "descendant-or-self";
    return is_back ? combinators[sign].back : combinators[sign].forward;
}

static crawl_err select_check_tail(const cw_select_reader *reader, const cw_select_compound *compound)
{
    return compound->tail.size ? cw_select_fail(reader, reader->at, "nothing may follow ::text or ::attr()") : CRAWL_OK;
}

/* Continues a selector whose first compound is *last, which becomes its last one; the others are conditions of it. */
static crawl_err read_back(cw_select_reader *reader, cw_select_compound *last)
{
    crawl_err err = CRAWL_OK;
    for (int sign = take_combinator(reader); !err && sign != NONE; sign = err ? NONE : take_combinator(reader)) {
        cw_select_compound next = {0};
        const char *at = reader->at;
        err = select_check_tail(reader, last);
        if (!err)
            err = cw_select_compound_read(reader, &next);
        if (!err && next.is_scope)
            err = cw_select_fail(reader, at, ":scope may only begin a selector");
        const char *axis = axis_of(sign, true, &next);
        cw_writer test = cw_select_next_test(&next);
        cw_select_compound_put(&test, axis, last);
        cw_select_compound_free(last);
        *last = next;
        err = err ? err : test.err;
    }
    return err;
}

/* Reads compounds after a combinator, and writes each as a step of a path. *tail gets that of the last one. */
static crawl_err read_forward(cw_select_reader *reader, int sign, cw_writer *path, crawl_buf *tail)
{
    crawl_err err = CRAWL_OK;
    for (const char *slash = cw_writer_size(path) ? "/" : ""; !err && sign != NONE; slash = "/") {
        cw_select_compound next = {0};
        const char *at = reader->at;
        err = cw_select_compound_read(reader, &next);
        if (!err && next.is_scope)
            err = cw_select_fail(reader, at, ":scope may only begin a selector");
        cw_put_text(path, slash);
        cw_select_compound_put(path, axis_of(sign, false, &next), &next);
        sign = err ? NONE : take_combinator(reader);
        if (!err && sign != NONE)
            err = select_check_tail(reader, &next);
        if (!err)
            err = crawl_buf_append(tail, next.tail.data, next.tail.size);
        cw_select_compound_free(&next);
    }
    return err ? err : path->err;
}

/* ---- lists in parentheses ---- */

/* Reads a selector in parentheses, as a condition. */
static crawl_err read_condition(cw_select_reader *reader, bool is_relative, cw_writer *out)
{
    cw_select_compound compound = {0};
    crawl_buf path = {0};
    cw_writer writer = {.out = &path};
    const char *at = reader->at;
    crawl_err err;
    if (is_relative) {
        int sign = take_combinator(reader);
        err = read_forward(reader, sign == NONE ? DESCENDANT : sign, &writer, &compound.tail);
    } else {
        err = cw_select_compound_read(reader, &compound);
        if (!err && compound.is_scope)
            err = cw_select_fail(reader, at, ":scope may only begin a selector");
        if (!err)
            err = read_back(reader, &compound);
        cw_select_compound_put(&writer, "self", &compound);
    }
    if (!err && compound.tail.size)
        err = cw_select_fail(reader, at, "::text and ::attr() have no place in parentheses");
    cw_put(out, crawl_buf_slice(&path));
    cw_select_compound_free(&compound);
    crawl_buf_free(&path);
    return err ? err : out->err;
}

static crawl_err select_read_list(cw_select_reader *reader, bool is_relative, crawl_buf *out)
{
    cw_writer writer = {.out = out};
    crawl_err err = CRAWL_OK;
    if (++reader->depth > CW_SELECT_MAX_DEPTH)
        return cw_select_fail(reader, reader->at, "more than %u nested selectors", CW_SELECT_MAX_DEPTH);
    cw_put_char(&writer, '(');
    do {
        cw_select_skip(reader);
        err = read_condition(reader, is_relative, &writer);
        cw_put_text(&writer, !err && cw_select_is_next(reader, ',') ? " or " : "");
    } while (!err && cw_select_take(reader, ','));
    cw_put_char(&writer, ')');
    reader->depth--;
    if (!err)
        err = cw_select_close(reader);
    return err ? err : writer.err;
}

/* ---- the whole selector ---- */

/* A whole selector: conditions, all on the node itself ("self::..."), joined by "or" as long as no selector is relative
 * or ends in ::text; then paths, joined by "|". */
typedef struct selection {
    crawl_buf tests;
    crawl_buf paths;
    size_t count; /* of tests */
} selection;

static crawl_err add_path(selection *all, const crawl_buf *path, const crawl_buf *tail)
{
    cw_writer writer = {.out = &all->paths};
    cw_put_text(&writer, all->paths.size ? " | " : "");
    cw_put(&writer, crawl_buf_slice(path));
    cw_put(&writer, crawl_buf_slice(tail));
    return writer.err;
}

/* Reads from the first compound, or the combinator before it, to the comma or the end. */
static crawl_err select_read_selector(cw_select_reader *reader, selection *all)
{
    cw_select_compound compound = {0};
    crawl_buf path = {0};
    cw_writer writer = {.out = &path};
    cw_select_skip(reader);
    int sign = take_combinator(reader);
    crawl_err err = sign == NONE ? cw_select_compound_read(reader, &compound) : CRAWL_OK;
    if (!err && compound.is_scope) {
        cw_select_compound_put(&writer, "self", &compound);
        sign = take_combinator(reader);
        err = sign == NONE ? CRAWL_OK : select_check_tail(reader, &compound);
    }
    if (!err && (sign != NONE || compound.is_scope)) {
        err = read_forward(reader, sign, &writer, &compound.tail);
    } else if (!err) {
        err = read_back(reader, &compound);
        cw_select_compound_put(&writer, compound.tail.size ? "descendant-or-self" : "self", &compound);
    }
    if (!err && cw_starts_with(crawl_buf_slice(&path), "self::") && !compound.is_scope) {
        cw_writer tests = {.out = &all->tests};
        cw_put_text(&tests, all->count++ ? " or " : "");
        cw_put(&tests, crawl_buf_slice(&path));
        err = tests.err;
    } else if (!err) {
        err = add_path(all, &path, &compound.tail);
    }
    cw_select_compound_free(&compound);
    crawl_buf_free(&path);
    return err ? err : writer.err;
}

/* A single test, "self::p[...]", becomes a step of its own; several are conditions of one step. */
static crawl_err put_selection(const selection *all, crawl_buf *xpath)
{
    cw_writer writer = {.out = xpath};
    if (all->count == 1) {
        cw_put_text(&writer, "descendant-or-");
        cw_put(&writer, crawl_buf_slice(&all->tests));
    } else if (all->count) {
        cw_put_text(&writer, "descendant-or-self::*[");
        cw_put(&writer, crawl_buf_slice(&all->tests));
        cw_put_char(&writer, ']');
    }
    cw_put_text(&writer, all->count && all->paths.size ? " | " : "");
    cw_put(&writer, crawl_buf_slice(&all->paths));
    return writer.err;
}

static crawl_err select_read_all(cw_select_reader *reader, selection *all)
{
    crawl_err err;
    do
        err = select_read_selector(reader, all);
    while (!err && cw_select_take(reader, ','));
    if (!err && reader->at < reader->end)
        err = cw_select_fail(reader, reader->at, "expected a combinator, a comma or the end, not \"%c\"", *reader->at);
    if (!err && all->tests.size + all->paths.size > CW_SELECT_MAX_XPATH)
        err = cw_select_fail(reader, reader->start, "the selector is too complex: its XPath is longer than %u bytes",
                             CW_SELECT_MAX_XPATH);
    return err;
}

/* Checks that css is text that XPath can hold: UTF-8 without control characters, U+FFFE and U+FFFF. Tabs and line ends
 * are white space of CSS. */
static crawl_err check_text(const cw_select_reader *reader, crawl_slice css)
{
    if (css.size > CW_SELECT_MAX)
        return cw_select_fail(reader, reader->start + CW_SELECT_MAX, "the selector is longer than %u bytes",
                              CW_SELECT_MAX);
    size_t valid = cw_utf8_valid_prefix(css);
    if (valid < css.size)
        return cw_select_fail(reader, reader->start + valid, "the selector is not UTF-8");
    size_t none = cw_find_text(css, "\xef\xbf\xbe");
    none = none < css.size ? none : cw_find_text(css, "\xef\xbf\xbf");
    for (size_t i = 0; i < none && none == css.size; i++)
        if ((unsigned char)css.data[i] < ' ' && !cw_is_space((unsigned char)css.data[i]))
            none = i;
    return none < css.size ? cw_select_fail(reader, reader->start + none, "a character that no page can contain")
                           : CRAWL_OK;
}

crawl_err crawl_select_xpath(crawl_slice css, crawl_buf *xpath, crawl_error *error)
{
    selection all = {0};
    size_t before = xpath->size;
    const char *start = css.size ? css.data : "";
    cw_select_reader reader = {
        .start = start, .at = start, .end = start + css.size, .error = error, .list = select_read_list};
    crawl_err err = check_text(&reader, css);
    if (!err)
        err = select_read_all(&reader, &all);
    if (!err)
        err = put_selection(&all, xpath);
    if (err)
        xpath->size = before;
    if (err == CRAWL_ENOMEM)
        cw_error(error, err);
    crawl_buf_free(&all.tests);
    crawl_buf_free(&all.paths);
    return err;
}
