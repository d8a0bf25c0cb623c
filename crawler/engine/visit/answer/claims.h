/* Lets processes that share a crawl compare pages by their bodies, or rendered pages as rendered: an answer is read
 * once Redis has said at which page its body appeared before. Until then the fetcher keeps the answer, and its visit
 * counts as running. */
#pragma once

#include "crawler/engine/visit/answer/claim.h"
#include "crawler/engine/visit/maker.h"

/* The questions of all makers of an engine. */
typedef struct cw_visit_claims cw_visit_claims;

/* NULL: out of memory. */
cw_visit_claims *cw_visit_claims_create(void);
/* Call when the frontier is closed and answers no more questions. NULL is allowed. */
void cw_visit_claims_free(cw_visit_claims *claims);

/* Returns true if the body of this answer is to be compared and was not asked about yet. */
bool cw_visit_claims_wants(const cw_visit *visit, const crawl_response *response);
/* Asks at which page the body appeared before, and has the answer read when that is known. Returns the same as a
 * reader. */
bool cw_visit_claims_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                         cw_visit_reader *read);
/* Has the answers read whose questions are answered. Call on the maker's thread when its waker was rung. */
void cw_visit_claims_take(cw_visit_maker *maker);
/* Moves the answers whose questions are open to those waiting to be read, which cw_visit_slices_cut returns to the
 * frontier. Call when the maker ends. */
void cw_visit_claims_cut(cw_visit_maker *maker);
