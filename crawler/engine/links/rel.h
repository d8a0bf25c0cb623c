/* Link relations (RFC 8288; HTML standard, 4.6.7): which of them lead to a page. */
#ifndef CW_LINKS_REL_H
#define CW_LINKS_REL_H

#include <crawl/links.h>

/* Is a <link>, or a link of a header or a feed, followed? One of its relations has to lead readers to a page, and none
 * may name something else. Its type, where it has one, has to be that of a page or, without a query, of a feed. */
bool cw_links_rel_is_followed(const crawl_link *link);

/* Is this relation among those of rel? Upper and lower case are the same. */
bool cw_links_rel_has(crawl_slice rel, const char *relation);

#endif
