/* Link relations (RFC 8288; HTML standard, 4.6.7): which of them lead to a page. */
#ifndef CW_LINKS_REL_H
#define CW_LINKS_REL_H

#include <crawl/base.h>

/* Does a <link>, or a link of a header, with these relations lead to a page? One without any leads nowhere, by the
 * standard; one with a resource or a hint among them is no page. */
bool cw_links_rel_leads_to_page(crawl_slice rel);

/* Is the relation, in any case, among them? */
bool cw_links_rel_has(crawl_slice rel, const char *relation);

#endif
