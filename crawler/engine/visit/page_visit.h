/* The visit of a page: it is asked for, its answer is read and leads on, and a record tells what came of it. */
#ifndef CW_VISIT_PAGE_VISIT_H
#define CW_VISIT_PAGE_VISIT_H

#include "crawler/engine/visit/maker.h"

/* These take the lease over. */

/* The request may be sent. */
void cw_visit_page_ask(cw_visit *visit);
/* The page is not asked for: makes a record with this error. */
void cw_visit_page_refuse(cw_visit *visit, crawl_error_class error_class, const char *words);
/* The page is not asked for over http, since its host wants https: makes a record with a redirect to that. */
void cw_visit_page_upgrade(cw_visit *visit);

#endif
