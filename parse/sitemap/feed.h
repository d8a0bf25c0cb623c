/* Links of RSS and Atom feeds. */
#ifndef CW_FEED_H
#define CW_FEED_H

#include "parse/page/page_build.h"

/* text is well-formed UTF-8. Takes Atom's link (href, rel; RFC 4287, 4.2.7), the text of RSS's link, the url of its
 * enclosure, xml:base of the outermost element, and the first title. CRAWL_ENOMEM. */
crawl_err cw_feed_page(crawl_page *page, crawl_slice text);

#endif
