/* Facts of a page from single elements, each a kind, a name and a value. They are recorded while a walk passes the page
 * (data_listen.c), so they need no tree. */
#pragma once

#include "parse/html/html_walk.h"

#include <crawl/data.h>

/* The most facts of a page. A value takes at least three bytes of JSON ("" and a comma), so more would not fit. */
#define CW_DATA_MAX_FACTS (CRAWL_DATA_MAX_BYTES / 3)

/* Bytes of all values. Most of a long page is white space in scripts, or repetition. */
#define CW_DATA_MAX_FACT_BYTES (8u << 20)

/* Elements inside an h1 that are tracked; deeper ones are taken for their parent. */
#define CW_DATA_MAX_OPEN 64u

typedef enum cw_data_kind {
    CW_DATA_LANG,     /* of <html> */
    CW_DATA_XML_LANG, /* likewise, by XML's name */
    CW_DATA_DESCRIPTION,
    CW_DATA_CANONICAL,
    CW_DATA_LICENSE,
    CW_DATA_TRANSLATION, /* its name is the language */
    CW_DATA_HEADING,
    CW_DATA_OPEN_GRAPH, /* with the name of the property */
    CW_DATA_JSON_LD,    /* a script, as JSON without white space */
    CW_DATA_NO_ALT      /* the URL of an image without alt */
} cw_data_kind;

typedef struct cw_data_fact {
    uint32_t name_at; /* in the text of all */
    uint32_t name_size;
    uint32_t value_at;
    uint32_t value_size;
    cw_data_kind kind;
} cw_data_fact;

/* An element that is open inside an h1, or the h1 itself. */
typedef struct cw_data_open {
    crawl_slice name; /* in the page */
    uint32_t fact;    /* of an h1; UINT32_MAX: none */
    uint32_t start;   /* of its text */
    bool silent;      /* its text is not part of the heading */
} cw_data_open;

/* `{0}` wants none. */
typedef struct cw_data_facts {
    bool wanted;
    bool xml;       /* the page is XHTML */
    bool has_items; /* an element begins an item of microdata or RDFa */
    bool is_cut;    /* a maximum was exceeded */
    size_t broken;  /* scripts that should be JSON but are not */
    cw_data_fact *facts;
    size_t count;
    size_t capacity;
    crawl_buf text; /* of names and values */
    unsigned seen;  /* kinds, as bits */

    /* State of the walk. */
    bool in_script; /* of JSON-LD */
    crawl_buf name; /* with its references decoded */
    crawl_buf value;
    cw_data_open open[CW_DATA_MAX_OPEN]; /* the first is the outermost h1 */
    unsigned depth;                      /* how many there are */
    bool is_silent;                      /* the last tag began a style or script of SVG */
    crawl_buf heading;                   /* the text of the outermost h1 */
    bool is_full;                        /* the heading was cut, and takes no more */
    bool is_shifted;                     /* a <sup> or <sub> began or ended before the next text */
    cw_html_every every;
} cw_data_facts;

void cw_data_facts_free(cw_data_facts *facts);

/* Call before each page. most: bytes of memory that each buffer keeps from the previous page. */
void cw_data_facts_reset(cw_data_facts *facts, size_t most);

/* Adds a fact; drops it if there are too many, and sets *index (may be NULL) to UINT32_MAX. name and value are UTF-8,
 * and must not point into the facts' own text. CRAWL_ENOMEM. */
crawl_err cw_data_facts_add(cw_data_facts *facts, cw_data_kind kind, crawl_slice name, crawl_slice value,
                            uint32_t *index);

/* Sets the value of a fact that was added without one: text, its white space collapsed. CRAWL_ENOMEM. */
crawl_err cw_data_facts_set(cw_data_facts *facts, uint32_t index, crawl_slice text);

static inline crawl_slice cw_data_fact_name(const cw_data_facts *facts, size_t index)
{
    const cw_data_fact *fact = &facts->facts[index];
    return fact->name_size ? crawl_slice_of(facts->text.data + fact->name_at, fact->name_size) : (crawl_slice){0};
}

static inline crawl_slice cw_data_fact_value(const cw_data_facts *facts, size_t index)
{
    const cw_data_fact *fact = &facts->facts[index];
    return fact->value_size ? crawl_slice_of(facts->text.data + fact->value_at, fact->value_size) : (crawl_slice){0};
}

/* Returns the listener that a walk must call for every token. NULL: nothing is wanted. xml: the page is XHTML. */
const cw_html_every *cw_data_listen(cw_data_facts *facts, bool xml);

/* Ends the walk. CRAWL_ENOMEM. */
crawl_err cw_data_listen_end(cw_data_facts *facts);
