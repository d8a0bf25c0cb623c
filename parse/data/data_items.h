/* Items and their properties, which microdata and RDFa Lite have alike: an element is an item, elements below it (and
 * in microdata others, which it names) are its properties, and the value of one may be an item again. As JSON they are
 * what the HTML standard makes of microdata (5.2.5.2): {"type":[...],"id":"...","properties":{"name":[...],...}}. */
#pragma once

#include "parse/data/data_reader.h"

/* How one of the two marks elements. */
typedef struct cw_data_syntax {
    const char *key;    /* in the JSON, with what stands before and behind it */
    const char *types;  /* the attribute with the types of an item */
    const char *names;  /* the attribute with the names of a property */
    const char *refers; /* the attribute with identifiers of elements that have more properties; NULL: none */
    bool (*is_item)(const xmlNode *element);
    /* Is the item one of the page, rather than the value of a property? */
    bool (*is_top)(cw_data_reader *reader, const xmlNode *element);
    /* Writes a value that is no item. */
    void (*put_value)(cw_data_reader *reader, const xmlNode *element);
    /* Appends what a type or a name stands for; nothing: it is none. */
    void (*expand)(cw_data_reader *reader, const xmlNode *element, crawl_slice word, crawl_buf *out);
    /* The identifier of an item, resolved; empty: it has none. Borrowed until the next call with this reader. */
    crawl_slice (*id)(cw_data_reader *reader, const xmlNode *element);
} cw_data_syntax;

extern const cw_data_syntax cw_data_microdata;
extern const cw_data_syntax cw_data_rdfa;

/* Writes `,"KEY":[...]` with the items of the page, or nothing where there is none. CRAWL_ENOMEM. */
crawl_err cw_data_put_items(cw_data_reader *reader, const cw_data_syntax *syntax);

/* The property of an item of which this is one of several with its name: adds it to the properties. element: the index
 * of what has its value. CRAWL_ENOMEM. */
crawl_err cw_data_add_property(cw_data_reader *reader, uint32_t element, size_t name_at);

/* Writes `{"name":[...],...}` of the properties from this one on, names in the order in which they came first, each
 * with all of its values. */
crawl_err cw_data_put_properties(cw_data_reader *reader, size_t from,
                                 crawl_err (*put)(cw_data_reader *reader, const void *user, uint32_t element),
                                 const void *user);
