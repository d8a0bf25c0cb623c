/* Items and their properties, as microdata and RDFa Lite share them: an element is an item, elements below it (and in
 * microdata others, which it names) are its properties, and a property's value may be an item again. The JSON is the
 * form that the HTML standard gives microdata (5.2.5.2): {"type":[...],"id":"...","properties":{"name":[...],...}}. */
#pragma once

#include "parse/data/data_reader.h"

/* How one of the two marks elements. */
typedef struct cw_data_syntax {
    const char *key;    /* in the JSON, with its surrounding punctuation */
    const char *types;  /* the attribute with the types of an item */
    const char *names;  /* the attribute with the names of a property */
    const char *refers; /* the attribute with the ids of elements that have more properties; NULL: none */
    bool (*is_item)(cw_data_reader *reader, const xmlNode *element);
    /* Returns true for an item of the page; false: it is the value of a property. */
    bool (*is_top)(cw_data_reader *reader, const xmlNode *element);
    /* Writes a value that is not an item. */
    void (*put_value)(cw_data_reader *reader, const xmlNode *element);
    /* Appends the meaning of a type or a name; nothing: it has none. */
    void (*expand)(cw_data_reader *reader, const xmlNode *element, crawl_slice word, crawl_buf *out);
    /* Returns the id of an item, resolved; empty: it has none. Borrowed until the next call with this reader. */
    crawl_slice (*id)(cw_data_reader *reader, const xmlNode *element);
} cw_data_syntax;

extern const cw_data_syntax cw_data_microdata;
extern const cw_data_syntax cw_data_rdfa;

/* Writes `,"KEY":[...]` with the items of the page, or nothing if there are none. CRAWL_ENOMEM. */
crawl_err cw_data_put_items(cw_data_reader *reader, const cw_data_syntax *syntax);

/* Adds a property to the current item; it may be one of several with its name. element: index of the element with its
 * value. CRAWL_ENOMEM. */
crawl_err cw_data_add_property(cw_data_reader *reader, uint32_t element, size_t name_at);

/* Writes `{"name":[...],...}` of the properties from this one on: names in the order of their first use, each with all
 * of its values. */
crawl_err cw_data_put_properties(cw_data_reader *reader, size_t from,
                                 crawl_err (*put)(cw_data_reader *reader, const void *user, uint32_t element),
                                 const void *user);
