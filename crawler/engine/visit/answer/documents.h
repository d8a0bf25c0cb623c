/* Reads a complete answer: the links of its document, if its kind has links, and the links of its headers (Link,
 * Refresh), by the same settings; what the document and X-Robots-Tag tell robots; and whether the page equals an
 * earlier one (dedupe.h). */
#pragma once

#include "crawler/engine/visit/answer/reading.h"

/* Returns true for a page, whose links lead on and whose text is read. */
static inline bool cw_visit_document_is_page(crawl_document document)
{
    return document == CRAWL_DOCUMENT_HTML || document == CRAWL_DOCUMENT_XHTML;
}

/* Returns true if the answer has a whole document. */
static inline bool cw_visit_document_is_whole(const crawl_response *response)
{
    return response->status >= 200 && response->status < 300 && response->error == CRAWL_FETCH_OK;
}

/* Returns true if a refresh leads to the page itself. href, base, charset: as of a link. Uses the judge's scratch. */
bool cw_visit_document_is_itself(const cw_visit *visit, crawl_slice href, const crawl_url *base, const char *charset);

/* Shows the answer to on_response. page NULL: none was parsed. False: its links are not wanted. */
bool cw_visit_document_show(crawl_engine *engine, const crawl_response *response, const crawl_record *record,
                            const crawl_page *page);
/* Fills the record from the document and the headers of a complete answer, and prepares to follow their links. */
void cw_visit_document_read(cw_visit_reading *reading);
/* Prepares to read the body as a sitemap. */
void cw_visit_document_read_sitemap(cw_visit_reading *reading);
/* Follows the links of the answer for one slice. True: all were followed, and the record has their number. */
bool cw_visit_document_go_on(cw_visit_reading *reading);
/* Frees what was prepared, however far it was followed. */
void cw_visit_document_stop(cw_visit_reading *reading);
/* Returns the page of a record if it is an original, for cw_visit_dedupe_settle; NULL: it is none. */
cw_visit_original *cw_visit_document_original(const crawl_engine *engine, const crawl_record *record);

/* A rendered page, which replaces the page in its answer. Its frames are documents of their own, whose links count as
 * its links; so do the places where its scripts would have gone. */

/* Returns true if there is one: the browser was asked, and has not failed. */
bool cw_visit_rendered_is(const cw_visit *visit);
/* Returns the document to compare: the page if there is one, and otherwise the body of the answer. */
crawl_slice cw_visit_rendered_or_body(const cw_visit *visit, const crawl_response *response);
/* Sets the document to read, and the record's description of its rendering. */
void cw_visit_rendered_begin(cw_visit_reading *reading);
/* Returns the URL of the document to read: of a rendered page the one that its scripts may have changed, in scratch
 * memory of the judge. */
const crawl_url *cw_visit_rendered_url(const cw_visit_reading *reading);
/* Adds the texts of the page's own frames to the text of the page in the record. CRAWL_ENOMEM. */
crawl_err cw_visit_rendered_add_texts(cw_visit_reading *reading, const crawl_text_options *of_page);
/* Lists the links outside the page's own document. They last until cw_visit_rendered_stop. */
void cw_visit_rendered_list(cw_visit_reading *reading, cw_links_list *list);
void cw_visit_rendered_stop(cw_visit_reading *reading);

/* Puts into a record what was said about the use of its page (<crawl/preferences.h>): by the robots.txt in force, by
 * the headers of the answer, and by the page. Most pages say nothing, and cost a look at the names of their headers. */

/* Fills in record.preferences, borrowed from the reading, and the uses refused and granted. page NULL: none was
 * parsed. */
void cw_visit_statements_read(cw_visit_reading *reading, const crawl_page *page);

/* Decides, with politeness.respect, whether the answer is withheld, before anybody is shown it (visit->withheld).
 * Parses the page separately for this, and does not keep the result. */
void cw_visit_statements_judge(cw_visit *visit, const crawl_response *response);
