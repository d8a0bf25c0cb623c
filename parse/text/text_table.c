#include "parse/text/text_table.h"

#include "base/bytes.h"

crawl_err cw_text_table_open(cw_text_walker *walk, cw_text_open *entry, const cw_text_attributes *attributes)
{
    cw_text_tree *tree = &walk->page->tree;
    uint32_t index;
    if (entry->in_cell)
        cw_text_table_at(tree, entry->table)->is_layout = true;
    crawl_err err = cw_text_tree_add_table(tree, &index);
    memset(walk->spans, 0, sizeof walk->spans);
    memset(walk->taken, 0, sizeof walk->taken);
    entry->in_cell = false;
    entry->table = err ? CW_TEXT_NONE : index;
    if (err || index == CW_TEXT_NONE)
        return err;
    cw_text_table *table = cw_text_table_at(tree, index);
    table->wrapper = entry->wrapper;
    table->is_layout = cw_is_nocase(attributes->role, "presentation") || cw_is_nocase(attributes->role, "none");
    return CRAWL_OK;
}

void cw_text_table_row(cw_text_walker *walk, cw_text_open *entry)
{
    if (entry->table == CW_TEXT_NONE || entry->absent)
        return;
    cw_text_table_at(&walk->page->tree, entry->table)->rows++;
    entry->number = 0; /* of the next cell */
    for (size_t i = 0; i < CW_TEXT_MAX_COLUMNS; i++) {
        walk->taken[i] = walk->spans[i] > 0;
        walk->spans[i] -= walk->taken[i];
    }
}

void cw_text_table_cell(cw_text_walker *walk, cw_text_open *entry, const cw_text_attributes *attributes)
{
    enum { LAST = CW_TEXT_MAX_COLUMNS - 1, ROWS_MAX = 65534 };
    cw_text_open *row = cw_text_top(walk);
    bool is_in_row = row->element && row->element->role == CW_ROLE_ROW;
    if (entry->table == CW_TEXT_NONE || !is_in_row || entry->absent)
        return;
    cw_text_table *table = cw_text_table_at(&walk->page->tree, entry->table);
    int64_t columns = 1;
    int64_t rows = 1;
    cw_text_hint_integer(attributes->colspan, &columns);
    rows = cw_text_hint_integer(attributes->rowspan, &rows) && rows < 0 ? 1 : rows;
    while (row->number < LAST && walk->taken[row->number])
        row->number++;
    entry->in_cell = true;
    entry->column = (uint16_t)(row->number < LAST ? row->number : LAST);
    columns = columns > 0 && columns <= LAST ? columns : 1;
    uint16_t further = (uint16_t)(rows && rows <= ROWS_MAX ? rows - 1 : ROWS_MAX);
    for (int64_t i = entry->column; i < entry->column + columns && i < LAST; i++)
        walk->spans[i] = walk->spans[i] < further ? further : walk->spans[i]; /* cells may overlap */
    row->number += columns;
    if (entry->column >= table->columns)
        table->columns = entry->column + 1u;
    table->has_head = table->has_head || (table->rows == 1 && entry->element->level);
}
