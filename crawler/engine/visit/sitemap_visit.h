/* The visit of a sitemap (links/sitemaps.h). It makes no record and is no page. With revisit it is visited again as
 * pages are, and read where it has changed. */
#ifndef CW_VISIT_SITEMAP_VISIT_H
#define CW_VISIT_SITEMAP_VISIT_H

#include "crawler/engine/visit/maker.h"

/* The request may be sent. Takes the lease over. */
void cw_visit_sitemap_ask(cw_visit *visit);

#endif
