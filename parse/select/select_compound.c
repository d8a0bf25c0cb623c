/* See select_compound.h: names of elements, ids, classes and attributes. Names of elements and attributes are compared
 * in lower case, as in HTML. */
#include "parse/select/select_compound.h"

#include "base/bytes.h"
#include "base/utf8.h"

#define UPPER "'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"
#define LOWER "'abcdefghijklmnopqrstuvwxyz'"

void cw_select_compound_free(cw_select_compound *compound)
{
    crawl_buf_free(&compound->node);
    crawl_buf_free(&compound->tests);
    crawl_buf_free(&compound->tail);
}

/* ---- writing ---- */

cw_writer cw_select_next_test(cw_select_compound *compound)
{
    cw_writer writer = {.out = &compound->tests};
    cw_put_text(&writer, compound->tests.size ? " and " : "");
    return writer;
}

void cw_select_compound_put(cw_writer *writer, const char *axis, const cw_select_compound *compound)
{
    cw_put_text(writer, axis);
    cw_put_text(writer, "::");
    cw_put(writer, crawl_buf_slice(&compound->node));
    if (!compound->tests.size)
        return;
    cw_put_char(writer, '[');
    cw_put(writer, crawl_buf_slice(&compound->tests));
    cw_put_char(writer, ']');
}

static void put_quoted(cw_writer *writer, crawl_slice text, char quote)
{
    cw_put_char(writer, quote);
    cw_put(writer, text);
    cw_put_char(writer, quote);
}

void cw_select_put_literal(cw_writer *writer, crawl_slice text)
{
    if (cw_find_char(text, '\'') == text.size || cw_find_char(text, '"') == text.size) {
        put_quoted(writer, text, cw_find_char(text, '\'') == text.size ? '\'' : '"');
        return;
    }
    cw_put_text(writer, "concat(''");
    while (text.size) {
        char quote = text.data[0] == '\'' ? '"' : '\'';
        cw_put_char(writer, ',');
        put_quoted(writer, cw_take(&text, cw_find_char(text, quote)), quote);
    }
    cw_put_char(writer, ')');
}

/* Returns true if XPath can contain the name unchanged. */
static bool select_compound_is_plain(crawl_slice name)
{
    if (!name.size || !(cw_is_alpha((unsigned char)name.data[0]) || name.data[0] == '_'))
        return false;
    for (size_t i = 0; i < name.size; i++)
        if (!cw_is_alnum((unsigned char)name.data[i]) && !strchr("-_.", name.data[i]))
            return false;
    return true;
}

/* Writes "name", or "*[name() = 'a:b']". */
static void select_compound_put_name(cw_writer *writer, crawl_slice name)
{
    if (select_compound_is_plain(name)) {
        cw_put(writer, name);
        return;
    }
    cw_put_text(writer, "*[name() = ");
    cw_select_put_literal(writer, name);
    cw_put_char(writer, ']');
}

void cw_select_put_attribute(cw_writer *writer, crawl_slice name)
{
    cw_put_char(writer, '@');
    select_compound_put_name(writer, name);
}

/* Tests for the word surrounded by spaces, as it occurs in "a word list". */
static void put_word(cw_writer *test, crawl_slice attribute, crawl_slice word)
{
    crawl_buf spaced = {0};
    crawl_err err = crawl_buf_printf(&spaced, " %.*s ", (int)word.size, word.data);
    cw_put_text(test, "contains(concat(' ', normalize-space(");
    cw_put(test, attribute);
    cw_put_text(test, "), ' '), ");
    cw_select_put_literal(test, crawl_buf_slice(&spaced));
    cw_put_char(test, ')');
    test->err = test->err ? test->err : err;
    crawl_buf_free(&spaced);
}

/* ---- attributes ---- */

static void put_call(cw_writer *test, const char *function, crawl_slice attribute, crawl_slice value)
{
    cw_put_text(test, function);
    cw_put_char(test, '(');
    cw_put(test, attribute);
    cw_put_text(test, ", ");
    cw_select_put_literal(test, value);
    cw_put_char(test, ')');
}

static void select_compound_put_end(cw_writer *test, crawl_slice attribute, crawl_slice value)
{
    cw_put_text(test, "substring(");
    cw_put(test, attribute);
    cw_put_text(test, ", string-length(");
    cw_put(test, attribute);
    cw_put_format(test, ") - %zu) = ", cw_utf8_count(value) - 1); /* XPath counts characters, not bytes */
    cw_select_put_literal(test, value);
}

static void put_equal(cw_writer *test, crawl_slice attribute, crawl_slice value)
{
    cw_put(test, attribute);
    cw_put_text(test, " = ");
    cw_select_put_literal(test, value);
}

/* Returns true if the value is empty, or has several words with the operator for one, so that no attribute matches. */
static bool matches_nothing(char sign, crawl_slice value)
{
    return (strchr("~^$*", sign) && !value.size) || (sign == '~' && cw_find_any(value, " \t\n\r\f") < value.size);
}

/* sign: the first character of the operator. attribute: its XPath expression. */
static void put_comparison(cw_writer *test, char sign, crawl_slice attribute, crawl_slice value)
{
    if (matches_nothing(sign, value)) {
        cw_put_text(test, "false()");
    } else if (sign == '~') {
        put_word(test, attribute, value);
    } else if (sign == '^') {
        put_call(test, "starts-with", attribute, value);
    } else if (sign == '*') {
        put_call(test, "contains", attribute, value);
    } else if (sign == '$') {
        select_compound_put_end(test, attribute, value);
    } else if (sign == '|') {
        cw_put_char(test, '(');
        put_equal(test, attribute, value);
        cw_put_text(test, " or starts-with(");
        cw_put(test, attribute);
        cw_put_text(test, ", concat(");
        cw_select_put_literal(test, value);
        cw_put_text(test, ", '-')))");
    } else {
        put_equal(test, attribute, value);
    }
}

/* Reads the "i" or "s" after a value. */
static crawl_err select_compound_read_flag(cw_select_reader *reader, bool *ignores_case)
{
    cw_select_skip(reader);
    const char *at = reader->at;
    if (at >= reader->end || *at == ']')
        return CRAWL_OK;
    *ignores_case = cw_lower((unsigned char)*at) == 'i';
    reader->at++;
    return *ignores_case || cw_lower((unsigned char)*at) == 's'
               ? CRAWL_OK
               : cw_select_fail(reader, at, "expected \"]\", or i or s (ignore case, or match it)");
}

/* Returns the operator's first character. 0: there is none, or *err is set. */
static char read_operator(cw_select_reader *reader, crawl_err *err)
{
    const char *at = reader->at;
    if (cw_select_take(reader, '='))
        return '=';
    if (at >= reader->end || *at == ']')
        return 0;
    bool is_one = strchr("~|^$*", *at) && at + 1 < reader->end && at[1] == '=';
    reader->at += is_one ? 2 : 0;
    if (is_one)
        return *at;
    *err = *at == '|'   ? cw_select_fail(reader, at, "namespaces are not supported: HTML pages have none")
           : *at == '!' ? cw_select_fail(reader, at, "[a!=b] is not CSS: write :not([a=b])")
                        : cw_select_fail(reader, at, "expected \"]\", or one of = ~= |= ^= $= *=");
    return 0;
}

static crawl_err put_ignoring_case(cw_writer *test, char sign, crawl_slice attribute, crawl_buf *value)
{
    crawl_buf lowered = {0};
    crawl_err err =
        crawl_buf_printf(&lowered, "translate(%.*s, " UPPER ", " LOWER ")", (int)attribute.size, attribute.data);
    cw_buf_lower(value);
    cw_put(test, attribute);
    cw_put_text(test, " and ");
    if (!err)
        put_comparison(test, sign, crawl_buf_slice(&lowered), crawl_buf_slice(value));
    crawl_buf_free(&lowered);
    return err ? err : test->err;
}

static crawl_err read_value(cw_select_reader *reader, char sign, crawl_slice attribute, cw_select_compound *compound)
{
    crawl_buf value = {0};
    bool ignores_case = false;
    cw_select_skip(reader);
    crawl_err err = cw_select_string(reader, "a value, in quotes unless it is one word", &value);
    if (!err)
        err = select_compound_read_flag(reader, &ignores_case);
    cw_writer test = cw_select_next_test(compound);
    if (!err && ignores_case) {
        err = put_ignoring_case(&test, sign, attribute, &value);
    } else if (!err) {
        put_comparison(&test, sign, attribute, crawl_buf_slice(&value));
        err = test.err;
    }
    crawl_buf_free(&value);
    return err;
}

static crawl_err read_attribute(cw_select_reader *reader, cw_select_compound *compound)
{
    crawl_buf name = {0};
    crawl_buf attribute = {0};
    cw_writer writer = {.out = &attribute};
    const char *open = reader->at++;
    cw_select_skip(reader);
    crawl_err err = cw_select_name(reader, "the name of an attribute", &name);
    cw_buf_lower(&name);
    cw_select_put_attribute(&writer, crawl_buf_slice(&name));
    cw_select_skip(reader);
    char sign = err ? 0 : read_operator(reader, &err);
    if (!err && sign)
        err = read_value(reader, sign, crawl_buf_slice(&attribute), compound);
    cw_writer test = {.out = &compound->tests};
    if (!err && !sign) {
        test = cw_select_next_test(compound);
        cw_put(&test, crawl_buf_slice(&attribute));
    }
    cw_select_skip(reader);
    if (!err && !cw_select_take(reader, ']'))
        err = cw_select_fail(reader, reader->at, "expected the \"]\" of the \"[\" in column %u",
                             (unsigned)(open - reader->start) + 1);
    crawl_buf_free(&name);
    crawl_buf_free(&attribute);
    return err ? err : writer.err ? writer.err : test.err;
}

/* ---- the compound ---- */

static crawl_err read_class(cw_select_reader *reader, cw_select_compound *compound)
{
    crawl_buf name = {0};
    reader->at++;
    crawl_err err = cw_select_name(reader, "the name of a class", &name);
    cw_writer test = cw_select_next_test(compound);
    cw_put_text(&test, "@class and ");
    put_word(&test, crawl_slice_from("@class"), crawl_buf_slice(&name));
    crawl_buf_free(&name);
    return err ? err : test.err;
}

static crawl_err read_id(cw_select_reader *reader, cw_select_compound *compound)
{
    crawl_buf name = {0};
    reader->at++;
    crawl_err err = cw_select_hash(reader, &name);
    cw_writer test = cw_select_next_test(compound);
    put_equal(&test, crawl_slice_from("@id"), crawl_buf_slice(&name));
    crawl_buf_free(&name);
    return err ? err : test.err;
}

/* Reads the name of an element, or "*", or nothing, which is "*". */
static crawl_err read_node(cw_select_reader *reader, cw_select_compound *compound)
{
    crawl_buf name = {0};
    cw_writer node = {.out = &compound->node};
    crawl_err err = CRAWL_OK;
    if (cw_select_at_name(reader))
        err = cw_select_name(reader, "the name of an element", &name);
    else
        cw_select_take(reader, '*');
    if (!err && cw_select_is_next(reader, '|'))
        err = cw_select_fail(reader, reader->at, "namespaces are not supported: HTML pages have none");
    cw_buf_lower(&name);
    if (name.size)
        select_compound_put_name(&node, crawl_buf_slice(&name));
    else
        cw_put_char(&node, '*');
    crawl_buf_free(&name);
    return err ? err : node.err;
}

/* Reads the next simple selector. *ended: none comes next. */
static crawl_err read_simple(cw_select_reader *reader, cw_select_compound *compound, bool *ended)
{
    cw_select_skip_comments(reader);
    char c = reader->at < reader->end ? *reader->at : '\0';
    if (compound->tail.size && c && strchr(".#[:", c))
        return cw_select_fail(reader, reader->at, "nothing may follow ::text or ::attr()");
    switch (c) {
    case '.':
        return read_class(reader, compound);
    case '#':
        return read_id(reader, compound);
    case '[':
        return read_attribute(reader, compound);
    case ':':
        return cw_select_pseudo_read(reader, compound);
    default:
        *ended = true;
        return CRAWL_OK;
    }
}

crawl_err cw_select_compound_read(cw_select_reader *reader, cw_select_compound *out)
{
    const char *first = reader->at;
    bool ended = false;
    crawl_err err = read_node(reader, out);
    while (!err && !ended) {
        err = read_simple(reader, out, &ended);
        if (!err && out->tests.size > CW_SELECT_MAX_XPATH)
            err = cw_select_fail(reader, first, "the selector is too complex: its XPath is longer than %u bytes",
                                 CW_SELECT_MAX_XPATH);
    }
    if (!err && reader->at == first)
        return reader->at == reader->end
                   ? cw_select_fail(reader, first, "the selector ends where an element should be named")
                   : cw_select_fail(reader, first, "expected a selector, not \"%c\"", *first);
    return err;
}
