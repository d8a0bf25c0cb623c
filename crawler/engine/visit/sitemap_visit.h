/* The visit of a sitemap (links/sitemaps.h). It makes no record and is no page. With revisit it is visited again as
 * pages are, and read where it has changed. */
#ifndef CW_SITEMAP_VISIT_H
#define CW_SITEMAP_VISIT_H

#include "crawler/engine/visit/visitor.h"

/* The request may be sent. Takes the lease over. */
void cw_sitemap_visit_ask(cw_visit *visit);

#endif
