/* Domains to ASCII by UTS 46 with the URL standard's choices (3.3): not transitional, no check of hyphens or of DNS lengths,
 * joiners and right-to-left labels checked. The mapping is libidn2's; see idna.c for what is built around it. */
#ifndef CW_IDNA_H
#define CW_IDNA_H

#include <crawl/base.h>

/* Bytes of a domain that is not all ASCII: four times what DNS can hold. Punycode takes time that grows with the square of
 * a label, so a longer domain is refused. */
enum { CW_IDNA_MAX_DOMAIN = 1024 };

/* Appends the ASCII form of domain, well-formed UTF-8. Labels may become empty. Code points that the URL standard forbids in a
 * domain are the caller's to look for. CRAWL_EPARSE: none. CRAWL_ENOMEM. */
crawl_err cw_idna_to_ascii(crawl_slice domain, crawl_buf *out);

/* Is this a code point that UTS 46 leaves as it is and that libidn2 refuses? */
bool cw_idna_is_symbol(uint32_t code);

#endif
