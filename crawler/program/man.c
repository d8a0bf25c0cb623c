/* See man.h. */
#include "crawler/program/man.h"

#include "crawler/program/roff.h"

#include <string.h>

/* --- lines --- */

static crawl_slice next_line(const char **at)
{
    size_t size = strcspn(*at, "\n");
    crawl_slice line = crawl_slice_of(*at, size);
    *at += size + ((*at)[size] == '\n');
    return line;
}

static crawl_slice behind(crawl_slice line, size_t size)
{
    return crawl_slice_of(line.data + size, line.size - size);
}

static bool begins_with(crawl_slice line, const char *words)
{
    size_t size = strlen(words);
    return line.size >= size && memcmp(line.data, words, size) == 0;
}

static size_t indent_of(crawl_slice line)
{
    size_t indent = 0;
    while (indent < line.size && line.data[indent] == ' ')
        indent++;
    return indent;
}

/* Where these words stand first; the size of the text: nowhere. */
static size_t find(crawl_slice text, const char *words)
{
    const char *found = text.size ? memmem(text.data, text.size, words, strlen(words)) : NULL;
    return found ? (size_t)(found - text.data) : text.size;
}

/* --- help texts --- */

typedef struct help {
    cw_program_roff roff;
    size_t width;  /* of the longest line */
    size_t column; /* where the words of the item at hand begin; 0: not known yet */
    size_t end;    /* of the line of it before */
    size_t indent; /* of that line */
} help;

/* "TAG  words", or a tag alone. */
static void begin_item(help *h, crawl_slice line, size_t indent)
{
    crawl_slice text = behind(line, indent);
    size_t tag = find(text, "  ");
    cw_program_roff_item(&h->roff, crawl_slice_of(text.data, tag));
    h->column = 0;
    h->end = h->width; /* the tag has a line of its own */
    h->indent = 0;
    if (tag == text.size)
        return;
    h->column = indent + tag + indent_of(behind(text, tag));
    h->indent = h->column;
    h->end = line.size;
    cw_program_roff_line(&h->roff, behind(line, h->column));
}

/* Was the line before ended though the first word of this one would have fitted? Then it is no text that flows. */
static bool was_ended(const help *h, crawl_slice text)
{
    enum { SLACK = 8 };
    return h->end + 1 + find(text, " ") + SLACK < h->width;
}

static void go_on_with_item(help *h, crawl_slice line, size_t indent)
{
    if (!h->column)
        h->column = indent;
    bool is_set_in = indent != h->indent && h->indent;
    if (is_set_in || was_ended(h, behind(line, indent)))
        cw_program_roff_raw(&h->roff, ".br\n");
    h->indent = indent;
    h->end = line.size;
    cw_program_roff_line(&h->roff, behind(line, indent < h->column ? indent : h->column));
}

static void take_indented(help *h, crawl_slice line, size_t indent)
{
    enum { MARGIN = 2 };
    crawl_slice text = behind(line, indent);
    bool has_words = find(text, "  ") < text.size;
    if (indent == MARGIN && (has_words || text.data[0] == '-'))
        begin_item(h, line, indent);
    else if (h->roff.mode == CW_ROFF_ITEM && indent > MARGIN)
        go_on_with_item(h, line, indent);
    else
        cw_program_roff_literal(&h->roff, text);
}

static void take_help_line(help *h, crawl_slice line)
{
    static const char status[] = "Exit status: ";
    size_t indent = indent_of(line);
    size_t status_at = indent ? line.size : find(line, status);
    if (indent == line.size) {
        cw_program_roff_end(&h->roff);
    } else if (status_at < line.size) {
        if (status_at)
            cw_program_roff_paragraph(&h->roff, crawl_slice_of(line.data, status_at));
        cw_program_roff_section(&h->roff, crawl_slice_from("EXIT STATUS"));
        cw_program_roff_paragraph(&h->roff, behind(line, status_at + sizeof status - 1));
    } else if (indent) {
        take_indented(h, line, indent);
    } else {
        cw_program_roff_paragraph(&h->roff, line);
    }
}

/* The line that begins with "usage:", and those below it that are set under it. */
static const char *take_usage(cw_program_roff *roff, const char *text)
{
    static const char word[] = "usage: ";
    static const char under[] = "       ";
    if (!begins_with(crawl_slice_from(text), word))
        return text;
    cw_program_roff_section(roff, crawl_slice_from("SYNOPSIS"));
    cw_program_roff_raw(roff, ".nf\n");
    while (begins_with(crawl_slice_from(text), word) || begins_with(crawl_slice_from(text), under))
        cw_program_roff_line(roff, behind(next_line(&text), sizeof word - 1));
    cw_program_roff_raw(roff, ".fi\n");
    return text;
}

static size_t width_of(const char *text)
{
    size_t width = 0;
    while (*text) {
        size_t size = next_line(&text).size;
        width = size > width ? size : width;
    }
    return width;
}

crawl_err cw_program_man_of_help(const cw_program_man_page *page, crawl_buf *out)
{
    help h = {.roff = {.out = out}, .width = width_of(page->text)};
    cw_program_roff_page(&h.roff, page->name, page->section, page->summary);
    const char *at = take_usage(&h.roff, page->text);
    cw_program_roff_section(&h.roff, crawl_slice_from("DESCRIPTION"));
    while (*at)
        take_help_line(&h, next_line(&at));
    cw_program_roff_end(&h.roff);
    return h.roff.err;
}

/* --- the configuration --- */

static const char config_intro[] =
    "A file of sections and settings, read from ./crawler.conf or from what --config names; "
    "options of the command line go before it. "
    "\"crawl --print-config\" prints one with the settings in effect. An unknown section or "
    "setting, and a value that is not of its type or "
    "out of its range, is an error that names file, line and column.";

/* Comment lines without their marks, up to a blank line or to what they are about. */
typedef struct block {
    crawl_slice lines[64];
    size_t count;
} block;

static const char *take_comments(const char *at, block *out)
{
    enum { MOST = sizeof out->lines / sizeof *out->lines };
    out->count = 0;
    while (*at == '#') {
        crawl_slice line = next_line(&at);
        if (out->count < MOST)
            out->lines[out->count++] = behind(line, begins_with(line, "# ") ? 2 : 1);
    }
    return at;
}

/* What it is; then, on a line of its own, what it takes. */
static void put_setting(cw_program_roff *roff, crawl_slice name, const block *about)
{
    cw_program_roff_item(roff, name);
    for (size_t i = 0; i < about->count; i++) {
        if (i && i + 1 == about->count)
            cw_program_roff_raw(roff, ".br\n");
        cw_program_roff_line(roff, about->lines[i]);
    }
}

/* "what it takes: NAME = RE": a list that is empty. */
static bool put_list(cw_program_roff *roff, block *about)
{
    crawl_slice *last = &about->lines[about->count - 1];
    size_t colon = find(*last, ": ");
    if (find(*last, " = ") == last->size || colon == last->size)
        return false;
    crawl_slice name = behind(*last, colon + 2);
    last->size = colon;
    put_setting(roff, crawl_slice_of(name.data, find(name, " ")), about);
    return true;
}

/* "[NAME]: words", then "  NAME: words" for each setting: a section of which there may be many. */
static void put_lines(cw_program_roff *roff, const block *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        crawl_slice line = lines->lines[i];
        size_t colon = find(line, ": ");
        if (begins_with(line, "[") && colon < line.size) {
            cw_program_roff_section(roff, crawl_slice_of(line.data, colon));
            cw_program_roff_paragraph(roff, behind(line, colon + 2));
        } else if (begins_with(line, "  ") && colon < line.size) {
            cw_program_roff_item(roff, crawl_slice_of(line.data + 2, colon - 2));
            cw_program_roff_line(roff, behind(line, colon + 2));
        } else {
            cw_program_roff_paragraph(roff, line);
        }
    }
}

/* A section with its comments, a setting with those before it, or comments alone. */
static const char *take_block(cw_program_roff *roff, const char *at)
{
    block about;
    if (*at == '[') {
        cw_program_roff_section(roff, next_line(&at));
        at = take_comments(at, &about);
        put_lines(roff, &about);
        return at;
    }
    at = take_comments(at, &about);
    crawl_slice line = next_line(&at);
    if (line.size)
        put_setting(roff, crawl_slice_of(line.data, find(line, " ")), &about);
    else if (about.count && !put_list(roff, &about))
        put_lines(roff, &about);
    return at;
}

crawl_err cw_program_man_of_config(const cw_program_man_page *page, crawl_buf *out)
{
    cw_program_roff roff = {.out = out};
    cw_program_roff_page(&roff, page->name, page->section, page->summary);
    cw_program_roff_section(&roff, crawl_slice_from("DESCRIPTION"));
    cw_program_roff_paragraph(&roff, crawl_slice_from(config_intro));
    for (const char *at = page->text; *at;)
        at = take_block(&roff, at);
    cw_program_roff_end(&roff);
    return roff.err;
}

crawl_err cw_program_man_see_also(const cw_program_man_page *pages, size_t count, const cw_program_man_page *but,
                                  crawl_buf *out)
{
    cw_program_roff roff = {.out = out};
    const char *comma = "";
    cw_program_roff_section(&roff, crawl_slice_from("SEE ALSO"));
    for (size_t i = 0; i < count; i++) {
        if (strcmp(pages[i].name, but->name) == 0)
            continue;
        cw_program_roff_raw(&roff, comma);
        cw_program_roff_text(&roff, crawl_slice_from(pages[i].name));
        cw_program_roff_raw(&roff, pages[i].section == 1 ? "(1)" : "(5)");
        comma = ",\n";
    }
    cw_program_roff_raw(&roff, "\n");
    return roff.err;
}
