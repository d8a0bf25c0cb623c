/* The visit of a sitemap (links/sitemaps.h). It makes no record, and does not count as a page. With revisit it is
 * visited again as pages are, and read again if it has changed. */
#ifndef CW_VISIT_SITEMAP_VISIT_H
#define CW_VISIT_SITEMAP_VISIT_H

#include "crawler/engine/visit/maker.h"

/* Asks for the sitemap; the request may be sent. The visit ends its lease, sooner or later. */
void cw_visit_sitemap_ask(cw_visit *visit);
/* Ends the visit of a place where a feed may be (feeds.h), which may not be asked for. */
void cw_visit_sitemap_refuse_guess(cw_visit *visit);

#endif
