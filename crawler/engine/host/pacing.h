/* The pacer's gate, and what the frontier is told of it. */
#ifndef CW_PACING_H
#define CW_PACING_H

#include "crawler/engine/visit/visit.h"

/* CRAWL_ENOMEM. */
crawl_err cw_pacing_create(crawl_engine *engine);
/* May the visit ask? CW_ADMIT_WAIT: its lease was ended, and comes again. CW_ADMIT_REFUSE: visit->pass.words says why
 * not. */
cw_admission cw_pacing_admit(cw_visit *visit);
/* Finds out which transfers of the worker have become slow (lane.h). */
void cw_pacing_watch(cw_worker *worker);
/* All of the worker's connections are taken: those that take others' place go back to the frontier. How long, in
 * milliseconds, until that is to be looked at again. */
int64_t cw_pacing_yield(cw_worker *worker);
/* The request leaves now. False: it must not; its transfer was cancelled. */
bool cw_pacing_start(cw_visit *visit);
cw_pacer_effect cw_pacing_done(cw_visit *visit, const crawl_response *response, int64_t *retry_after_us);
/* The class of what the gate refuses. */
crawl_error_class cw_pacing_class(const cw_pass *pass);
/* The pause that a robots.txt asks for, in seconds; negative: none. */
void cw_pacing_crawl_delay(crawl_engine *engine, crawl_slice origin, double seconds);
/* The block that the host has but for its robots.txt: a time of the frontier's clock, 0: none. */
int64_t cw_pacing_block(crawl_engine *engine, crawl_slice origin, int64_t now_ms);

#endif
