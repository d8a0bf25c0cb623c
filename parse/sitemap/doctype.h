/* Where a DOCTYPE ends and a document begins (XML 1.0, 2.8), the internal subset included: what this declares is of no
 * use to a crawl, and its entities could be made to swell, so that it is skipped whole. */
#ifndef CW_SITEMAP_DOCTYPE_H
#define CW_SITEMAP_DOCTYPE_H

#include <crawl/base.h>

/* Zeroed: "<!" was read, the rest is to come. */
typedef struct cw_sitemap_doctype {
    uint8_t place; /* in the declaration, or in its subset */
    uint8_t mark;  /* how many bytes of "<!--", "-->" or "?>" have come */
    char quote;    /* of the literal at hand */
    bool subset;   /* between "[" and "]" */
} cw_sitemap_doctype;

/* Takes the next byte. True: it is the ">" that ends the declaration. */
bool cw_sitemap_doctype_step(cw_sitemap_doctype *doctype, char c);

/* text behind what may stand before the outermost element: white space, comments, instructions, and a DOCTYPE with its
 * subset. */
crawl_slice cw_sitemap_behind_prolog(crawl_slice text);

#endif
