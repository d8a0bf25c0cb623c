/* Answers whose links take long are read in slices: each time the loop of the thread comes round, the links of one of
 * them are followed for CW_LINKS_SLICE_US at most, and their turns go round too. An answer is kept by the fetcher, and
 * its visit counts as running, until its last link was pushed; then the visit ends as that of any other. Most answers
 * are read within their first slice, in the moment in which they come, and cost nothing here. */
#ifndef CW_VISIT_SLICES_H
#define CW_VISIT_SLICES_H

#include "crawler/engine/visit/answer/reading.h"

/* Answers in slices at once, for each thread. A page of 100,000 links takes up to 12 MB, and what its parser holds, up
 * to four times the size of its body. While there are so many, further answers wait, as bodies of the fetcher. */
#define CW_VISIT_SLICES_MAX 4u

/* To be called after cw_visit_maker_open. CRAWL_ENOMEM: close it all the same. */
crawl_err cw_visit_slices_open(cw_visit_maker *maker, struct event_base *base);
void cw_visit_slices_close(cw_visit_maker *maker);

/* To be called from within on_done: has the answer read, now or as soon as there is a reading for it. Returns the
 * result of the reader. */
bool cw_visit_slices_read(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                          cw_visit_reader *read);
/* Keeps an answer that is not to be read before cw_visit_slices_wait. */
void cw_visit_slices_keep(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                          cw_visit_reader *read);
/* It is read as soon as there is a reading for it. */
void cw_visit_slices_wait(cw_visit *visit);
/* The first slice of a reading that is made ready, and its end if that is enough. Returns what a reader does. */
bool cw_visit_slices_begin(cw_visit_reading *reading);
/* Gives all answers that are read in slices, or wait to be read, back to the frontier: they are asked for again when
 * the crawl goes on. */
void cw_visit_slices_cut(cw_visit_maker *maker);

#endif
