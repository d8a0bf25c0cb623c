/* Link relations (RFC 8288; HTML standard, 4.6.7): which of them lead to a page. */
#ifndef CW_LINKS_REL_H
#define CW_LINKS_REL_H

#include <crawl/base.h>

/* Does a <link>, or a link of a header, with these relations lead to a page? It does not if it has no relation, which
 * the standard says leads nowhere, or if one of them names a resource or a hint. */
bool cw_links_rel_leads_to_page(crawl_slice rel);

/* Is this relation among those of rel? Upper and lower case are the same. */
bool cw_links_rel_has(crawl_slice rel, const char *relation);

#endif
