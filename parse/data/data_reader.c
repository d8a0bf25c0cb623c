#include "parse/data/data_reader.h"

#include "base/array.h"
#include "base/json/json_write.h"
#include "base/utf8.h"
#include "parse/extract/extract_text.h"
#include "parse/extract/extract_value.h"

#include <stdlib.h>

/* ---- elements ---- */

static crawl_err add_element(cw_data_reader *r, xmlNode *element)
{
    if (CW_ARRAY_RESERVE(r->elements, r->capacity, r->count + 1, 1024))
        return CRAWL_ENOMEM;
    r->elements[r->count++] = element;
    element->_private = (void *)(uintptr_t)r->count;
    return CRAWL_OK;
}

/* Returns the next node in document order, or, without into, the next one after everything inside this one. NULL: there
 * is none below root. */
static xmlNode *data_reader_next_node(xmlNode *node, const xmlNode *root, bool into)
{
    if (into && node->type == XML_ELEMENT_NODE && node->children)
        return node->children;
    while (node != root && !node->next)
        node = node->parent;
    return node == root ? NULL : node->next;
}

crawl_err cw_data_list_elements(cw_data_reader *r, xmlNode *root)
{
    crawl_err err = CRAWL_OK;
    bool into = true;
    r->count = 0;
    for (xmlNode *node = root; node && !err; node = data_reader_next_node(node, root, into)) {
        into = node->type == XML_ELEMENT_NODE && !cw_data_is(node, "template");
        if (into)
            err = add_element(r, node);
        else if (node->type == XML_ELEMENT_NODE)
            node->_private = NULL;
    }
    if (err || r->count <= r->mark_capacity)
        return err;
    free(r->marks);
    r->marks = calloc(r->capacity, sizeof *r->marks);
    r->mark_capacity = r->marks ? r->capacity : 0;
    r->search = 0;
    return r->marks ? CRAWL_OK : CRAWL_ENOMEM;
}

uint32_t cw_data_index(const xmlNode *element)
{
    return element->_private ? (uint32_t)((uintptr_t)element->_private - 1) : UINT32_MAX;
}

bool cw_data_step(cw_data_reader *r)
{
    if (r->steps) {
        r->steps--;
        return true;
    }
    r->is_cut = true;
    return false;
}

static void take_steps(cw_data_reader *r, size_t count)
{
    r->steps -= count < r->steps ? count : r->steps;
}

void cw_data_pay(cw_data_reader *r, size_t bytes)
{
    take_steps(r, bytes / 64);
}

/* ---- attributes ---- */

/* Attributes that cost no step: nearly all elements have fewer. */
enum { FREE_ATTRIBUTES = 16 };

static xmlAttr *attribute_of(cw_data_reader *r, const xmlNode *element, const char *name)
{
    xmlAttr *attribute = element->properties;
    size_t passed = 0;
    for (; attribute && strcmp((const char *)attribute->name, name) != 0; passed++)
        attribute = attribute->next;
    take_steps(r, passed / FREE_ATTRIBUTES);
    return attribute;
}

bool cw_data_has(cw_data_reader *r, const xmlNode *element, const char *name)
{
    return attribute_of(r, element, name) != NULL;
}

crawl_slice cw_data_attribute(cw_data_reader *r, const xmlNode *element, const char *name)
{
    const xmlAttr *attribute = attribute_of(r, element, name);
    if (!attribute)
        return (crawl_slice){0};
    const xmlNode *value = attribute->children;
    if (!value)
        return crawl_slice_of("", 0);
    if (value->type == XML_TEXT_NODE && !value->next) {
        crawl_slice text = crawl_slice_from((const char *)value->content);
        cw_data_pay(r, text.size);
        return text;
    }
    xmlChar *content = xmlNodeGetContent((const xmlNode *)attribute);
    crawl_buf_clear(&r->raw);
    if (content && crawl_buf_append_text(&r->raw, (const char *)content))
        r->out.err = CRAWL_ENOMEM;
    xmlFree(content);
    return crawl_slice_of(r->raw.data ? r->raw.data : "", r->raw.size);
}

/* ---- texts ---- */

/* Collects the text with its white space, at most `most` bytes. */
static crawl_slice raw_text(cw_data_reader *r, const xmlNode *element, size_t most)
{
    cw_extract_walk walk = {.root = element, .node = element, .out = &r->raw};
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&r->raw);
    while (walk.node && !err && r->raw.size <= most && cw_data_step(r))
        err = cw_extract_text_step(&walk, most + 1 - r->raw.size);
    r->out.err = err ? err : r->out.err;
    crawl_slice text = crawl_buf_slice(&r->raw);
    cw_data_pay(r, text.size);
    if (text.size <= most)
        return text;
    r->is_cut = true;
    return cw_utf8_cut(text, most);
}

crawl_slice cw_data_collapse(cw_data_reader *r, crawl_slice text)
{
    crawl_buf_clear(&r->text);
    if (cw_extract_collapse(text, &r->text))
        r->out.err = CRAWL_ENOMEM;
    return crawl_buf_slice(&r->text);
}

crawl_slice cw_data_text(cw_data_reader *r, const xmlNode *element)
{
    return cw_data_collapse(r, raw_text(r, element, CRAWL_DATA_MAX_VALUE));
}

crawl_slice cw_data_url(cw_data_reader *r, crawl_slice text)
{
    crawl_err err = crawl_url_parse(r->url, text, r->base, r->charset);
    if (err == CRAWL_ENOMEM)
        r->out.err = err;
    return err ? (crawl_slice){0} : crawl_url_href(r->url);
}

/* ---- the JSON ---- */

void cw_data_put_text(cw_data_reader *r, crawl_slice text)
{
    if (text.size > CRAWL_DATA_MAX_VALUE) {
        r->is_cut = true;
        text = cw_utf8_cut(text, CRAWL_DATA_MAX_VALUE);
    }
    cw_json_put_text(&r->out, text);
}

bool cw_data_keep(cw_data_reader *r, size_t before)
{
    if (r->json.size + r->closing <= CRAWL_DATA_MAX_BYTES)
        return true;
    cw_writer_cut(&r->out, before);
    r->is_cut = true;
    return false;
}
