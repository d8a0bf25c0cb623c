/* Reads a complete answer: the links of its document, if that is of a kind that has links, and the links of its headers
 * (Link, Refresh), by the same settings; what the document and X-Robots-Tag say to robots; and whether the page is the
 * same as an earlier one (dedupe.h). */
#pragma once

#include "crawler/engine/visit/answer/reading.h"

/* Is it a page, whose links lead on and whose text is read? */
static inline bool cw_visit_document_is_page(crawl_document document)
{
    return document == CRAWL_DOCUMENT_HTML || document == CRAWL_DOCUMENT_XHTML;
}

/* Has all of a document come? */
static inline bool cw_visit_document_is_whole(const crawl_response *response)
{
    return response->status >= 200 && response->status < 300 && response->error == CRAWL_FETCH_OK;
}

/* Shows the answer to on_response. page NULL: none was parsed. False: its links are not wanted. */
bool cw_visit_document_show(crawl_engine *engine, const crawl_response *response, const crawl_record *record,
                            const crawl_page *page);
/* Fills the record with what the document and the headers of a complete answer say, and prepares to follow their links.
 */
void cw_visit_document_read(cw_visit_reading *reading);
/* Prepares to read the body as a sitemap. */
void cw_visit_document_read_sitemap(cw_visit_reading *reading);
/* Follows the links of the answer for a slice. True: all were followed, and the record says how many there were. */
bool cw_visit_document_go_on(cw_visit_reading *reading);
/* Gives back the memory of what was prepared, however far it was followed. */
void cw_visit_document_stop(cw_visit_reading *reading);
/* To be called when the record is written: see cw_visit_dedupe_settle. CRAWL_ENOMEM. */
crawl_err cw_visit_document_settle(const crawl_engine *engine, const crawl_record *record);

/* A page that was rendered, in place of the page in its answer. Its frames are documents of their own, whose links are
 * its links; so are the places where its scripts would have gone. */

/* Sets the document that is to be read, and what the record has of its rendering. */
void cw_visit_rendered_begin(cw_visit_reading *reading);
/* Adds the texts of the page's own frames to that of the page, which is in the record. CRAWL_ENOMEM. */
crawl_err cw_visit_rendered_add_texts(cw_visit_reading *reading, const crawl_text_options *of_page);
/* The links that stand outside of the page's own document. They last until cw_visit_rendered_stop. */
void cw_visit_rendered_list(cw_visit_reading *reading, cw_links_list *list);
void cw_visit_rendered_stop(cw_visit_reading *reading);

/* Puts into a record what was said of the use of its page (<crawl/preferences.h>): by the robots.txt that was in force,
 * by the headers of the answer, and by the page. Most pages say nothing, and cost a look at the names of their headers.
 */

/* Fills record.preferences, borrowed from the reading, and the uses refused and granted. page NULL: none was parsed. */
void cw_visit_statements_read(cw_visit_reading *reading, const crawl_page *page);

/* With politeness.respect: decides whether the answer is withheld, before anybody is shown it (visit->withheld). That
 * takes a parse of the page of its own, whose result is not kept. */
void cw_visit_statements_judge(cw_visit *visit, const crawl_response *response);
