/* Where a DOCTYPE ends (XML 1.0, 2.8), its internal subset included: what this declares is of no use to a crawl, and its entities
 * could be made to swell, so that it is skipped whole. */
#ifndef CW_DOCTYPE_H
#define CW_DOCTYPE_H

#include <crawl/base.h>

/* Zeroed: "<!" was read, the rest is to come. */
typedef struct cw_doctype {
    uint8_t place; /* in the declaration, or in its subset */
    uint8_t mark;  /* how many bytes of "<!--", "-->" or "?>" have come */
    char quote;    /* of the literal at hand */
    bool subset;   /* between "[" and "]" */
} cw_doctype;

/* Takes the next byte. True: it is the ">" that ends the declaration. */
bool cw_doctype_step(cw_doctype *doctype, char c);
/* The byte behind the declaration whose "<!" stands at `at`; end: it has no end. */
const char *cw_doctype_skip(const char *at, const char *end);

#endif
