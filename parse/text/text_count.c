#include "parse/text/text_count.h"

#include "base/bytes.h"

/* Returns the number in a line; -1: the line is not a number. */
static long text_count_number_of(crawl_slice line)
{
    enum { MOST_DIGITS = 9 };
    long number = 0;
    line = cw_trim(line);
    if (!line.size || line.size > MOST_DIGITS)
        return -1;
    for (size_t i = 0; i < line.size; i++) {
        if (!cw_is_digit((unsigned char)line.data[i]))
            return -1;
        number = number * 10 + (line.data[i] - '0');
    }
    return number;
}

/* Returns true if the text consists of consecutive numbers, one in each of at least so many lines. */
static bool is_count(crawl_slice text, size_t least)
{
    size_t lines = 0;
    for (long before = -1; text.size; lines++) {
        long number = text_count_number_of(cw_cut_line(&text));
        if (number < 0 || (lines && number != before + 1))
            return false;
        before = number;
    }
    return lines >= least;
}

/* Returns true for the first of two cells in a table of one row. */
static bool is_gutter(const cw_text_tree *tree, const cw_text_block *block, const cw_text_block *next)
{
    return block->table != CW_TEXT_NONE && block->table == next->table && !block->column && next->column == 1 &&
           cw_text_table_at(tree, block->table)->rows == 1;
}

void cw_text_leave_out_counts(cw_text_tree *tree)
{
    for (size_t i = 0; i + 1 < tree->blocks.count; i++) {
        cw_text_block *block = cw_text_block_at(tree, i);
        const cw_text_block *next = cw_text_block_at(tree, i + 1);
        bool is_beside = block->kind == CW_BLOCK_PRE && next->kind == CW_BLOCK_PRE;
        size_t least = is_gutter(tree, block, next) ? 1 : 2;
        if (is_beside && is_count(crawl_slice_of(tree->text.data + block->start, block->size), least))
            block->kept = false;
    }
}
