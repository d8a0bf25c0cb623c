#include "crawler/program/manual/man.h"

#include "base/bytes.h"
#include "base/writer.h"

/* Writes roff with the man macros: paragraphs, items and literal lines. It notices where one ends and the next begins,
 * so that callers pass one line after the other. */

typedef enum cw_program_roff_mode {
    CW_ROFF_NONE,
    CW_ROFF_PARAGRAPH,
    CW_ROFF_ITEM,
    CW_ROFF_LITERAL
} cw_program_roff_mode;

typedef struct cw_program_roff {
    cw_writer to;
    cw_program_roff_mode mode; /* of the last line */
} cw_program_roff;

/* Returns the escape of a character that roff would interpret, or print as a typographic one; NULL: none. */
static const char *roff_escape_of(char c)
{
    switch (c) {
    case '\\':
        return "\\e";
    case '-':
        return "\\-";
    case '\'':
        return "\\(aq";
    case '`':
        return "\\(ga";
    case '^':
        return "\\(ha";
    case '~':
        return "\\(ti";
    default:
        return NULL;
    }
}

/* Writes a text, and escapes everything that roff would interpret. */
static void program_roff_text(cw_program_roff *roff, crawl_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        const char *escape = roff_escape_of(text.data[i]);
        cw_put(&roff->to, escape ? crawl_slice_from(escape) : crawl_slice_of(&text.data[i], 1));
    }
}

/* Writes a line. A leading dot would be a request of roff, a leading blank a break. */
static void program_roff_line(cw_program_roff *roff, crawl_slice text)
{
    if (text.size && (text.data[0] == '.' || text.data[0] == ' '))
        cw_put_text(&roff->to, "\\&");
    program_roff_text(roff, text);
    cw_put_text(&roff->to, "\n");
}

/* Ends a paragraph, an item or literal lines. */
static void program_roff_end(cw_program_roff *roff)
{
    if (roff->mode == CW_ROFF_LITERAL)
        cw_put_text(&roff->to, ".fi\n.RE\n");
    roff->mode = CW_ROFF_NONE;
}

static void program_roff_literal(cw_program_roff *roff, crawl_slice text)
{
    if (roff->mode != CW_ROFF_LITERAL)
        cw_put_text(&roff->to, ".PP\n.RS 4\n.nf\n");
    roff->mode = CW_ROFF_LITERAL;
    program_roff_line(roff, text);
}

/* Writes a line of a paragraph; it continues the paragraph of the line before. */
static void program_roff_paragraph(cw_program_roff *roff, crawl_slice text)
{
    if (roff->mode != CW_ROFF_PARAGRAPH) {
        program_roff_end(roff);
        cw_put_text(&roff->to, ".PP\n");
    }
    roff->mode = CW_ROFF_PARAGRAPH;
    program_roff_line(roff, text);
}

/* Begins an item; its words follow as lines. */
static void program_roff_item(cw_program_roff *roff, crawl_slice tag)
{
    program_roff_end(roff);
    cw_put_text(&roff->to, ".TP\n\\fB");
    program_roff_text(roff, tag);
    cw_put_text(&roff->to, "\\fR\n");
    roff->mode = CW_ROFF_ITEM;
}

static void program_roff_section(cw_program_roff *roff, crawl_slice name)
{
    program_roff_end(roff);
    cw_put_text(&roff->to, ".SH ");
    program_roff_line(roff, name);
}

/* Writes the title line and the section NAME. name: "crawl-url" */
static void program_roff_page(cw_program_roff *roff, const char *name, int section, const char *summary)
{
    cw_put_text(&roff->to, ".TH \"");
    for (const char *c = name; *c; c++)
        cw_put_char(&roff->to, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
    cw_put_format(&roff->to, "\" %d \"\" \"crawl %s\" \"crawl\"\n.nh\n.ad l\n", section, crawl_version());
    program_roff_section(roff, crawl_slice_from("NAME"));
    program_roff_text(roff, crawl_slice_from(name));
    cw_put_text(&roff->to, " \\- ");
    program_roff_line(roff, crawl_slice_from(summary));
}

static size_t indent_of(crawl_slice line)
{
    size_t indent = 0;
    while (indent < line.size && line.data[indent] == ' ')
        indent++;
    return indent;
}

/* --- help texts --- */

typedef struct help {
    cw_program_roff roff;
    size_t width;  /* of the longest line */
    size_t column; /* where the words of the present item begin; 0: unknown */
    size_t end;    /* of the item's last line */
    size_t indent; /* of that line */
} help;

/* "TAG  words", or a tag alone. */
static void begin_item(help *h, crawl_slice line, size_t indent)
{
    crawl_slice text = cw_drop(line, indent);
    size_t tag = cw_find_text(text, "  ");
    program_roff_item(&h->roff, crawl_slice_of(text.data, tag));
    h->column = 0;
    h->end = h->width; /* the tag has a line of its own */
    h->indent = 0;
    if (tag == text.size)
        return;
    h->column = indent + tag + indent_of(cw_drop(text, tag));
    h->indent = h->column;
    h->end = line.size;
    program_roff_line(&h->roff, cw_drop(line, h->column));
}

/* Returns true if the last line was ended although the first word of this one would have fitted. Then the text does not
 * flow. */
static bool was_ended(const help *h, crawl_slice text)
{
    enum { SLACK = 8 };
    return h->end + 1 + cw_find_text(text, " ") + SLACK < h->width;
}

static void go_on_with_item(help *h, crawl_slice line, size_t indent)
{
    if (!h->column)
        h->column = indent;
    bool is_set_in = indent != h->indent && h->indent;
    if (is_set_in || was_ended(h, cw_drop(line, indent)))
        cw_put_text(&h->roff.to, ".br\n");
    h->indent = indent;
    h->end = line.size;
    program_roff_line(&h->roff, cw_drop(line, indent < h->column ? indent : h->column));
}

static void take_indented(help *h, crawl_slice line, size_t indent)
{
    enum { MARGIN = 2 };
    crawl_slice text = cw_drop(line, indent);
    bool has_words = cw_find_text(text, "  ") < text.size;
    if (indent == MARGIN && (has_words || text.data[0] == '-'))
        begin_item(h, line, indent);
    else if (h->roff.mode == CW_ROFF_ITEM && indent > MARGIN)
        go_on_with_item(h, line, indent);
    else
        program_roff_literal(&h->roff, text);
}

static void take_help_line(help *h, crawl_slice line)
{
    static const char status[] = "Exit status: ";
    size_t indent = indent_of(line);
    size_t status_at = indent ? line.size : cw_find_text(line, status);
    if (indent == line.size) {
        program_roff_end(&h->roff);
    } else if (status_at < line.size) {
        if (status_at)
            program_roff_paragraph(&h->roff, crawl_slice_of(line.data, status_at));
        program_roff_section(&h->roff, crawl_slice_from("EXIT STATUS"));
        program_roff_paragraph(&h->roff, cw_drop(line, status_at + sizeof status - 1));
    } else if (indent) {
        take_indented(h, line, indent);
    } else {
        program_roff_paragraph(&h->roff, line);
    }
}

/* Takes the line that begins with "usage:", and the lines indented below it. */
static void take_usage(cw_program_roff *roff, crawl_slice *text)
{
    static const char word[] = "usage: ";
    static const char under[] = "       ";
    if (!cw_starts_with(*text, word))
        return;
    program_roff_section(roff, crawl_slice_from("SYNOPSIS"));
    cw_put_text(&roff->to, ".nf\n");
    while (cw_starts_with(*text, word) || cw_starts_with(*text, under))
        program_roff_line(roff, cw_drop(cw_cut_line(text), sizeof word - 1));
    cw_put_text(&roff->to, ".fi\n");
}

static size_t man_width_of(crawl_slice text)
{
    size_t width = 0;
    while (text.size) {
        size_t size = cw_cut_line(&text).size;
        width = size > width ? size : width;
    }
    return width;
}

crawl_err cw_program_man_of_help(const cw_program_man_page *page, crawl_buf *out)
{
    crawl_slice text = crawl_slice_from(page->text);
    help h = {.roff = {.to = {.out = out}}, .width = man_width_of(text)};
    program_roff_page(&h.roff, page->name, page->section, page->summary);
    take_usage(&h.roff, &text);
    program_roff_section(&h.roff, crawl_slice_from("DESCRIPTION"));
    while (text.size)
        take_help_line(&h, cw_cut_line(&text));
    program_roff_end(&h.roff);
    return h.roff.to.err;
}

/* --- the configuration --- */

static const char config_intro[] =
    "A file of sections and settings, read from ./crawler.conf or from what --config names; "
    "options of the command line go before it. "
    "\"crawl --print-config\" prints one with the settings in effect. An unknown section or "
    "setting, and a value that is not of its type or "
    "out of its range, is an error that names file, line and column.";

/* Comment lines without their marks, up to a blank line or to the setting they describe. */
typedef struct block {
    crawl_slice lines[64];
    size_t count;
} block;

static void take_comments(crawl_slice *text, block *out)
{
    enum { MOST = sizeof out->lines / sizeof *out->lines };
    out->count = 0;
    while (cw_starts_with(*text, "#")) {
        crawl_slice line = cw_cut_line(text);
        if (out->count < MOST)
            out->lines[out->count++] = cw_drop(line, cw_starts_with(line, "# ") ? 2 : 1);
    }
}

/* Puts the description of a setting, and then its values on a line of their own. */
static void man_put_setting(cw_program_roff *roff, crawl_slice name, const block *about)
{
    program_roff_item(roff, name);
    for (size_t i = 0; i < about->count; i++) {
        if (i && i + 1 == about->count)
            cw_put_text(&roff->to, ".br\n");
        program_roff_line(roff, about->lines[i]);
    }
}

/* Takes "what it takes: NAME = RE": an empty list. */
static bool man_put_list(cw_program_roff *roff, block *about)
{
    crawl_slice *last = &about->lines[about->count - 1];
    size_t colon = cw_find_text(*last, ": ");
    if (cw_find_text(*last, " = ") == last->size || colon == last->size)
        return false;
    crawl_slice name = cw_drop(*last, colon + 2);
    last->size = colon;
    man_put_setting(roff, crawl_slice_of(name.data, cw_find_text(name, " ")), about);
    return true;
}

/* Takes "[NAME]: words", then "  NAME: words" for each setting: a section that may occur many times. */
static void man_put_lines(cw_program_roff *roff, const block *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        crawl_slice line = lines->lines[i];
        size_t colon = cw_find_text(line, ": ");
        if (cw_starts_with(line, "[") && colon < line.size) {
            program_roff_section(roff, crawl_slice_of(line.data, colon));
            program_roff_paragraph(roff, cw_drop(line, colon + 2));
        } else if (cw_starts_with(line, "  ") && colon < line.size) {
            program_roff_item(roff, crawl_slice_of(line.data + 2, colon - 2));
            program_roff_line(roff, cw_drop(line, colon + 2));
        } else {
            program_roff_paragraph(roff, line);
        }
    }
}

/* Takes a section with its comments, a setting with the comments before it, or only comments. */
static void man_take_block(cw_program_roff *roff, crawl_slice *text)
{
    block about;
    if (cw_starts_with(*text, "[")) {
        program_roff_section(roff, cw_cut_line(text));
        take_comments(text, &about);
        man_put_lines(roff, &about);
        return;
    }
    take_comments(text, &about);
    crawl_slice line = cw_cut_line(text);
    if (line.size)
        man_put_setting(roff, crawl_slice_of(line.data, cw_find_text(line, " ")), &about);
    else if (about.count && !man_put_list(roff, &about))
        man_put_lines(roff, &about);
}

crawl_err cw_program_man_of_config(const cw_program_man_page *page, crawl_buf *out)
{
    cw_program_roff roff = {.to = {.out = out}};
    program_roff_page(&roff, page->name, page->section, page->summary);
    program_roff_section(&roff, crawl_slice_from("DESCRIPTION"));
    program_roff_paragraph(&roff, crawl_slice_from(config_intro));
    for (crawl_slice text = crawl_slice_from(page->text); text.size;)
        man_take_block(&roff, &text);
    program_roff_end(&roff);
    return roff.to.err;
}

crawl_err cw_program_man_items(const cw_program_man_item *items, size_t count, crawl_buf *out)
{
    cw_program_roff roff = {.to = {.out = out}};
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(items[i].section, items[i - 1].section) != 0)
            program_roff_section(&roff, crawl_slice_from(items[i].section));
        program_roff_item(&roff, crawl_slice_from(items[i].tag));
        program_roff_line(&roff, crawl_slice_from(items[i].words));
    }
    program_roff_end(&roff);
    return roff.to.err;
}

crawl_err cw_program_man_see_also(const cw_program_man_page *pages, size_t count, const cw_program_man_page *but,
                                  crawl_buf *out)
{
    cw_program_roff roff = {.to = {.out = out}};
    const char *comma = "";
    program_roff_section(&roff, crawl_slice_from("SEE ALSO"));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(pages[i].name, but->name) == 0)
            continue;
        cw_put_text(&roff.to, comma);
        program_roff_text(&roff, crawl_slice_from(pages[i].name));
        cw_put_text(&roff.to, pages[i].section == 1 ? "(1)" : "(5)");
        comma = ",\n";
    }
    cw_put_text(&roff.to, "\n");
    return roff.to.err;
}
