/* See data_items.h. The search for the properties of an item is that of the HTML standard (5.2.5.1, "the properties of
 * an item"): it visits each element once, so that elements which name each other end it. An item that is, however
 * indirectly, the value of a property of itself is "ERROR", as in the standard. */
#include "parse/data/data_items.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/json/json_write.h"

#include <stdlib.h>

/* A short name gets the length of its vocabulary, again for each property, and is kept: its bytes are paid for this
 * often, so that all names of a page take 16 MB at most. */
enum { NAME_PRICE = 8 };

/* ---- properties, by name ---- */

crawl_err cw_data_add_property(cw_data_reader *r, uint32_t element, size_t name_at)
{
    if (r->names.size == name_at)
        return r->out.err;
    if (CW_ARRAY_RESERVE(r->properties, r->property_capacity, r->property_count + 1, 64))
        return CRAWL_ENOMEM;
    r->properties[r->property_count] = (cw_data_property){
        .element = element,
        .order = (uint32_t)r->property_count,
        .name_at = (uint32_t)name_at,
        .name_size = (uint32_t)(r->names.size - name_at),
    };
    r->property_count++;
    return r->out.err;
}

static crawl_slice data_items_name_of(const cw_data_reader *r, size_t index)
{
    const cw_data_property *property = &r->properties[index];
    return crawl_slice_of(r->names.data + property->name_at, property->name_size);
}

/* Returns the next property of this name, from index on; end: there is none. */
static size_t next_of_name(cw_data_reader *r, crawl_slice name, size_t index, size_t end)
{
    while (index < end && !crawl_slice_equal(data_items_name_of(r, index), name))
        index = cw_data_step(r) ? index + 1 : end;
    return index;
}

/* Writes the values of all properties with the name of this one, the first that has it. The properties may move
 * meanwhile: those of nested items are appended after them. */
static crawl_err data_items_put_group(cw_data_reader *r, size_t first, size_t end,
                                      crawl_err (*put)(cw_data_reader *, const void *, uint32_t), const void *user)
{
    crawl_err err = CRAWL_OK;
    const char *before = "";
    r->closing++;
    for (size_t at = first; at < end && !err; at = next_of_name(r, data_items_name_of(r, first), at + 1, end)) {
        size_t size = r->json.size;
        cw_put_text(&r->out, before);
        err = put(r, user, r->properties[at].element);
        if (!cw_data_keep(r, size))
            break;
        before = ",";
    }
    r->closing--;
    return err;
}

crawl_err cw_data_put_properties(cw_data_reader *r, size_t from,
                                 crawl_err (*put)(cw_data_reader *, const void *, uint32_t), const void *user)
{
    size_t end = r->property_count;
    crawl_err err = CRAWL_OK;
    const char *before = "{";
    r->closing++;
    for (size_t at = from; at < end && !err; at++) {
        size_t size = r->json.size;
        if (next_of_name(r, data_items_name_of(r, at), from, at) < at)
            continue;
        cw_put_text(&r->out, before);
        cw_data_put_text(r, data_items_name_of(r, at));
        cw_put_text(&r->out, ":[");
        err = data_items_put_group(r, at, end, put, user);
        cw_put_char(&r->out, ']');
        if (!cw_data_keep(r, size))
            break;
        before = ",";
    }
    r->closing--;
    cw_put_text(&r->out, *before == '{' ? "{}" : "}");
    return err ? err : r->out.err;
}

/* ---- an item ---- */

typedef struct item_search {
    cw_data_reader *reader;
    const cw_data_syntax *syntax;
    bool is_sorted; /* no element was named by its id */
} item_search;

/* Adds a property for each name of the element, once (HTML standard, 5.2.3). */
static crawl_err add_names(cw_data_reader *r, const cw_data_syntax *syntax, const xmlNode *element)
{
    crawl_buf names = {0};
    crawl_slice found = cw_data_attribute(r, element, syntax->names);
    crawl_err err = found.size ? crawl_buf_append(&names, found.data, found.size) : CRAWL_OK;
    crawl_slice rest = cw_trim(crawl_buf_slice(&names));
    size_t from = r->property_count;
    while (rest.size && !err && cw_data_step(r)) {
        size_t at = r->names.size;
        syntax->expand(r, element, cw_take_word(&rest, false), &r->names);
        cw_data_pay(r, NAME_PRICE * (r->names.size - at));
        size_t same = next_of_name(r, cw_drop(crawl_buf_slice(&r->names), at), from, r->property_count);
        if (same < r->property_count)
            r->names.size = at;
        err = cw_data_add_property(r, cw_data_index(element), at);
    }
    crawl_buf_free(&names);
    return err;
}

/* Visits an element, and those below it unless it is an item. */
static crawl_err search_element(item_search *s, xmlNode *element, bool is_root)
{
    cw_data_reader *r = s->reader;
    uint32_t index = cw_data_index(element);
    if (index == UINT32_MAX || r->marks[index] == r->search || !cw_data_step(r))
        return CRAWL_OK;
    r->marks[index] = r->search;
    crawl_err err = is_root ? CRAWL_OK : add_names(r, s->syntax, element);
    if (!is_root && s->syntax->is_item(r, element))
        return err;
    for (xmlNode *child = element->children; child && !err; child = child->next)
        if (child->type == XML_ELEMENT_NODE)
            err = search_element(s, child, false);
    return err;
}

/* Returns the first element with this id. NULL: there is none. */
static xmlNode *element_by_id(cw_data_reader *r, crawl_slice id)
{
    for (size_t i = 0; i < r->count && cw_data_step(r); i++)
        if (cw_data_has(r, r->elements[i], "id") && crawl_slice_equal(cw_data_attribute(r, r->elements[i], "id"), id))
            return r->elements[i];
    return NULL;
}

static crawl_err search_named(item_search *s, const xmlNode *root)
{
    cw_data_reader *r = s->reader;
    crawl_buf ids = {0};
    crawl_slice found = cw_data_attribute(r, root, s->syntax->refers);
    crawl_err err = found.size ? crawl_buf_append(&ids, found.data, found.size) : CRAWL_OK;
    crawl_slice rest = cw_trim(crawl_buf_slice(&ids));
    while (rest.size && !err && r->steps) {
        xmlNode *element = element_by_id(r, cw_take_word(&rest, false));
        s->is_sorted = false;
        err = element ? search_element(s, element, false) : CRAWL_OK;
    }
    crawl_buf_free(&ids);
    return err;
}

static int by_place(const void *a, const void *b)
{
    const cw_data_property *x = a;
    const cw_data_property *y = b;
    if (x->element != y->element)
        return x->element < y->element ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Adds the properties of an item, in document order. */
static crawl_err find_properties(cw_data_reader *r, const cw_data_syntax *syntax, xmlNode *root)
{
    item_search s = {.reader = r, .syntax = syntax, .is_sorted = true};
    size_t from = r->property_count;
    r->search++;
    crawl_err err = search_element(&s, root, true);
    if (!err && syntax->refers)
        err = search_named(&s, root);
    if (!err && !s.is_sorted && r->property_count > from)
        qsort(r->properties + from, r->property_count - from, sizeof *r->properties, by_place);
    return err;
}

/* ---- its JSON ---- */

static crawl_err data_items_put_types(cw_data_reader *r, const cw_data_syntax *syntax, const xmlNode *element)
{
    crawl_buf types = {0};
    crawl_buf one = {0};
    const char *before = "\"type\":[";
    crawl_slice found = cw_data_attribute(r, element, syntax->types);
    crawl_err err = found.size ? crawl_buf_append(&types, found.data, found.size) : CRAWL_OK;
    crawl_slice rest = cw_trim(crawl_buf_slice(&types));
    while (rest.size && !err && cw_data_step(r)) {
        crawl_buf_clear(&one);
        syntax->expand(r, element, cw_take_word(&rest, false), &one);
        cw_data_pay(r, NAME_PRICE * one.size);
        if (!one.size)
            continue;
        cw_put_text(&r->out, before);
        cw_data_put_text(r, crawl_buf_slice(&one));
        before = ",";
    }
    cw_put_text(&r->out, *before == ',' ? "]," : "");
    crawl_buf_free(&types);
    crawl_buf_free(&one);
    return err;
}

static crawl_err data_put_item(cw_data_reader *r, const cw_data_syntax *syntax, xmlNode *element);

static crawl_err data_items_put_value(cw_data_reader *r, const void *user, uint32_t index)
{
    const cw_data_syntax *syntax = user;
    xmlNode *element = r->elements[index];
    if (syntax->is_item(r, element))
        return data_put_item(r, syntax, element);
    syntax->put_value(r, element);
    return r->out.err;
}

static bool is_in_chain(const cw_data_reader *r, uint32_t index)
{
    for (size_t i = 0; i < r->depth; i++)
        if (r->chain[i] == index)
            return true;
    return false;
}

static crawl_err data_put_item(cw_data_reader *r, const cw_data_syntax *syntax, xmlNode *element)
{
    uint32_t index = cw_data_index(element);
    bool is_too_deep = r->depth == CRAWL_DATA_MAX_DEPTH;
    size_t from = r->property_count;
    size_t names = r->names.size;
    if (is_too_deep || is_in_chain(r, index)) {
        cw_put_text(&r->out, is_too_deep ? "null" : "\"ERROR\"");
        r->is_cut = r->is_cut || is_too_deep;
        return r->out.err;
    }
    r->chain[r->depth++] = index;
    r->closing++;
    cw_put_char(&r->out, '{');
    crawl_err err = data_items_put_types(r, syntax, element);
    crawl_slice id = syntax->id(r, element);
    if (id.size) {
        cw_json_text(&r->out, "\"id\":", id);
        cw_put_char(&r->out, ',');
    }
    if (!err)
        err = find_properties(r, syntax, element);
    cw_put_text(&r->out, "\"properties\":");
    if (!err)
        err = cw_data_put_properties(r, from, data_items_put_value, syntax);
    cw_put_char(&r->out, '}');
    r->closing--;
    r->property_count = from;
    r->names.size = names;
    r->depth--;
    return err ? err : r->out.err;
}

crawl_err cw_data_put_items(cw_data_reader *r, const cw_data_syntax *syntax)
{
    const char *before = syntax->key;
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < r->count && !err; i++) {
        size_t size = r->json.size;
        if (!syntax->is_item(r, r->elements[i]) || !syntax->is_top(r, r->elements[i]))
            continue;
        cw_put_text(&r->out, before);
        err = data_put_item(r, syntax, r->elements[i]);
        if (!cw_data_keep(r, size))
            break;
        before = ",";
    }
    cw_put_text(&r->out, before == syntax->key ? "" : "]");
    return err ? err : r->out.err;
}
