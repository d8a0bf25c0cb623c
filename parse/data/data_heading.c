#include "parse/data/data_heading.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "parse/html/html_reference.h"
#include "parse/text/text_element.h"
#include "parse/text/text_shift.h"

#define IS_AMONG(name, names) cw_is_among(name, names, sizeof(names) / sizeof *(names))

/* --- kinds of elements (HTML standard, 13.2.4 and 13.2.6.4.7) --- */

static bool is_heading(crawl_slice name)
{
    return name.size == 2 && (name.data[0] | 0x20) == 'h' && name.data[1] >= '1' && name.data[1] <= '6';
}

/* Returns true for elements whose start tag has no effect inside a body. */
static bool is_ignored(crawl_slice name)
{
    static const char *const names[] = {"html", "head", "body", "frameset"};
    return IS_AMONG(name, names);
}

/* Returns true for elements that occur only in a table. */
static bool data_heading_is_of_table(crawl_slice name)
{
    static const char *const names[] = {"td", "th", "tr", "tbody", "thead", "tfoot", "caption", "colgroup"};
    return IS_AMONG(name, names);
}

/* Returns true for elements that end the search for an open element. */
static bool is_barrier(crawl_slice name)
{
    static const char *const names[] = {"td", "th", "caption", "table", "template", "applet", "marquee", "object"};
    return IS_AMONG(name, names);
}

/* Returns true for elements whose end tag also ends everything in them. */
static bool is_block(crawl_slice name)
{
    static const char *const names[] = {
        "address", "article", "aside", "blockquote", "button", "center",     "dd",       "details", "dialog",  "dir",
        "div",     "dl",      "dt",    "footer",     "figure", "figcaption", "fieldset", "header",  "hgroup",  "li",
        "listing", "main",    "menu",  "nav",        "ol",     "pre",        "search",   "section", "summary", "ul"};
    return IS_AMONG(name, names) || data_heading_is_of_table(name) || is_barrier(name);
}

/* Returns true for elements whose start tag ends a paragraph. */
static bool ends_paragraph(crawl_slice name)
{
    static const char *const names[] = {"p", "form", "hr", "table", "xmp"};
    return IS_AMONG(name, names) || (is_block(name) && !is_barrier(name) && !cw_is_nocase(name, "button"));
}

/* Returns true for elements that end without ending the elements in them. */
static bool is_loose(crawl_slice name)
{
    static const char *const names[] = {"a",    "b",     "big",    "code",   "em", "font", "form", "i",
                                        "nobr", "small", "strike", "strong", "s",  "tt",   "u"};
    return IS_AMONG(name, names);
}

static bool data_heading_is_silent(crawl_slice name)
{
    static const char *const names[] = {"script", "style", "template"};
    return IS_AMONG(name, names);
}

/* --- open elements --- */

/* Ends the elements from this one on. */
static crawl_err data_heading_pop_to(cw_data_facts *facts, unsigned depth)
{
    crawl_err err = CRAWL_OK;
    while (facts->depth > depth && !err) {
        const cw_data_open *open = &facts->open[--facts->depth];
        crawl_slice text = crawl_buf_slice(&facts->heading);
        err = cw_data_facts_set(facts, open->fact, cw_drop(text, open->start));
    }
    if (!facts->depth) {
        crawl_buf_clear(&facts->heading);
        facts->is_full = facts->is_shifted = false;
    }
    return err;
}

typedef enum found { FOUND, NOT_OPEN, BEHIND_BARRIER } found;

/* Searches for an open element from the innermost one on; parts of a table are found through its cells. *at: its
 * place. */
static found data_heading_find(const cw_data_facts *facts, crawl_slice name, unsigned *at)
{
    bool is_any_heading = is_heading(name);
    bool is_table = data_heading_is_of_table(name) || cw_is_nocase(name, "table");
    for (*at = facts->depth; (*at)--;) {
        crawl_slice open = facts->open[*at].name;
        if (is_any_heading ? is_heading(open) : cw_equal_nocase(open, name))
            return FOUND;
        if (is_table ? cw_is_nocase(open, "table") || cw_is_nocase(open, "template") : is_barrier(open))
            return BEHIND_BARRIER;
    }
    return NOT_OPEN;
}

static crawl_err pop_where_open(cw_data_facts *facts, crawl_slice name)
{
    unsigned at;
    return data_heading_find(facts, name, &at) == FOUND ? data_heading_pop_to(facts, at) : CRAWL_OK;
}

static crawl_err data_heading_push(cw_data_facts *facts, const cw_html_token *token)
{
    cw_data_open open = {.name = token->tag.name, .fact = UINT32_MAX, .start = (uint32_t)facts->heading.size};
    bool is_silent_here = data_heading_is_silent(open.name) || (facts->depth && facts->open[facts->depth - 1].silent);
    crawl_err err = CRAWL_OK;
    if (facts->depth == CW_DATA_MAX_OPEN)
        return CRAWL_OK;
    if (cw_is_nocase(open.name, "h1") && !token->in_template)
        err = cw_data_facts_add(facts, CW_DATA_HEADING, (crawl_slice){0}, (crawl_slice){0}, &open.fact);
    open.silent = is_silent_here;
    facts->open[facts->depth++] = open;
    return err;
}

/* --- tags --- */

/* Returns true if the element is closed where it begins. */
static bool data_heading_is_closed(const cw_data_facts *facts, const cw_html_token *token)
{
    return cw_html_is_void(token->tag.name) || (token->self_closing && facts->xml);
}

/* A heading ends a paragraph, and the innermost element if that is a heading. */
static crawl_err before_heading(cw_data_facts *facts)
{
    crawl_err err = pop_where_open(facts, crawl_slice_of("p", 1));
    bool is_inside = !err && facts->depth && is_heading(facts->open[facts->depth - 1].name);
    return is_inside ? data_heading_pop_to(facts, facts->depth - 1) : err;
}

/* A part of a table ends the cell before it, a row the row, and so on. If no table began inside the heading, the part
 * belongs to the table around it, and ends the heading. */
static crawl_err before_part(cw_data_facts *facts, crawl_slice name)
{
    static const char *const ended[] = {"td", "th", "caption", "colgroup", "tr", "tbody", "thead", "tfoot"};
    const size_t cells = 4, rows = 5, all = sizeof ended / sizeof *ended;
    bool is_cell = cw_is_nocase(name, "td") || cw_is_nocase(name, "th");
    size_t count = is_cell ? cells : cw_is_nocase(name, "tr") ? rows : all;
    crawl_err err = CRAWL_OK;
    unsigned at;
    if (data_heading_find(facts, crawl_slice_of("table", 5), &at) == NOT_OPEN)
        return data_heading_pop_to(facts, 0);
    for (size_t i = 0; i < count && !err; i++)
        err = pop_where_open(facts, crawl_slice_from(ended[i]));
    return err;
}

static crawl_err data_heading_before(cw_data_facts *facts, crawl_slice name)
{
    if (is_heading(name))
        return before_heading(facts);
    if (data_heading_is_of_table(name))
        return before_part(facts, name);
    return ends_paragraph(name) ? pop_where_open(facts, crawl_slice_of("p", 1)) : CRAWL_OK;
}

static crawl_err data_heading_open_tag(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice name = token->tag.name;
    crawl_err err = data_heading_before(facts, name);
    bool begins = cw_data_heading_is_open(facts) || cw_is_nocase(name, "h1");
    return err || !begins || is_ignored(name) || data_heading_is_closed(facts, token) ? err
                                                                                      : data_heading_push(facts, token);
}

/* Returns true for a tag of SVG or MathML. Their elements are not tracked, but the text of some does not belong to the
 * heading. */
static bool is_foreign(cw_data_facts *facts, const cw_html_token *token)
{
    crawl_slice name = token->tag.name;
    const cw_html_element *element = cw_html_element_named(name, true);
    bool leaves = token->html || (element && (element->flags & CW_EL_LEAVES_FOREIGN));
    facts->is_silent = !leaves && !token->tag.closing && !token->self_closing && data_heading_is_silent(name);
    return !token->tag.closing && (!leaves || cw_is_nocase(name, "svg") || cw_is_nocase(name, "math"));
}

/* Removes one open element; those in it stay. */
static void remove_open(cw_data_facts *facts, unsigned at)
{
    size_t behind = facts->depth - at - 1;
    memmove(&facts->open[at], &facts->open[at + 1], behind * sizeof *facts->open);
    facts->depth--;
}

/* Takes the end tag of an element that decides nothing. */
static crawl_err close_other(cw_data_facts *facts, crawl_slice name)
{
    for (unsigned at = facts->depth; at--;) {
        crawl_slice open = facts->open[at].name;
        if (cw_equal_nocase(open, name))
            return data_heading_pop_to(facts, at);
        if (is_heading(open) || is_block(open) || cw_is_nocase(open, "p"))
            break;
    }
    return CRAWL_OK;
}

static crawl_err data_heading_close_tag(cw_data_facts *facts, crawl_slice name)
{
    unsigned at;
    if (is_ignored(name)) /* content after </body> is read as if it came before */
        return CRAWL_OK;
    if (is_heading(name) || cw_is_nocase(name, "p"))
        return pop_where_open(facts, name);
    if (is_loose(name)) {
        if (data_heading_find(facts, name, &at) == FOUND)
            remove_open(facts, at);
        return CRAWL_OK;
    }
    if (!is_block(name))
        return close_other(facts, name);
    found where = data_heading_find(facts, name, &at);
    bool is_none = where == BEHIND_BARRIER || (where == NOT_OPEN && cw_is_nocase(name, "template"));
    return is_none ? CRAWL_OK : data_heading_pop_to(facts, where == FOUND ? at : 0);
}

/* Blocks and line breaks in a heading end words. */
static crawl_err end_word(cw_data_facts *facts, crawl_slice name)
{
    const cw_text_element *element = cw_text_element_named(name);
    bool ends = cw_text_ends_word(element);
    facts->is_shifted = facts->is_shifted || cw_text_is_shifted(element);
    bool is_heard = facts->depth && !facts->open[facts->depth - 1].silent && facts->heading.size && !facts->is_full;
    return ends && is_heard ? crawl_buf_append_char(&facts->heading, ' ') : CRAWL_OK;
}

crawl_err cw_data_heading_tag(cw_data_facts *facts, const cw_html_token *token)
{
    if (end_word(facts, token->tag.name))
        return CRAWL_ENOMEM;
    if (is_foreign(facts, token))
        return CRAWL_OK;
    return token->tag.closing ? data_heading_close_tag(facts, token->tag.name) : data_heading_open_tag(facts, token);
}

/* --- text --- */

/* Returns true if the next text belongs to the heading, and there is room for it. */
static bool takes_text(const cw_data_facts *facts)
{
    bool is_heard = facts->depth && !facts->is_silent && !facts->open[facts->depth - 1].silent;
    return is_heard && !facts->is_full;
}

static void data_heading_cut(cw_data_facts *facts)
{
    crawl_buf *text = &facts->heading;
    if (text->size <= CRAWL_DATA_MAX_VALUE)
        return;
    facts->is_cut = facts->is_full = true;
    text->size = cw_utf8_cut(crawl_buf_slice(text), CRAWL_DATA_MAX_VALUE).size;
}

/* Separates the text from `at` on from a number before it, if it is above or below the line. */
static crawl_err part_number(cw_data_facts *facts, size_t at)
{
    crawl_buf *text = &facts->heading;
    crawl_slice added = cw_drop(crawl_buf_slice(text), at);
    bool parts = cw_text_shift_parts(&facts->is_shifted, crawl_slice_of(text->data, at), added);
    crawl_err err = parts ? crawl_buf_append_char(text, ' ') : CRAWL_OK;
    if (!parts || err)
        return err;
    memmove(text->data + at + 1, text->data + at, added.size);
    text->data[at] = ' ';
    return CRAWL_OK;
}

crawl_err cw_data_heading_text(cw_data_facts *facts, crawl_slice raw)
{
    size_t at = facts->heading.size;
    if (!takes_text(facts))
        return CRAWL_OK;
    crawl_err err = cw_html_decode(&facts->heading, cw_utf8_cut(raw, CW_HTML_MAX_RAW_VALUE), CW_IN_TEXT);
    if (!err)
        err = part_number(facts, at);
    if (!err)
        data_heading_cut(facts);
    return err;
}

crawl_err cw_data_heading_cdata(cw_data_facts *facts, crawl_slice text)
{
    if (!takes_text(facts))
        return CRAWL_OK;
    text = cw_utf8_cut(text, CW_HTML_MAX_RAW_VALUE);
    crawl_err err = crawl_buf_append(&facts->heading, text.data, text.size);
    if (!err)
        data_heading_cut(facts);
    return err;
}

crawl_err cw_data_heading_end(cw_data_facts *facts)
{
    return data_heading_pop_to(facts, 0);
}
