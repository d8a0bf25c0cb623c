/* Finds where a DOCTYPE ends (XML 1.0, 2.8), including its internal subset. A crawler needs nothing that a DOCTYPE
 * declares, and its entities could be made to expand without limit, so all of it is skipped. */
#pragma once

#include <crawl/base.h>

/* The position in a DOCTYPE. All zero: "<!" was read, and the rest follows. */
typedef struct cw_sitemap_doctype {
    uint8_t place; /* in the declaration, or in its subset */
    uint8_t mark;  /* bytes of "<!--", "-->" or "?>" seen so far */
    char quote;    /* the quote of the literal being read */
    bool subset;   /* between "[" and "]" */
} cw_sitemap_doctype;

/* Takes the next byte. true: it is the ">" that ends the declaration. */
bool cw_sitemap_doctype_step(cw_sitemap_doctype *doctype, char c);

/* Takes the next comment, instruction or DOCTYPE from the start of an XML document, without white space before it.
 * Empty: the root element follows. */
crawl_slice cw_sitemap_next_in_prolog(crawl_slice *rest);

/* Returns the text after everything that may precede the root element: white space, comments, instructions, and a
 * DOCTYPE with its subset. */
crawl_slice cw_sitemap_behind_prolog(crawl_slice text);
