/* Shared by the readers of a page's data: its facts, the elements of its tree in document order if it has items, their
 * texts and URLs, and the JSON being written, with its maxima. */
#pragma once

#include "base/writer.h"
#include "parse/data/data_facts.h"

#include <crawl/data.h>
#include <libxml/tree.h>

/* A property of an item: the element with its value, or for OpenGraph the fact, and its name, which is in the names of
 * the reader. */
typedef struct cw_data_property {
    uint32_t element;
    uint32_t order; /* in which they were found */
    uint32_t name_at;
    uint32_t name_size;
} cw_data_property;

typedef struct cw_data_reader {
    const crawl_url *base;
    const char *charset;
    crawl_slice canonical;      /* of a header, for the next page; empty: none */
    const cw_data_facts *facts; /* recorded by the pass over the page */
    crawl_url *url;
    xmlNode **elements; /* of the page, in document order; _private of each is its index plus one */
    size_t count;
    size_t capacity;
    uint32_t *marks; /* of each element: the number of the last search that reached it */
    size_t mark_capacity;
    uint32_t search;
    cw_data_property *properties; /* of the items being written, the outermost first */
    size_t property_count;
    size_t property_capacity;
    uint32_t chain[CRAWL_DATA_MAX_DEPTH]; /* these items */
    size_t depth;
    crawl_buf names; /* of properties */
    crawl_buf raw;
    crawl_buf text;
    crawl_buf json;
    cw_writer out;  /* to json */
    size_t closing; /* bytes that will close what is open in it */
    size_t steps;   /* remaining */
    bool is_cut;
} cw_data_reader;

/* Fills elements. CRAWL_ENOMEM. */
crawl_err cw_data_list_elements(cw_data_reader *reader, xmlNode *root);

/* Returns the index of an element. UINT32_MAX: it is in a <template>, so not part of the page. */
uint32_t cw_data_index(const xmlNode *element);

/* Takes a step. false: none is left. */
bool cw_data_step(cw_data_reader *reader);

/* Takes the steps that reading so many bytes costs, as far as they are left. */
void cw_data_pay(cw_data_reader *reader, size_t bytes);

static inline bool cw_data_is(const xmlNode *element, const char *name)
{
    return strcmp((const char *)element->name, name) == 0;
}

/* Returns the value of an attribute, borrowed until the next call with this reader; data is NULL if there is none. */
crawl_slice cw_data_attribute(cw_data_reader *reader, const xmlNode *element, const char *name);
bool cw_data_has(cw_data_reader *reader, const xmlNode *element, const char *name);

/* Returns the text below an element, its white space collapsed, at most CRAWL_DATA_MAX_VALUE bytes, borrowed until the
 * next call. */
crawl_slice cw_data_text(cw_data_reader *reader, const xmlNode *element);
/* The same for any text, which must not be the reader's own. */
crawl_slice cw_data_collapse(cw_data_reader *reader, crawl_slice text);

/* Returns text as a URL, resolved, borrowed until the next call; empty: it is not a URL. */
crawl_slice cw_data_url(cw_data_reader *reader, crawl_slice text);

/* Writes a text in quotes, cut at CRAWL_DATA_MAX_VALUE. */
void cw_data_put_text(cw_data_reader *reader, crawl_slice text);

/* Checks the JSON after a value was written; before: its size before. false: closed, it would exceed the maximum, and
 * the value is removed again. */
bool cw_data_keep(cw_data_reader *reader, size_t before);
