/* Is the page at hand like one before? */
#ifndef CW_DUPLICATES_H
#define CW_DUPLICATES_H

#include "crawler/engine/visit/visit.h"

/* Fills what the record says of pages like this one, by its digest and by page (NULL: of no kind that is
 * parsed). */
void cw_duplicates_look(cw_visit *visit, crawl_record *record, const crawl_page *page);
/* The record is written. CRAWL_ENOMEM. */
crawl_err cw_duplicates_settle(const cw_visit *visit, const crawl_record *record);

#endif
