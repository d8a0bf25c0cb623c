/* Sitemaps in a crawl. */
#ifndef CW_SITEMAPS_H
#define CW_SITEMAPS_H

#include "crawler/engine/links/follow.h"

void cw_sitemaps_ask(cw_visit *visit); /* the visit is about to be asked: queues the sitemaps of its site, once */
void cw_sitemap_visit_begin(cw_visit *visit); /* takes the lease over */

/* Reads a body as a sitemap as far as it goes, and pushes what it names. cut: it is the beginning of one. */
cw_followed cw_sitemap_read(cw_visit *visit, crawl_slice body, bool cut);

#endif
