/* See text_print.h. Markdown is CommonMark with the tables of GitHub Flavored Markdown 4.10, and with ": " before
 * the descriptions of a definition list. */
#include "parse/text/text_print.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct text_printer {
    cw_text_tree *tree;
    bool markdown;
    size_t most;
    crawl_buf *out;
    uint32_t wrapper; /* of the previous block */
    bool was_tight;   /* the previous block was a one-line item */
} text_printer;

static crawl_slice text_print_text_of(const text_printer *printer, const cw_text_block *block)
{
    return crawl_slice_of(printer->tree->text.data + block->start, block->size);
}

/* --- line prefixes --- */

/* A line that begins a block has the markers of its items. */
typedef enum text_line { LINE_GOES_ON, LINE_BEGINS, LINE_BEGINS_TEXT } text_line;

/* begins_text: the line begins a paragraph without another mark. */
static crawl_err put_wrapper(text_printer *printer, cw_text_wrapper *wrapper, text_line line, bool begins_text)
{
    crawl_buf *out = printer->out;
    if (wrapper->kind == '>')
        return crawl_buf_append_text(out, "> ");
    bool marked = line != LINE_GOES_ON && !wrapper->printed;
    wrapper->printed = wrapper->printed || marked;
    if (wrapper->kind == ':' && printer->markdown) /* for CommonMark this is text, and holds nothing */
        return marked && begins_text ? crawl_buf_append_text(out, ": ") : CRAWL_OK;
    if (wrapper->kind != '1')
        return marked ? crawl_buf_printf(out, "%c ", wrapper->kind) : crawl_buf_append_text(out, "  ");
    /* CommonMark has no numbers below 0 or of more than nine digits (5.2); such an item gets a bullet. */
    bool is_bullet = printer->markdown && (wrapper->number < 0 || wrapper->number > 999999999);
    char number[24];
    int size = snprintf(number, sizeof number, "%s%" PRId64 ". ", is_bullet ? "- " : "", wrapper->number);
    if (is_bullet && !marked)
        size = 2;
    return marked ? crawl_buf_append(out, number, (size_t)size) : crawl_buf_printf(out, "%*s", size, "");
}

/* Writes the marks of the wrappers around a block, outermost first. */
static crawl_err put_prefix(text_printer *printer, uint32_t wrapper, text_line line)
{
    uint32_t chain[64];
    size_t count = 0;
    size_t colons = 0; /* the innermost ones in a row */
    for (; wrapper != CW_TEXT_NONE && count < 64; wrapper = cw_text_wrapper_at(printer->tree, wrapper)->parent)
        chain[count++] = wrapper;
    while (colons < count && cw_text_wrapper_at(printer->tree, chain[colons])->kind == ':')
        colons++;
    crawl_err err = CRAWL_OK;
    for (; count && !err; count--) {
        bool begins_text = line == LINE_BEGINS_TEXT && count <= colons;
        err = put_wrapper(printer, cw_text_wrapper_at(printer->tree, chain[count - 1]), line, begins_text);
    }
    return err;
}

static crawl_err text_print_end_line(text_printer *printer)
{
    crawl_buf *out = printer->out;
    while (out->size && out->data[out->size - 1] == ' ')
        out->size--;
    return crawl_buf_append_char(out, '\n');
}

static crawl_err text_print_put_lines(text_printer *printer, uint32_t wrapper, crawl_slice text, text_line first)
{
    crawl_err err = CRAWL_OK;
    bool more = true;
    while (more && !err && printer->out->size <= printer->most) {
        more = cw_find_char(text, '\n') < text.size;
        crawl_slice line = cw_cut_line(&text);
        err = put_prefix(printer, wrapper, first);
        if (!err)
            err = crawl_buf_append(printer->out, line.data, line.size);
        if (!err)
            err = text_print_end_line(printer);
        first = LINE_GOES_ON;
    }
    return err;
}

/* --- between blocks --- */

static const cw_text_wrapper *wrapper_of(const text_printer *printer, uint32_t index)
{
    return index == CW_TEXT_NONE ? NULL : cw_text_wrapper_at(printer->tree, index);
}

/* Returns the innermost wrapper of both blocks, whose marks precede the empty line between them. */
static uint32_t common_wrapper(const text_printer *printer, uint32_t a, uint32_t b)
{
    while (a != b) {
        const cw_text_wrapper *one = wrapper_of(printer, a);
        const cw_text_wrapper *other = wrapper_of(printer, b);
        if (!one || !other)
            return CW_TEXT_NONE;
        if (one->depth >= other->depth)
            a = one->parent;
        if (other->depth >= one->depth)
            b = other->parent;
    }
    return a;
}

/* Returns true if a list begins beside the previous block with another number than 1. CommonMark would take it for a
 * line of that paragraph. */
static bool begins_within(const text_printer *printer, uint32_t wrapper)
{
    uint32_t beside = printer->wrapper;
    while (beside != CW_TEXT_NONE && wrapper_of(printer, beside)->kind == ':')
        beside = wrapper_of(printer, beside)->parent;
    const cw_text_wrapper *outer = NULL;
    while (wrapper != beside && wrapper != CW_TEXT_NONE) {
        const cw_text_wrapper *at = wrapper_of(printer, wrapper);
        outer = at->kind == ':' ? outer : at;
        wrapper = at->parent;
    }
    return wrapper == beside && outer && outer->kind == '1' && outer->number != 1;
}

/* Returns true if there is a quotation between a wrapper and `outer`, which contains it. */
static bool is_quoted_within(const text_printer *printer, uint32_t wrapper, uint32_t outer)
{
    while (wrapper != outer && wrapper_of(printer, wrapper)->kind != '>')
        wrapper = wrapper_of(printer, wrapper)->parent;
    return wrapper != outer;
}

/* Returns true for a block of a table that is printed as one: with several columns and rows, and not for layout. */
static bool begins_table(const text_printer *printer, const cw_text_block *block)
{
    if (block->table == CW_TEXT_NONE)
        return false;
    const cw_text_table *table = cw_text_table_at(printer->tree, block->table);
    return !table->is_layout && table->columns > 1 && table->rows > 1;
}

/* Returns true if no empty line precedes the block: an item of the same list, or of a list in an item. */
static bool is_tight(const text_printer *printer, const cw_text_block *block)
{
    const cw_text_wrapper *now = wrapper_of(printer, block->wrapper);
    const cw_text_wrapper *before = wrapper_of(printer, printer->wrapper);
    uint32_t common = common_wrapper(printer, printer->wrapper, block->wrapper);
    if (!now || now->printed || block->kind != CW_BLOCK_TEXT || is_quoted_within(printer, printer->wrapper, common) ||
        is_quoted_within(printer, block->wrapper, common))
        return false;
    if (now->kind == ':') /* before a table CommonMark wants an empty line */
        return !printer->markdown || !begins_table(printer, block);
    if (printer->markdown && begins_within(printer, block->wrapper))
        return false;
    return printer->was_tight && before && now->kind != '>' && before->kind != '>';
}

static crawl_err begin_block(text_printer *printer, const cw_text_block *block)
{
    crawl_err err = CRAWL_OK;
    if (printer->out->size && !is_tight(printer, block)) {
        err = put_prefix(printer, common_wrapper(printer, printer->wrapper, block->wrapper), LINE_GOES_ON);
        if (!err)
            err = text_print_end_line(printer);
    }
    const cw_text_wrapper *wrapper = wrapper_of(printer, block->wrapper);
    printer->was_tight = wrapper && wrapper->kind != '>' && block->kind == CW_BLOCK_TEXT;
    printer->wrapper = block->wrapper;
    return err;
}

/* --- blocks --- */

static size_t longest_fence(crawl_slice text)
{
    size_t longest = 2;
    for (size_t i = 0, run = 0; i < text.size; i++) {
        run = text.data[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest + 1;
}

/* Drops empty lines at the end. */
static crawl_slice without_end(crawl_slice text)
{
    while (text.size && cw_is_space((unsigned char)text.data[text.size - 1]))
        text.size--;
    return text;
}

static crawl_err put_fence(text_printer *printer, const cw_text_block *block, size_t size, bool first)
{
    crawl_err err = put_prefix(printer, block->wrapper, first ? LINE_BEGINS : LINE_GOES_ON);
    for (size_t i = 0; i < size && !err; i++)
        err = crawl_buf_append_char(printer->out, '`');
    if (!err && first)
        err = crawl_buf_append_text(printer->out, block->language);
    return err ? err : text_print_end_line(printer);
}

static crawl_err put_code(text_printer *printer, const cw_text_block *block)
{
    crawl_slice text = without_end(text_print_text_of(printer, block));
    if (!text.size)
        return CRAWL_OK;
    crawl_err err = begin_block(printer, block);
    size_t fence = longest_fence(text);
    if (!err && printer->markdown)
        err = put_fence(printer, block, fence, true);
    if (!err)
        err = text_print_put_lines(printer, block->wrapper, text, printer->markdown ? LINE_GOES_ON : LINE_BEGINS);
    return err || !printer->markdown ? err : put_fence(printer, block, fence, false);
}

static crawl_err text_print_put_heading(text_printer *printer, const cw_text_block *block)
{
    crawl_err err = begin_block(printer, block);
    if (!err)
        err = put_prefix(printer, block->wrapper, LINE_BEGINS);
    for (unsigned i = 0; i < block->level && printer->markdown && !err; i++)
        err = crawl_buf_append_char(printer->out, '#');
    if (!err && printer->markdown)
        err = crawl_buf_append_char(printer->out, ' ');
    crawl_slice text = text_print_text_of(printer, block);
    if (!err)
        err = crawl_buf_append(printer->out, text.data, text.size);
    return err ? err : text_print_end_line(printer);
}

static crawl_err put_block(text_printer *printer, const cw_text_block *block)
{
    if (block->kind == CW_BLOCK_PRE)
        return put_code(printer, block);
    if (block->kind == CW_BLOCK_HEADING)
        return text_print_put_heading(printer, block);
    if (block->kind == CW_BLOCK_RULE && (!printer->markdown || !printer->out->size))
        return CRAWL_OK;
    crawl_err err = begin_block(printer, block);
    bool is_rule = block->kind == CW_BLOCK_RULE;
    const char *rule = block->wrapper == CW_TEXT_NONE ? "---" : "***"; /* "- ---" is no item (CommonMark 4.1) */
    crawl_slice text = is_rule ? crawl_slice_from(rule) : text_print_text_of(printer, block);
    return err ? err : text_print_put_lines(printer, block->wrapper, text, is_rule ? LINE_BEGINS : LINE_BEGINS_TEXT);
}

/* --- tables --- */

/* Writes the text of a cell in one line: escapes "|", and turns a newline into <br>. */
static crawl_err put_cell_text(text_printer *printer, crawl_slice text)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < text.size && !err; i++) {
        char c = text.data[i];
        bool is_break = printer->markdown && c == '\\' && i + 1 < text.size && text.data[i + 1] == '\n';
        if (is_break)
            continue;
        if (c == '\n')
            err = crawl_buf_append_text(printer->out, printer->markdown ? "<br>" : " ");
        else if (c == '|' && printer->markdown)
            err = crawl_buf_append_text(printer->out, "\\|");
        else
            err = crawl_buf_append_char(printer->out, c);
    }
    return err;
}

/* Writes the blocks of one cell, from *at on. */
static crawl_err text_print_put_cell(text_printer *printer, size_t *at, const cw_text_block *cell)
{
    crawl_err err = CRAWL_OK;
    bool more = false;
    for (; *at < printer->tree->blocks.count && !err; (*at)++) {
        const cw_text_block *block = cw_text_block_at(printer->tree, *at);
        if (block->table != cell->table || block->row != cell->row || block->column != cell->column)
            break;
        if (!block->kept)
            continue;
        if (more)
            err = crawl_buf_append_text(printer->out, printer->markdown ? "<br>" : " ");
        if (!err)
            err = put_cell_text(printer, text_print_text_of(printer, block));
        more = true;
    }
    return err;
}

static crawl_err text_print_put_row(text_printer *printer, size_t *at, const cw_text_block *first)
{
    const cw_text_table *table = cw_text_table_at(printer->tree, first->table);
    crawl_err err = put_prefix(printer, first->wrapper, LINE_BEGINS);
    if (!err && printer->markdown)
        err = crawl_buf_append_text(printer->out, "|");
    for (uint32_t column = 0; column < table->columns && !err; column++) {
        const cw_text_block *block = *at < printer->tree->blocks.count ? cw_text_block_at(printer->tree, *at) : NULL;
        bool is_here = block && block->table == first->table && block->row == first->row && block->column == column;
        err = crawl_buf_append_text(printer->out, printer->markdown ? " " : column ? "\t" : "");
        if (!err && is_here)
            err = text_print_put_cell(printer, at, block);
        if (!err && printer->markdown)
            err = crawl_buf_append_text(printer->out, " |");
    }
    return err ? err : text_print_end_line(printer);
}

/* Writes a line below the heads. GFM 4.10 has no tables without heads, so such a table gets empty ones. */
static crawl_err put_rule_line(text_printer *printer, const cw_text_block *first, const char *cell)
{
    const cw_text_table *table = cw_text_table_at(printer->tree, first->table);
    crawl_err err = put_prefix(printer, first->wrapper, LINE_BEGINS);
    if (!err)
        err = crawl_buf_append_text(printer->out, "|");
    for (uint32_t column = 0; column < table->columns && !err; column++)
        err = crawl_buf_printf(printer->out, "%s|", cell);
    return err ? err : text_print_end_line(printer);
}

static crawl_err text_print_put_table(text_printer *printer, size_t *at)
{
    const cw_text_block first = *cw_text_block_at(printer->tree, *at);
    bool has_head = cw_text_table_at(printer->tree, first.table)->has_head && first.row == 0;
    crawl_err err = begin_block(printer, &first);
    if (!err && printer->markdown && !has_head)
        err = put_rule_line(printer, &first, "  ");
    if (!err && printer->markdown && !has_head)
        err = put_rule_line(printer, &first, "---");
    for (size_t rows = 0; *at < printer->tree->blocks.count && !err; rows++) {
        const cw_text_block row = *cw_text_block_at(printer->tree, *at);
        size_t before = *at;
        if (row.table != first.table || printer->out->size >= printer->most)
            break;
        err = text_print_put_row(printer, at, &row);
        *at += *at == before; /* skips a cell that is out of order in its row */
        if (!err && rows == 0 && printer->markdown && has_head)
            err = put_rule_line(printer, &first, "---");
    }
    printer->was_tight = false;
    return err;
}

/* --- the whole text --- */

/* Returns the size of the text up to the last such character in its second half; 0: there is none. */
static size_t text_print_size_to(crawl_slice text, char last)
{
    size_t size = text.size;
    while (size > text.size / 2 && text.data[size - 1] != last)
        size--;
    return size > text.size / 2 ? size : 0;
}

/* Cuts the text at a line; in a very long line at a space, or else between two characters. */
static void text_print_cut(const text_printer *printer)
{
    crawl_buf *out = printer->out;
    if (out->size <= printer->most)
        return;
    out->size = text_print_size_to(crawl_slice_of(out->data, printer->most), '\n');
    if (!out->size && printer->most) {
        crawl_slice line = cw_utf8_cut(crawl_slice_of(out->data, printer->most), printer->most - 1);
        size_t size = text_print_size_to(line, ' ');
        out->size = size ? size - 1 : line.size;
        out->data[out->size++] = '\n';
    }
    out->data[out->size] = '\0';
}

crawl_err cw_text_print(cw_text_tree *tree, bool markdown, size_t most, crawl_buf *out, bool *cut)
{
    text_printer printer = {.tree = tree, .markdown = markdown, .most = most, .out = out, .wrapper = CW_TEXT_NONE};
    crawl_err err = CRAWL_OK;
    size_t at = 0;
    while (at < tree->blocks.count && !err && out->size < most) {
        const cw_text_block *block = cw_text_block_at(tree, at);
        if (block->kept && begins_table(&printer, block))
            err = text_print_put_table(&printer, &at);
        else if (block->kept)
            err = put_block(&printer, cw_text_block_at(tree, at++));
        else
            at++;
    }
    *cut = *cut || at < tree->blocks.count || out->size > most;
    text_print_cut(&printer);
    return err;
}
