#include "parse/text/text_formula.h"

#include "base/bytes.h"
#include "parse/html/html_element.h"

void cw_text_formula_begin(cw_text_writer *writer)
{
    writer->formula.is_open = true;
    writer->formula.space = writer->space;
    writer->formula.line = writer->line;
    writer->formula.at = writer->out->size;
    writer->formula.signs = writer->signs.count;
    writer->formula.words = writer->words;
    writer->formula.link_words = writer->link_words;
    writer->formula.depth = 0;
    writer->formula.sign_end = writer->formula.apart_at = 0;
}

bool cw_text_formula_drop(cw_text_writer *writer)
{
    bool is_open = writer->formula.is_open;
    for (unsigned i = 0; i < writer->mark_count; i++)
        is_open = is_open && !(writer->marks[i].kind == CW_MARK_LINK && writer->marks[i].written &&
                               writer->marks[i].at > writer->formula.at);
    cw_text_formula_end(writer);
    if (!is_open)
        return false;
    cw_text_writer_cut(writer, writer->formula.at, writer->formula.signs);
    writer->space = writer->formula.space;
    writer->line = writer->formula.line;
    writer->words = writer->formula.words;
    writer->link_words = writer->formula.link_words;
    return true;
}

/* --- elements --- */

/* The elements whose children are told apart, with what comes before the second and the third. The first row stands
 * for all others. */
static const struct {
    const char *name;
    const char *second;
    const char *third;
} layouts[] = {
    {"", "", ""},          {"mfrac", "/", ""},  {"msub", "_", ""},  {"msup", "^", ""},
    {"msubsup", "_", "^"}, {"munder", "_", ""}, {"mover", "^", ""}, {"munderover", "_", "^"},
    {"mroot", "^(1/", ""}, {"msqrt", "", ""},   {"mtr", " ", " "},  {"mtable", "; ", "; "},
};

enum {
    FRACTION = 1,
    FIRST_LIMITS = 5,
    LAST_LIMITS = 7,
    ROOT = 8,
    SQUARE_ROOT = 9,
    ROW = 10,
    LAYOUTS = sizeof layouts / sizeof *layouts
};

#define ROOT_SIGN "\xe2\x88\x9a"

static uint8_t layout_of(crawl_slice name)
{
    uint8_t at = LAYOUTS - 1;
    while (at && !cw_is_nocase(name, layouts[at].name))
        at--;
    return at;
}

static crawl_err text_formula_sign(cw_text_writer *writer, const char *sign)
{
    writer->space = writer->space && writer->out->size == writer->formula.at; /* before the formula */
    crawl_err err = cw_text_writer_add(writer, crawl_slice_from(sign));
    writer->formula.sign_end = writer->space ? 0 : writer->out->size;
    return err;
}

/* Returns what comes before the next child. An accent directly follows its letter. */
static const char *text_formula_sign_before(cw_text_part *part, crawl_slice child)
{
    bool may_be_accent = part->layout >= FIRST_LIMITS && part->layout < LAST_LIMITS; /* one limit */
    unsigned at = ++part->children;
    if (at < 2 || (at > 3 && part->layout < ROW) || (may_be_accent && cw_is_nocase(child, "mo")))
        return "";
    return at == 2 ? layouts[part->layout].second : layouts[part->layout].third;
}

/* Parts a fraction from the digits before it, and an operand from a fraction or limits before it. */
static void text_formula_part(cw_text_writer *writer, uint8_t layout, bool is_operand)
{
    const crawl_buf *out = writer->out;
    bool is_behind = is_operand && out->size == writer->formula.apart_at;
    bool is_after_digit =
        layout == FRACTION && !cw_text_writer_is_empty(writer) && cw_is_digit((unsigned char)out->data[out->size - 1]);
    if (is_behind || is_after_digit)
        cw_text_writer_space(writer);
}

crawl_err cw_text_formula_take_start(cw_text_writer *writer, crawl_slice name, bool is_barless)
{
    static const char *const tokens[] = {"mi", "mn", "mo", "ms", "mtext"};
    cw_text_part *parts = writer->formula.parts;
    unsigned depth = writer->formula.depth;
    uint8_t layout = layout_of(name);
    bool is_token = cw_is_among(name, tokens, sizeof tokens / sizeof *tokens);
    const char *sign = depth ? text_formula_sign_before(&parts[depth - 1], name) : "";
    crawl_err err = *sign ? text_formula_sign(writer, sign) : CRAWL_OK;
    text_formula_part(writer, layout, layout || (is_token && !cw_is_nocase(name, "mo")));
    if (writer->out->size == writer->formula.sign_end)
        writer->space = false;
    if (depth < CW_TEXT_MAX_PARTS && !cw_html_is_void(name)) {
        parts[depth] = (cw_text_part){.name = name, .tokens = is_token, .at = writer->out->size};
        parts[depth].layout = layout == FRACTION && is_barless ? ROW : layout;
        writer->formula.depth++;
    }
    return err || layout != SQUARE_ROOT ? err : text_formula_sign(writer, ROOT_SIGN);
}

/* Puts the text from `start` on, except `before`, in parentheses. */
static crawl_err text_formula_group(cw_text_writer *writer, size_t start, const char *before)
{
    crawl_buf *out = writer->out;
    cw_text_marking *signs = &writer->signs;
    start += start < out->size && out->data[start] == ' ';
    for (unsigned i = 0; i < writer->mark_count; i++)
        if (writer->marks[i].kind == CW_MARK_LINK && writer->marks[i].written && writer->marks[i].at > start)
            start = writer->marks[i].at;
    if (start >= out->size)
        return CRAWL_OK;
    start += cw_starts_with(cw_drop(crawl_buf_slice(out), start), before) ? strlen(before) : 0;
    size_t size = out->size - start;
    bool is_markup = writer->markdown && start > writer->start && out->data[start - 1] == ']';
    const char *sign = is_markup ? "\\(" : "(";
    crawl_err err = crawl_buf_append_text(out, sign);
    if (err)
        return err;
    memmove(out->data + start + strlen(sign), out->data + start, size);
    memcpy(out->data + start, sign, strlen(sign));
    for (size_t i = signs->count; i && signs->list[i - 1].at > start; i--)
        signs->list[i - 1].at += strlen(sign);
    return text_formula_sign(writer, ")");
}

/* Ends the innermost element, in parentheses if it is more than one token and the element around it needs that. */
static crawl_err text_formula_pop(cw_text_writer *writer)
{
    cw_text_part part = writer->formula.parts[--writer->formula.depth];
    cw_text_part *around = writer->formula.depth ? &writer->formula.parts[writer->formula.depth - 1] : NULL;
    crawl_err err = CRAWL_OK;
    if (part.layout == ROOT && part.children > 1)
        err = text_formula_sign(writer, ")");
    if (part.layout == SQUARE_ROOT && part.tokens > 1)
        err = text_formula_group(writer, part.at, ROOT_SIGN);
    part.tokens += part.layout == SQUARE_ROOT;
    if (around && around->layout && around->layout < SQUARE_ROOT && part.tokens > 1 && !err)
        err = text_formula_group(writer, part.at, "");
    if (around)
        around->tokens += part.tokens;
    if (part.layout == FRACTION || (part.layout >= FIRST_LIMITS && part.layout <= LAST_LIMITS))
        writer->formula.apart_at = writer->out->size;
    return err;
}

crawl_err cw_text_formula_take_end(cw_text_writer *writer, crawl_slice name)
{
    crawl_err err = CRAWL_OK;
    unsigned at = writer->formula.depth;
    while (at && !cw_equal_nocase(writer->formula.parts[at - 1].name, name))
        at--;
    while (at && writer->formula.depth >= at && !err)
        err = text_formula_pop(writer);
    return err;
}
