#include "parse/text/text_open.h"

#include "base/bytes.h"
#include "parse/text/text_table.h"

static bool has_role(const cw_text_open *entry, cw_text_role role)
{
    return entry->element && entry->element->role == role;
}

/* --- blocks --- */

static cw_text_block_kind text_open_kind_of(const cw_text_open *entry)
{
    if (entry->is_pre)
        return CW_BLOCK_PRE;
    if (entry->level)
        return CW_BLOCK_HEADING;
    return has_role(entry, CW_ROLE_TERM) ? CW_BLOCK_TERM : CW_BLOCK_TEXT;
}

static void place_in_cell(cw_text_walker *walk, const cw_text_open *entry, cw_text_block *block)
{
    block->table = entry->in_cell ? entry->table : CW_TEXT_NONE;
    if (!entry->in_cell)
        return;
    cw_text_table *table = cw_text_table_at(&walk->page->tree, entry->table);
    block->row = table->rows ? table->rows - 1 : 0;
    block->column = entry->column;
    if (block->kind != CW_BLOCK_TEXT || entry->wrapper != table->wrapper)
        table->is_layout = true;
}

static bool speaks_of_cookies(crawl_slice text)
{
    enum { NOTICE_MAX = 2000 };
    return text.size < NOTICE_MAX && cw_find_text(text, "ookie") < text.size;
}

crawl_err cw_text_add_block(cw_text_walker *walk, cw_text_block_kind kind, size_t start, size_t size)
{
    cw_text_tree *tree = &walk->page->tree;
    const cw_text_writer *writer = &walk->page->writer;
    const cw_text_open *entry = cw_text_top(walk);
    uint32_t index;
    crawl_err err = cw_text_tree_add_block(tree, &index);
    if (err || index == CW_TEXT_NONE)
        return err;
    cw_text_block *block = cw_text_block_at(tree, index);
    *block = (cw_text_block){
        .start = (uint32_t)start,
        .size = (uint32_t)size,
        .section = entry->section,
        .wrapper = entry->wrapper,
        .kind = (uint8_t)kind,
        .level = entry->level,
        .words = kind == CW_BLOCK_RULE ? 0 : writer->words,
        .link_words = kind == CW_BLOCK_RULE ? 0 : writer->link_words,
        .is_image = kind == CW_BLOCK_TEXT && writer->words && writer->words == walk->image_words,
    };
    if (entry->language.size < sizeof block->language)
        memcpy(block->language, entry->language.data ? entry->language.data : "", entry->language.size);
    place_in_cell(walk, entry, block);
    if (size && speaks_of_cookies(crawl_slice_of(tree->text.data + start, size)))
        cw_text_section_at(tree, entry->section)->flags |= CW_SECTION_COOKIES;
    return CRAWL_OK;
}

void cw_text_begin_block(cw_text_walker *walk)
{
    walk->image_words = 0;
    cw_text_writer_begin(&walk->page->writer, cw_text_top(walk)->is_pre, cw_text_top(walk)->level > 0);
}

/* Ends the current block, if it has text. */
crawl_err cw_text_end_block(cw_text_walker *walk)
{
    cw_text_writer *writer = &walk->page->writer;
    crawl_err err = cw_text_writer_end(writer);
    size_t size = writer->out->size - writer->start;
    if (!err && size)
        err = cw_text_add_block(walk, text_open_kind_of(cw_text_top(walk)), writer->start, size);
    cw_text_begin_block(walk);
    return err;
}

/* --- open elements --- */

/* Renumbers a reversed list without a start once its items are counted: the first one gets their number (HTML
 * standard, 4.4.5). */
static void end_reversed(cw_text_walker *walk, const cw_text_open *list)
{
    cw_text_tree *tree = &walk->page->tree;
    for (size_t i = list->first_wrapper; i < tree->wrappers.count; i++) {
        cw_text_wrapper *wrapper = cw_text_wrapper_at(tree, i);
        if (wrapper->parent == list->wrapper && wrapper->counts_down) {
            wrapper->number += list->items;
            wrapper->counts_down = false;
        }
    }
}

/* Returns true if all elements deeper than this are lines of code. */
static bool are_lines(const cw_text_walker *walk, unsigned depth)
{
    unsigned at = walk->depth;
    while (at > depth && walk->open[at].is_line)
        at--;
    return at == depth;
}

static crawl_err text_open_pop_to(cw_text_walker *walk, unsigned depth)
{
    if (are_lines(walk, depth) && depth < walk->depth) {
        walk->depth = depth;
        return cw_text_writer_end_line(&walk->page->writer);
    }
    crawl_err err = cw_text_end_block(walk);
    for (unsigned at = walk->depth; at > depth; at--)
        if (has_role(&walk->open[at], CW_ROLE_ORDERED) && walk->open[at].is_reversed)
            end_reversed(walk, &walk->open[at]);
    walk->depth = depth;
    cw_text_begin_block(walk);
    return err;
}

crawl_err cw_text_end_page(cw_text_walker *walk)
{
    return text_open_pop_to(walk, 0);
}

#define ROLE(name) (UINT64_C(1) << CW_ROLE_##name)

/* Sets which open elements a new element of this role ends, and where the search for them stops. */
static void ended_by(cw_text_role role, uint64_t *ended, uint64_t *stop)
{
    const uint64_t lists = ROLE(LIST) | ROLE(ORDERED) | ROLE(TERMS);
    const uint64_t tables = ROLE(TABLE);
    switch (role) {
    case CW_ROLE_ITEM:
        *ended = ROLE(ITEM);
        *stop = lists | tables | ROLE(CELL) | ROLE(QUOTE);
        break;
    case CW_ROLE_TERM:
    case CW_ROLE_DETAIL:
        *ended = ROLE(TERM) | ROLE(DETAIL);
        *stop = lists | tables | ROLE(CELL) | ROLE(QUOTE);
        break;
    case CW_ROLE_ROWS:
        *ended = ROLE(ROWS) | ROLE(ROW) | ROLE(CELL);
        *stop = tables;
        break;
    case CW_ROLE_ROW:
        *ended = ROLE(ROW) | ROLE(CELL);
        *stop = tables | ROLE(ROWS);
        break;
    case CW_ROLE_CELL:
        *ended = ROLE(CELL);
        *stop = tables | ROLE(ROW);
        break;
    default:
        *ended = ROLE(PARAGRAPH) | (role == CW_ROLE_HEADING ? ROLE(HEADING) : 0);
        *stop = ~*ended;
        break;
    }
}

crawl_err cw_text_end_implied(cw_text_walker *walk, cw_text_role role)
{
    uint64_t ended, stop;
    unsigned outermost = walk->depth + 1;
    ended_by(role, &ended, &stop);
    for (unsigned at = walk->depth; at > 0; at--) {
        uint64_t bit = walk->open[at].element ? UINT64_C(1) << walk->open[at].element->role : 0;
        if ((bit & stop) || walk->open[at].is_template)
            break;
        if (bit & ended)
            outermost = at;
    }
    return outermost <= walk->depth ? text_open_pop_to(walk, outermost - 1) : CRAWL_OK;
}

/* --- sections, wrappers, tables --- */

static unsigned role_section(cw_text_role role)
{
    switch (role) {
    case CW_ROLE_NAV:
        return CW_SECTION_NAV;
    case CW_ROLE_ASIDE:
        return CW_SECTION_ASIDE;
    case CW_ROLE_HEADER:
        return CW_SECTION_HEADER;
    case CW_ROLE_FOOTER:
        return CW_SECTION_FOOTER;
    case CW_ROLE_MAIN:
        return CW_SECTION_MAIN | CW_SECTION_PLAIN;
    case CW_ROLE_ARTICLE:
        return CW_SECTION_ARTICLE | CW_SECTION_PLAIN;
    case CW_ROLE_LIST:
    case CW_ROLE_ORDERED:
    case CW_ROLE_TERMS:
        return CW_SECTION_LIST;
    case CW_ROLE_CAPTION:
        return CW_SECTION_CAPTION | CW_SECTION_SURE | CW_SECTION_PLAIN;
    case CW_ROLE_BLOCK:
    case CW_ROLE_TABLE:
    case CW_ROLE_ROWS:
    case CW_ROLE_ROW:
    case CW_ROLE_CELL:
        return CW_SECTION_PLAIN;
    default:
        return 0;
    }
}

/* Returns true for a footer directly in a quotation, which names its source. */
static bool is_source(const cw_text_tree *tree, const cw_text_open *entry)
{
    return has_role(entry, CW_ROLE_FOOTER) && entry->wrapper != CW_TEXT_NONE &&
           cw_text_wrapper_at(tree, entry->wrapper)->kind == '>';
}

static bool text_open_is_in_article(const cw_text_walker *walk)
{
    unsigned at = walk->depth;
    while (at && !has_role(&walk->open[at], CW_ROLE_ARTICLE))
        at--;
    return at > 0;
}

static crawl_err open_section(cw_text_walker *walk, cw_text_open *entry, const cw_text_attributes *attributes)
{
    const uint32_t against = CW_SECTION_EXTRA | CW_SECTION_CAPTION;
    cw_text_tree *tree = &walk->page->tree;
    uint32_t parent = entry->section;
    uint32_t index;
    crawl_err err = cw_text_tree_add_section(tree, &index);
    if (err || index == CW_TEXT_NONE)
        return err;
    cw_text_section *section = cw_text_section_at(tree, index);
    section->parent = parent;
    section->flags = role_section((cw_text_role)entry->element->role) | cw_text_hint_flags(attributes, &section->post);
    section->depth = cw_text_section_at(tree, parent)->depth + 1;
    if (has_role(entry, CW_ROLE_QUOTE) || is_source(tree, entry))
        section->flags &= ~(against | CW_SECTION_FOOTER);
    if (section->flags & (CW_SECTION_MAIN | CW_SECTION_ARTICLE) && !text_open_is_in_article(walk))
        section->flags &= ~(section->flags & CW_SECTION_ENTRY ? against | CW_SECTION_COMMENTS : against);
    entry->hidden = entry->hidden || (section->flags & CW_SECTION_HIDDEN);
    entry->section = index;
    return CRAWL_OK;
}

static crawl_err open_wrapper(cw_text_walker *walk, cw_text_open *entry, char kind, int64_t number)
{
    enum { DEPTH_MAX = 32 }; /* deeper indentation is unreadable */
    cw_text_tree *tree = &walk->page->tree;
    uint32_t parent = entry->wrapper;
    unsigned depth = parent == CW_TEXT_NONE ? 0 : cw_text_wrapper_at(tree, parent)->depth + 1u;
    uint32_t index = CW_TEXT_NONE;
    crawl_err err = depth < DEPTH_MAX ? cw_text_tree_add_wrapper(tree, &index) : CRAWL_OK;
    if (err || index == CW_TEXT_NONE)
        return err;
    *cw_text_wrapper_at(tree, index) =
        (cw_text_wrapper){.parent = parent, .number = number, .kind = kind, .depth = (uint8_t)depth};
    entry->wrapper = index;
    return CRAWL_OK;
}

/* Opens an item with its ordinal value (HTML standard, 4.4.8). */
static crawl_err number_item(cw_text_walker *walk, cw_text_open *list, cw_text_open *entry, crawl_slice value)
{
    if (entry->absent)
        return open_wrapper(walk, entry, '1', list->number);
    if (cw_text_hint_integer(value, &list->number))
        list->counts_down = false;
    list->items++;
    crawl_err err = open_wrapper(walk, entry, '1', list->number);
    if (!err && list->counts_down && entry->wrapper != CW_TEXT_NONE && entry->wrapper != list->wrapper)
        cw_text_wrapper_at(&walk->page->tree, entry->wrapper)->counts_down = true;
    list->number += list->is_reversed ? -1 : 1;
    return err;
}

/* Opens an item, numbered by the list around it. */
static crawl_err open_item(cw_text_walker *walk, cw_text_open *entry, const cw_text_attributes *attributes)
{
    unsigned at = walk->depth;
    while (at && !has_role(&walk->open[at], CW_ROLE_LIST) && !has_role(&walk->open[at], CW_ROLE_ORDERED))
        at--;
    if (has_role(&walk->open[at], CW_ROLE_ORDERED))
        return number_item(walk, &walk->open[at], entry, attributes->value);
    return open_wrapper(walk, entry, '-', 0);
}

static void open_ordered(cw_text_walker *walk, cw_text_open *entry, const cw_text_attributes *attributes)
{
    entry->is_reversed = attributes->reversed.data != NULL;
    entry->number = entry->is_reversed ? 0 : 1;
    entry->counts_down = !cw_text_hint_integer(attributes->start, &entry->number) && entry->is_reversed;
    entry->items = 0;
    entry->first_wrapper = (uint32_t)walk->page->tree.wrappers.count;
}

static crawl_err open_special(cw_text_walker *walk, cw_text_open *entry, const cw_text_attributes *attributes)
{
    switch (entry->element->role) {
    case CW_ROLE_HEADING:
        entry->level = entry->element->level;
        return CRAWL_OK;
    case CW_ROLE_PRE:
        entry->is_pre = true;
        return CRAWL_OK;
    case CW_ROLE_ORDERED:
        open_ordered(walk, entry, attributes);
        return CRAWL_OK;
    case CW_ROLE_ITEM:
        return open_item(walk, entry, attributes);
    case CW_ROLE_DETAIL:
        return open_wrapper(walk, entry, ':', 0);
    case CW_ROLE_QUOTE:
        return open_wrapper(walk, entry, '>', 0);
    case CW_ROLE_TABLE:
        return cw_text_table_open(walk, entry, attributes);
    case CW_ROLE_ROWS: /* no cell reaches into another group (HTML standard, 4.9.12.1) */
        memset(walk->spans, 0, sizeof walk->spans);
        return CRAWL_OK;
    case CW_ROLE_ROW:
        cw_text_table_row(walk, entry);
        return CRAWL_OK;
    case CW_ROLE_CELL:
        cw_text_table_cell(walk, entry, attributes);
        return CRAWL_OK;
    default:
        return CRAWL_OK;
    }
}

crawl_err cw_text_push(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element,
                       const cw_text_attributes *attributes, bool hidden)
{
    cw_text_open entry = *cw_text_top(walk);
    crawl_slice language = cw_text_hint_language(attributes->class);
    entry.name = tag->name;
    entry.element = element;
    entry.hidden = entry.hidden || hidden;
    entry.absent = entry.absent || cw_text_hint_is_absent(attributes) || has_role(&entry, CW_ROLE_DROPPED) ||
                   has_role(&entry, CW_ROLE_UNSCRIPTED);
    entry.unscripted = entry.unscripted || cw_is_nocase(tag->name, "noscript");
    entry.in_title = entry.in_title || (cw_text_is_block(element) && element->level);
    entry.number = 0;
    entry.is_template = has_role(&entry, CW_ROLE_DROPPED) && cw_is_nocase(tag->name, "template") && !walk->is_foreign;
    entry.language = language.size ? language : entry.language;
    entry.is_line = false;
    crawl_err err = cw_text_is_block(element) ? open_section(walk, &entry, attributes) : CRAWL_OK;
    if (!err && cw_text_is_block(element))
        err = open_special(walk, &entry, attributes);
    walk->open[++walk->depth] = entry;
    return err;
}

/* Returns true for a part of a <pre> that is shown as lines of its code: a div, or an item of a numbered list. */
static bool begins_line(cw_text_walker *walk, const cw_text_element *element, const cw_text_attributes *attributes)
{
    const unsigned other = CW_SECTION_HIDDEN | CW_SECTION_HINT | CW_SECTION_NAV;
    const uint64_t roles = ROLE(BLOCK) | ROLE(LIST) | ROLE(ORDERED) | ROLE(ITEM);
    uint32_t post;
    return cw_text_top(walk)->is_pre && walk->depth + 1 < CW_TEXT_MAX_OPEN && roles >> element->role & 1 &&
           !cw_text_hint_is_hidden(attributes) && !(cw_text_hint_flags(attributes, &post) & other);
}

static crawl_err open_line(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element)
{
    crawl_err err = cw_text_end_implied(walk, (cw_text_role)element->role);
    cw_text_open entry = *cw_text_top(walk);
    entry.name = tag->name;
    entry.element = element;
    entry.number = 0;
    entry.is_reversed = entry.is_template = false;
    entry.is_line = true;
    walk->open[++walk->depth] = entry;
    return err ? err : cw_text_writer_begin_line(&walk->page->writer);
}

/* Opens the row that a cell directly in a table implies (HTML standard, 13.2.6.4.9 and 13.2.6.4.13). */
static crawl_err open_implied_row(cw_text_walker *walk, const cw_html_tag *tag)
{
    static const cw_text_attributes none = {0};
    bool lacks_row = has_role(cw_text_top(walk), CW_ROLE_TABLE) || has_role(cw_text_top(walk), CW_ROLE_ROWS);
    return lacks_row && walk->depth + 2 < CW_TEXT_MAX_OPEN
               ? cw_text_push(walk, tag, cw_text_element_named(crawl_slice_of("tr", 2)), &none, false)
               : CRAWL_OK;
}

crawl_err cw_text_open_block(cw_text_walker *walk, const cw_html_tag *tag, const cw_text_element *element,
                             const cw_text_attributes *attributes)
{
    if (begins_line(walk, element, attributes))
        return open_line(walk, tag, element);
    crawl_err err = cw_text_end_block(walk);
    if (!err)
        err = cw_text_end_implied(walk, (cw_text_role)element->role);
    if (!err && element->role == CW_ROLE_CELL)
        err = open_implied_row(walk, tag);
    if (walk->depth + 1 == CW_TEXT_MAX_OPEN)
        walk->beyond++;
    else if (!err)
        err = cw_text_push(walk, tag, element, attributes, cw_text_hint_is_hidden(attributes));
    cw_text_begin_block(walk);
    return err;
}

static bool text_open_is_of_table(const cw_text_element *element)
{
    return element && element->role >= CW_ROLE_TABLE && element->role <= CW_ROLE_CELL;
}

/* Returns true for an inline element. One is on the stack only if its text is left out. */
bool cw_text_is_left_out(const cw_text_open *entry)
{
    return !cw_text_is_block(entry->element);
}

/* Returns true if this end tag ends the element. That of a heading ends a heading of any level (HTML standard,
 * 13.2.6.4.7). */
static bool text_open_is_ended(const cw_text_open *entry, crawl_slice name, const cw_text_element *element)
{
    if (!element)
        return !entry->element && cw_equal_nocase(entry->name, name);
    return entry->element == element || (element->role == CW_ROLE_HEADING && has_role(entry, CW_ROLE_HEADING));
}

/* The end tag of a paragraph without a start is an empty one (HTML standard, 13.2.6.4.7). A title stays whole. */
static crawl_err take_empty_paragraph(cw_text_walker *walk)
{
    const cw_text_open *top = cw_text_top(walk);
    if (top->is_pre)
        return CRAWL_OK;
    return top->level || top->in_title ? cw_text_writer_break(&walk->page->writer) : cw_text_end_block(walk);
}

/* Handles an end tag. The search for its element does not leave the innermost table or template, and only end tags of
 * table elements leave a cell; that of a template leaves them all. */
crawl_err cw_text_close_open(cw_text_walker *walk, crawl_slice name, const cw_text_element *element)
{
    bool is_of_template = cw_is_nocase(name, "template");
    for (unsigned at = walk->depth; at > 0; at--) {
        cw_text_open *entry = &walk->open[at];
        bool is_it = text_open_is_ended(entry, name, element);
        if (is_it && cw_text_is_left_out(entry)) {
            if (!entry->number--)
                walk->depth = at - 1;
            return CRAWL_OK;
        }
        if (is_it)
            return text_open_pop_to(walk, at - 1);
        bool is_barrier = has_role(entry, CW_ROLE_TABLE) || entry->is_template ||
                          (has_role(entry, CW_ROLE_CELL) && !text_open_is_of_table(element));
        if (is_barrier && !is_of_template)
            break;
    }
    return element && element->role == CW_ROLE_PARAGRAPH ? take_empty_paragraph(walk) : CRAWL_OK;
}
