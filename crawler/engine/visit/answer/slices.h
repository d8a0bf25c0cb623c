/* Reads answers with many links in slices: at each turn of the thread's loop, the links of one answer are followed for
 * at most CW_LINKS_SLICE_US, and the answers take turns. The fetcher keeps an answer, and its visit counts as running,
 * until its last link was pushed; then the visit ends like any other. Most answers are read within their first slice,
 * as soon as they come, and cost nothing here. */
#pragma once

#include "crawler/engine/visit/answer/reading.h"

/* The most answers in slices at once per thread. A page of 100,000 links takes up to 12 MB, and its parser up to four
 * times the size of its body. Further answers wait meanwhile, and the fetcher keeps their bodies. */
#define CW_VISIT_SLICES_MAX 4u

/* Call after cw_visit_maker_open. CRAWL_ENOMEM: it must still be closed. */
crawl_err cw_visit_slices_open(cw_visit_maker *maker, struct event_base *base);
void cw_visit_slices_close(cw_visit_maker *maker);

/* Has the answer read, now or as soon as there is a reading for it. Call from within on_done. Returns the result of the
 * reader. */
bool cw_visit_slices_read(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict);
/* Keeps an answer that must not be read before cw_visit_slices_wait. */
void cw_visit_slices_keep(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                          cw_visit_reader *read);
/* Has a kept answer read as soon as there is a reading for it. */
void cw_visit_slices_wait(cw_visit *visit);
/* Reads the first slice of a prepared reading, and ends it if nothing is left. Returns the same as a reader. */
bool cw_visit_slices_begin(cw_visit_reading *reading);
/* Returns all answers that are read in slices or wait to be read to the frontier: they are asked for again when the
 * crawl continues. */
void cw_visit_slices_cut(cw_visit_maker *maker);
