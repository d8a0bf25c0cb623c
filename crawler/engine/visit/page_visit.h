/* The visit of a page: it is asked for, its answer is read, its links or its redirect are followed, and a record tells
 * the outcome. */
#ifndef CW_VISIT_PAGE_VISIT_H
#define CW_VISIT_PAGE_VISIT_H

#include "crawler/engine/visit/maker.h"

/* Each of these ends the lease of the visit, sooner or later. */

/* Asks for the page; the request may be sent. */
void cw_visit_page_ask(cw_visit *visit);
/* Makes a record with this error for a page that is not asked for. */
void cw_visit_page_refuse(cw_visit *visit, crawl_error_class error_class, const char *words);
/* Makes a record with a redirect to https for a page that is not asked for by http, since its host wants https. */
void cw_visit_page_upgrade(cw_visit *visit);

#endif
