/* Reads a complete answer: the links of its document, if it is of a kind that has links, and those
 * of its headers (Link, Refresh), by the same settings; what the document and X-Robots-Tag say to robots; and whether
 * it is like a page before (dedupe.h). */
#ifndef CW_VISIT_DOCUMENTS_H
#define CW_VISIT_DOCUMENTS_H

#include "crawler/engine/visit/answer/reading.h"

/* Shows the answer to on_response; false: its links are not wanted. page: NULL: none. */
bool cw_visit_document_show(crawl_engine *engine, const crawl_response *response, const crawl_record *record,
                            const crawl_page *page);
/* Fills in what the document of a complete answer and its headers say, and makes ready what they lead to. */
void cw_visit_document_read(cw_visit_reading *reading);
/* Makes its body ready to be read as a sitemap. */
void cw_visit_document_read_sitemap(cw_visit_reading *reading);
/* Follows, for a slice, where the answer leads to. True: to the end; the record says how many links there were. */
bool cw_visit_document_go_on(cw_visit_reading *reading);
/* Gives back the memory of what was made ready, however far it was followed. */
void cw_visit_document_stop(cw_visit_reading *reading);
/* The record is written: if its page is an original, it is one from now on. CRAWL_ENOMEM. */
crawl_err cw_visit_document_settle(const crawl_engine *engine, const crawl_record *record);

#endif
