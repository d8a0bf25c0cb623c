/* Pseudo-classes and pseudo-elements, in tables. Classes that need a user match nothing: in a page as a server sends it
 * no link was visited, and nothing has the focus. Pseudo-classes of forms and links are the HTML standard's, section
 * 4.16.3. Scrapy's ::text and ::attr(NAME) select a part of an element. */
#include "base/bytes.h"
#include "base/writer.h"
#include "parse/select/select_compound.h"
#include "parse/select/select_read.h"

/* An+B of :nth-child() and the like (CSS Syntax level 3, "the An+B microsyntax"). */

/* The places a * n + b, n from 0 on; places count from 1. */
typedef struct cw_select_nth {
    long a;
    long b;
} cw_select_nth;

/* A number with more digits is treated as this: no element has so many siblings. */
#define MOST 999999999

/* false: there are no digits here, and *out is unchanged. */
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

/* Returns 1, -1, or 0 if there is no sign. */
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

/* Reads "+ 1" after "n", or nothing. */
static crawl_err read_offset(cw_select_reader *reader, cw_select_nth *out)
{
    cw_select_skip(reader);
    int sign = take_sign(reader);
    if (!sign)
        return CRAWL_OK;
    cw_select_skip(reader);
    if (!select_nth_take_digits(reader, &out->b))
        return cw_select_fail(reader, reader->at, "expected a number after the sign");
    out->b *= sign;
    return CRAWL_OK;
}

static crawl_err select_nth_read(cw_select_reader *reader, cw_select_nth *out)
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

/* Writes "count(others)" and its comparison with the place less one. */
static void put_count(cw_writer *writer, crawl_slice others, const char *sign, long place)
{
    cw_put_text(writer, "count(");
    cw_put(writer, others);
    cw_put_format(writer, ") %s %ld", sign, place - 1);
}

/* Writes that the place is b or, in steps of a, more or less. */
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

/* Writes the condition that the node has one of these places among itself and its siblings on one side; others: the
 * expression for those, such as "preceding-sibling::*". */
static void select_nth_put(cw_writer *writer, cw_select_nth nth, crawl_slice others)
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

#define BEFORE "preceding-sibling::"
#define AFTER "following-sibling::"

/* A control or an option that is disabled itself, or by its group, or by a fieldset unless it is in that one's first
 * legend. */
#define CONTROL "(self::button or self::input or self::select or self::textarea or self::fieldset)"
#define IS_FIRST_LEGEND "self::legend and not(preceding-sibling::legend)"
#define DISABLED                                                                                      \
    "(@disabled and (self::optgroup or self::option) or self::option and parent::optgroup/@disabled " \
    "or " CONTROL " and (@disabled or ancestor-or-self::*[not(" IS_FIRST_LEGEND ")]/parent::fieldset/@disabled))"

/* The test of a node for a pseudo-class without an argument. */
static const struct {
    const char *name;
    const char *test;
} plain[] = {
    {"root", "not(parent::*)"},
    {"empty", "not(*) and not(text())"},
    {"first-child", "not(" BEFORE "*)"},
    {"last-child", "not(" AFTER "*)"},
    {"only-child", "not(" BEFORE "*) and not(" AFTER "*)"},
    {"link", "@href and (self::a or self::area)"},
    {"any-link", "@href and (self::a or self::area)"},
    {"checked",
     "(@selected and self::option or @checked and self::input and "
     "(translate(@type, 'CHEKBOX', 'chekbox') = 'checkbox' or translate(@type, 'RADIO', 'radio') = 'radio'))"},
    {"disabled", DISABLED},
    {"enabled", "(" CONTROL " or self::optgroup or self::option) and not" DISABLED},
    {"visited", "false()"},
    {"hover", "false()"},
    {"active", "false()"},
    {"focus", "false()"},
    {"focus-within", "false()"},
    {"focus-visible", "false()"},
    {"target", "false()"},
};

/* ---- arguments ---- */

/* Reads :is, :where, :not, :has; prefix goes before the list. */
static crawl_err select_pseudo_read_list(cw_select_reader *reader, cw_select_compound *compound, const char *prefix,
                                         bool is_relative)
{
    cw_writer test = cw_select_next_test(compound);
    cw_put_text(&test, prefix);
    return test.err ? test.err : reader->list(reader, is_relative, &compound->tests);
}

static crawl_err read_is(cw_select_reader *reader, cw_select_compound *compound)
{
    return select_pseudo_read_list(reader, compound, "", false);
}

static crawl_err read_not(cw_select_reader *reader, cw_select_compound *compound)
{
    return select_pseudo_read_list(reader, compound, "not", false);
}

static crawl_err read_has(cw_select_reader *reader, cw_select_compound *compound)
{
    return select_pseudo_read_list(reader, compound, "", true);
}

static crawl_err read_contains(cw_select_reader *reader, cw_select_compound *compound)
{
    crawl_buf text = {0};
    cw_select_skip(reader);
    crawl_err err = cw_select_string(reader, "a text in quotes", &text);
    cw_writer test = cw_select_next_test(compound);
    cw_put_text(&test, "contains(., ");
    cw_select_put_literal(&test, crawl_buf_slice(&text));
    cw_put_char(&test, ')');
    crawl_buf_free(&text);
    if (!err)
        err = cw_select_close(reader);
    return err ? err : test.err;
}

/* Reads one language range of :lang(): the language of the nearest element that names one must equal it, or begin with
 * it and a hyphen. */
static crawl_err read_language(cw_select_reader *reader, cw_writer *test)
{
    crawl_buf range = {0};
    cw_select_skip(reader);
    crawl_err err = cw_select_string(reader, "a language such as en or de-CH", &range);
    cw_buf_lower(&range);
    if (!err)
        err = crawl_buf_append_char(&range, '-');
    cw_put_text(test, "ancestor-or-self::*[@lang][1][starts-with(concat(translate(@lang, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', "
                      "'abcdefghijklmnopqrstuvwxyz'), '-'), ");
    cw_select_put_literal(test, crawl_buf_slice(&range));
    cw_put_text(test, ")]");
    crawl_buf_free(&range);
    return err ? err : test->err;
}

static crawl_err read_lang(cw_select_reader *reader, cw_select_compound *compound)
{
    cw_writer test = cw_select_next_test(compound);
    cw_put_char(&test, '(');
    crawl_err err = read_language(reader, &test);
    cw_select_skip(reader);
    while (!err && cw_select_take(reader, ',')) {
        cw_put_text(&test, " or ");
        err = read_language(reader, &test);
        cw_select_skip(reader);
    }
    cw_put_char(&test, ')');
    if (!err)
        err = cw_select_close(reader);
    return err ? err : test.err;
}

/* Reads "of S", the selector that the counted siblings match too, into *of. */
static crawl_err read_of(cw_select_reader *reader, crawl_buf *of)
{
    cw_select_skip(reader);
    crawl_slice rest = crawl_slice_of(reader->at, (size_t)(reader->end - reader->at));
    if (!cw_starts_nocase(rest, "of") || rest.size < 3 || !cw_is_space((unsigned char)rest.data[2]))
        return cw_select_close(reader);
    reader->at += 2;
    return reader->list(reader, false, of);
}

static crawl_err read_nth_child(cw_select_reader *reader, cw_select_compound *compound, const char *siblings)
{
    cw_select_nth nth;
    crawl_buf of = {0};
    crawl_buf others = {0};
    crawl_err err = select_nth_read(reader, &nth);
    if (!err)
        err = read_of(reader, &of);
    if (!err)
        err = crawl_buf_printf(&others, of.size ? "%s*[%s]" : "%s*", siblings, of.size ? of.data : "");
    if (!err) {
        cw_writer test = cw_select_next_test(compound);
        cw_put(&test, crawl_buf_slice(&of));
        cw_put_text(&test, of.size ? " and " : "");
        select_nth_put(&test, nth, crawl_buf_slice(&others));
        err = test.err;
    }
    crawl_buf_free(&of);
    crawl_buf_free(&others);
    return err;
}

/* Siblings of its own type: XPath 1.0 can only express that if the type's name is known. */
static crawl_err put_of_type(const cw_select_reader *reader, cw_select_compound *compound, const char *siblings,
                             cw_select_nth nth)
{
    crawl_buf others = {0};
    if (compound->node.data[0] == '*' && compound->node.size == 1)
        return cw_select_fail(reader, reader->at,
                              "a pseudo-class \"of type\" needs the element's name before it, as p:first-of-type");
    crawl_err err = crawl_buf_printf(&others, "%s%s", siblings, compound->node.data);
    if (!err) {
        cw_writer test = cw_select_next_test(compound);
        select_nth_put(&test, nth, crawl_buf_slice(&others));
        err = test.err;
    }
    crawl_buf_free(&others);
    return err;
}

static crawl_err read_nth_of_type(cw_select_reader *reader, cw_select_compound *compound, const char *siblings)
{
    cw_select_nth nth;
    crawl_err err = select_nth_read(reader, &nth);
    if (!err)
        err = cw_select_close(reader);
    return err ? err : put_of_type(reader, compound, siblings, nth);
}

static crawl_err read_nth(cw_select_reader *reader, cw_select_compound *compound)
{
    return read_nth_child(reader, compound, BEFORE);
}

static crawl_err read_nth_last(cw_select_reader *reader, cw_select_compound *compound)
{
    return read_nth_child(reader, compound, AFTER);
}

static crawl_err read_nth_type(cw_select_reader *reader, cw_select_compound *compound)
{
    return read_nth_of_type(reader, compound, BEFORE);
}

static crawl_err read_nth_last_type(cw_select_reader *reader, cw_select_compound *compound)
{
    return read_nth_of_type(reader, compound, AFTER);
}

static const struct {
    const char *name;
    crawl_err (*read)(cw_select_reader *reader, cw_select_compound *compound);
} functions[] = {
    {"is", read_is},
    {"where", read_is},
    {"not", read_not},
    {"has", read_has},
    {"contains", read_contains},
    {"lang", read_lang},
    {"nth-child", read_nth},
    {"nth-last-child", read_nth_last},
    {"nth-of-type", read_nth_type},
    {"nth-last-of-type", read_nth_last_type},
};

/* ---- names ---- */

/* first-of-type, last-of-type, only-of-type; *known: it is one of them. */
static crawl_err select_pseudo_put_type(const cw_select_reader *reader, crawl_slice name, cw_select_compound *compound,
                                        bool *known)
{
    const cw_select_nth first = {.b = 1};
    bool is_only = cw_is(name, "only-of-type");
    bool is_first = is_only || cw_is(name, "first-of-type");
    bool is_last = is_only || cw_is(name, "last-of-type");
    *known = is_first || is_last;
    crawl_err err = is_first ? put_of_type(reader, compound, BEFORE, first) : CRAWL_OK;
    return !err && is_last ? put_of_type(reader, compound, AFTER, first) : err;
}

static crawl_err select_pseudo_put_plain(const cw_select_reader *reader, const char *at, crawl_slice name,
                                         cw_select_compound *compound)
{
    bool known = cw_is(name, "scope");
    compound->is_scope = compound->is_scope || known;
    for (size_t i = 0; i < sizeof plain / sizeof *plain && !known; i++)
        if (cw_is(name, plain[i].name)) {
            cw_writer test = cw_select_next_test(compound);
            cw_put_text(&test, plain[i].test);
            return test.err;
        }
    crawl_err err = known ? CRAWL_OK : select_pseudo_put_type(reader, name, compound, &known);
    return known ? err : cw_select_fail(reader, at, "unknown pseudo-class \":%.*s\"", (int)name.size, name.data);
}

static crawl_err read_function(cw_select_reader *reader, const char *at, crawl_slice name, cw_select_compound *compound)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (cw_is(name, functions[i].name))
            return functions[i].read(reader, compound);
    return cw_select_fail(reader, at, "unknown pseudo-class \":%.*s()\"", (int)name.size, name.data);
}

static crawl_err read_attribute_of(cw_select_reader *reader, cw_select_compound *compound)
{
    crawl_buf name = {0};
    cw_writer tail = {.out = &compound->tail};
    cw_select_skip(reader);
    crawl_err err = cw_select_name(reader, "the name of an attribute", &name);
    cw_buf_lower(&name);
    cw_put_char(&tail, '/');
    cw_select_put_attribute(&tail, crawl_buf_slice(&name));
    crawl_buf_free(&name);
    if (!err)
        err = cw_select_close(reader);
    return err ? err : tail.err;
}

static crawl_err read_element(cw_select_reader *reader, const char *at, crawl_slice name, cw_select_compound *compound)
{
    bool has_argument = cw_select_take(reader, '(');
    if (cw_is(name, "text") && !has_argument)
        return crawl_buf_append_text(&compound->tail, "/text()");
    if (cw_is(name, "attr") && has_argument)
        return read_attribute_of(reader, compound);
    return cw_select_fail(reader, at, "unknown pseudo-element \"::%.*s%s\"; known are ::text and ::attr(NAME)",
                          (int)name.size, name.data, has_argument ? "()" : "");
}

crawl_err cw_select_pseudo_read(cw_select_reader *reader, cw_select_compound *compound)
{
    const char *at = reader->at++;
    bool is_element = cw_select_take(reader, ':');
    crawl_buf text = {0};
    crawl_err err = cw_select_name(reader, "the name of a pseudo-class", &text);
    cw_buf_lower(&text);
    crawl_slice name = crawl_buf_slice(&text);
    if (!err && is_element)
        err = read_element(reader, at, name, compound);
    else if (!err && cw_select_take(reader, '('))
        err = read_function(reader, at, name, compound);
    else if (!err)
        err = select_pseudo_put_plain(reader, at, name, compound);
    crawl_buf_free(&text);
    return err;
}
