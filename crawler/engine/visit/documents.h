/* Reads a complete answer: the links of its document, if it is of a kind that has links, and those
 * of its headers (Link, Refresh), by the same settings; what the document and X-Robots-Tag say to robots; and whether
 * it is like a page before (dedupe.h). */
#ifndef CW_VISIT_DOCUMENTS_H
#define CW_VISIT_DOCUMENTS_H

#include "crawler/engine/visit/maker.h"

/* Shows the answer to on_response; false: its links are not wanted. page: NULL: none. */
bool cw_visit_document_show(crawl_engine *engine, const crawl_response *response, const crawl_record *record,
                            const crawl_page *page);
/* Fills in what the document of a complete answer and its headers say, and follows where they lead. */
cw_links_followed cw_visit_document_read(cw_visit *visit, const crawl_response *response, crawl_record *record);
/* The record is written: if its page is an original, it is one from now on. CRAWL_ENOMEM. */
crawl_err cw_visit_document_settle(const crawl_engine *engine, const crawl_record *record);

#endif
