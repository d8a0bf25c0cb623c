/* Visits whose documents other programs make pages of (parse.preprocess, base/convert.h): which ones, and their way
 * there and back. Each thread has as many programs run as there are processors for it; further documents wait, and
 * while many do, no more pages are asked for. Meanwhile the visit's lease is parked, as that of a page in the browser
 * is, unless processes share the crawl: these give a host back of which nothing else is leased. */
#ifndef CW_VISIT_PREPROCESS_VISIT_H
#define CW_VISIT_PREPROCESS_VISIT_H

#include "crawler/engine/visit/answer/reading.h"
#include "crawler/engine/visit/maker.h"

struct event_base;

void cw_visit_preprocess_open(cw_visit_maker *maker, struct event_base *base);
/* The words of the command that makes a page of the answer; NULL: it is read as it is. */
char *const *cw_visit_preprocess_command(cw_visit *visit, const crawl_response *response);
/* Has it make one, which is read afterwards. Returns the same as a reader. */
bool cw_visit_preprocess_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                             cw_visit_reader *read, char *const *command);
/* Sets the document that is to be read, and what the record has of how it was made. */
void cw_visit_preprocess_begin(cw_visit_reading *reading);
/* Are there so many documents that nothing else is to be leased? */
bool cw_visit_preprocess_is_full(const cw_visit_maker *maker);
/* The crawl ends: documents that are not done go back to the frontier, and are asked for when it goes on. */
void cw_visit_preprocess_cut(cw_visit_maker *maker);

#endif
