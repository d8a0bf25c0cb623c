/* libxml2's HTML parser as a stream of elements, with no tree, no network, no entity loaded and no word printed. */
#ifndef CW_PAGE_SAX_H
#define CW_PAGE_SAX_H

#include <crawl/base.h>

/* What the parser tells. Names are as libxml2 has them, in lower case. */
typedef struct cw_sax_events {
    /* attributes: name, value, name, value, NULL, each ending with NUL; a value may be NULL. NULL: there are none. */
    void (*start)(void *user, const char *name, const char *const *attributes);
    void (*end)(void *user, const char *name);
    void (*text)(void *user, const char *text, size_t size);
} cw_sax_events;

typedef struct cw_sax cw_sax;

/* Fed bytes after which the parser is made anew: it keeps all that it was fed. */
#define CW_SAX_MAX_FED 262144u

/* NULL: no memory. events and user are used until cw_sax_close. */
cw_sax *cw_sax_open(const cw_sax_events *events, void *user);

/* Parses a piece of a page in UTF-8 that holds whole elements only. CRAWL_ENOMEM. */
crawl_err cw_sax_feed(cw_sax *sax, crawl_slice piece);

/* Parses what is left and frees sax; NULL does nothing. CRAWL_ENOMEM: likewise freed. */
crawl_err cw_sax_close(cw_sax *sax);

#endif
