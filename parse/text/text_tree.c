#include "parse/text/text_tree.h"

#include "base/array.h"

#include <stdlib.h>

static void text_tree_trim(cw_text_array *array, size_t size, size_t most)
{
    array->count = 0;
    if (array->capacity * size <= most)
        return;
    free(array->items);
    *array = (cw_text_array){0};
}

void cw_text_tree_reset(cw_text_tree *tree, size_t most)
{
    if (tree->text.capacity > most)
        crawl_buf_free(&tree->text);
    crawl_buf_clear(&tree->text);
    text_tree_trim(&tree->blocks, sizeof(cw_text_block), most);
    text_tree_trim(&tree->sections, sizeof(cw_text_section), most);
    text_tree_trim(&tree->wrappers, sizeof(cw_text_wrapper), most);
    text_tree_trim(&tree->tables, sizeof(cw_text_table), most);
}

void cw_text_tree_free(cw_text_tree *tree)
{
    cw_text_tree_reset(tree, 0);
    crawl_buf_free(&tree->text);
}

/* Adds a zeroed element and returns its index. CW_TEXT_NONE: the maximum is reached. */
static crawl_err text_tree_add(cw_text_array *array, size_t size, size_t most, uint32_t *index)
{
    *index = CW_TEXT_NONE;
    if (array->count == most)
        return CRAWL_OK;
    if (array->count == array->capacity &&
        cw_array_reserve((void *)&array->items, &array->capacity, array->count + 1, 256, size))
        return CRAWL_ENOMEM;
    memset((char *)array->items + array->count * size, 0, size);
    *index = (uint32_t)array->count++;
    return CRAWL_OK;
}

bool cw_text_tree_is_full(const cw_text_tree *tree)
{
    return tree->blocks.count == CW_TEXT_MAX_BLOCKS || tree->sections.count == CW_TEXT_MAX_SECTIONS ||
           tree->wrappers.count == CW_TEXT_MAX_WRAPPERS || tree->tables.count == CW_TEXT_MAX_TABLES;
}

crawl_err cw_text_tree_add_block(cw_text_tree *tree, uint32_t *index)
{
    return text_tree_add(&tree->blocks, sizeof(cw_text_block), CW_TEXT_MAX_BLOCKS, index);
}

crawl_err cw_text_tree_add_section(cw_text_tree *tree, uint32_t *index)
{
    return text_tree_add(&tree->sections, sizeof(cw_text_section), CW_TEXT_MAX_SECTIONS, index);
}

crawl_err cw_text_tree_add_wrapper(cw_text_tree *tree, uint32_t *index)
{
    return text_tree_add(&tree->wrappers, sizeof(cw_text_wrapper), CW_TEXT_MAX_WRAPPERS, index);
}

crawl_err cw_text_tree_add_table(cw_text_tree *tree, uint32_t *index)
{
    return text_tree_add(&tree->tables, sizeof(cw_text_table), CW_TEXT_MAX_TABLES, index);
}

uint32_t cw_text_section_end(const cw_text_tree *tree, uint32_t section)
{
    uint32_t end = section + 1;
    while (end < tree->sections.count && cw_text_section_at(tree, end)->parent >= section)
        end++;
    return end;
}
