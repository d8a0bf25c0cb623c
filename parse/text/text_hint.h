/* Facts of an element in its attributes: that it is not content (class, id, role), that it is not shown, and the
 * language of its code. */
#pragma once

#include <crawl/base.h>

/* The attributes that are read, raw; {0}: absent. */
typedef struct cw_text_attributes {
    crawl_slice href;
    crawl_slice src; /* of an image: see cw_text_image_url */
    crawl_slice alt;
    crawl_slice class;
    crawl_slice id;
    crawl_slice itemprop;
    crawl_slice itemtype;
    crawl_slice property; /* of meta, as is name */
    crawl_slice name;
    crawl_slice content;
    crawl_slice type;
    crawl_slice role;
    crawl_slice style;
    crawl_slice start;
    crawl_slice colspan;
    crawl_slice rowspan;
    crawl_slice value;
    crawl_slice reversed;
    crawl_slice shadow; /* shadowrootmode */
    crawl_slice alttext;
    crawl_slice encoding;
    crawl_slice linethickness; /* of mfrac */
    crawl_slice open;          /* of dialog */
    bool hidden;               /* has no place on the page */
    bool muted;                /* has one, but nothing for a reader */
} cw_text_attributes;

void cw_text_attributes_take(cw_text_attributes *attributes, crawl_slice name, crawl_slice value);

/* Returns CW_SECTION_ bits. *post: as of cw_text_name_flags. */
unsigned cw_text_hint_flags(const cw_text_attributes *attributes, uint32_t *post);

/* Returns true if the element is hidden by its own attributes. */
bool cw_text_hint_is_hidden(const cw_text_attributes *attributes);

/* Returns true if the element, by its own attributes, is not rendered at all; one with aria-hidden or visibility:
 * hidden takes room. */
bool cw_text_hint_is_absent(const cw_text_attributes *attributes);

/* Returns true if an element in code is the number of a line, as Pygments, Rouge and Chroma write it. */
bool cw_text_hint_numbers_line(const cw_text_attributes *attributes);

/* Reads the integer at the start of an attribute (HTML standard, 2.3.4.1). False: none, or more than 32 bits. */
bool cw_text_hint_integer(crawl_slice value, int64_t *number);

/* Returns the language that the class of an element names for its code; empty: none. */
crawl_slice cw_text_hint_language(crawl_slice class);

/* Returns CW_SECTION_ bits. *post: a hash of the first class that is one of a post in a thread, or of such an id with
 * a number; CW_TEXT_ANSWER; 0: there is none. */
unsigned cw_text_name_flags(crawl_slice class, crawl_slice id, uint32_t *post);
