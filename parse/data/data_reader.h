/* Shared by the readers of a page's data: its facts, the elements of its tree in their order where it has items, the
 * texts and URLs of these, and the JSON that is being written, with its maxima. */
#pragma once

#include "base/writer.h"
#include "parse/data/data_facts.h"

#include <crawl/data.h>
#include <libxml/tree.h>

/* A property of an item: the element that has its value, or of OpenGraph the fact, and its name, which stands in the
 * names of the reader. */
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
    const cw_data_facts *facts; /* what the pass over the page took down */
    crawl_url *url;
    xmlNode **elements; /* those of the page, in the order of the document; _private of each is its index and one */
    size_t count;
    size_t capacity;
    uint32_t *marks; /* of each element: the number of the last search that came to it */
    size_t mark_capacity;
    uint32_t search;
    cw_data_property *properties; /* of the items that are being written, those of the outermost first */
    size_t property_count;
    size_t property_capacity;
    uint32_t chain[CRAWL_DATA_MAX_DEPTH]; /* these items */
    size_t depth;
    crawl_buf names; /* of properties */
    crawl_buf raw;
    crawl_buf text;
    crawl_buf json;
    cw_writer out; /* to json */
    size_t steps;  /* that are left */
    bool is_cut;
} cw_data_reader;

/* Fills elements. CRAWL_ENOMEM. */
crawl_err cw_data_list_elements(cw_data_reader *reader, xmlNode *root);

/* The index of an element; UINT32_MAX: it is none of the page's, for it stands in a <template>. */
uint32_t cw_data_index(const xmlNode *element);

/* Takes a step. False: none is left. */
bool cw_data_step(cw_data_reader *reader);

static inline bool cw_data_is(const xmlNode *element, const char *name)
{
    return strcmp((const char *)element->name, name) == 0;
}

/* The value of an attribute, borrowed until the next call with this reader; data is NULL where there is none. */
crawl_slice cw_data_attribute(cw_data_reader *reader, const xmlNode *element, const char *name);
bool cw_data_has(const xmlNode *element, const char *name);

/* The text below an element without its white space, at most CRAWL_DATA_MAX_VALUE of it, borrowed until the next
 * call. */
crawl_slice cw_data_text(cw_data_reader *reader, const xmlNode *element);
/* The same of any text, which is not the reader's own. */
crawl_slice cw_data_collapse(cw_data_reader *reader, crawl_slice text);

/* The URL that text is, resolved, borrowed until the next call; empty: it is none. */
crawl_slice cw_data_url(cw_data_reader *reader, crawl_slice text);

/* Writes a text in quotes, cut at CRAWL_DATA_MAX_VALUE. */
void cw_data_put_text(cw_data_reader *reader, crawl_slice text);

/* A value was written, before which the JSON had this size. False: it is beyond the maximum, and is cut off again. */
bool cw_data_keep(cw_data_reader *reader, size_t before);
