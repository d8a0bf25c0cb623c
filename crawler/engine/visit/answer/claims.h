/* In a crawl that processes share, they compare pages by their bodies: an answer is read when Redis has said at which
 * page its body came before. Until then the fetcher keeps the answer, and its visit counts as running. */
#pragma once

#include "crawler/engine/visit/answer/claim.h"
#include "crawler/engine/visit/maker.h"

/* The questions of all makers of an engine. */
typedef struct cw_visit_claims cw_visit_claims;

/* NULL: no memory. */
cw_visit_claims *cw_visit_claims_create(void);
/* To be called when the frontier is closed, so that it answers no question any more. NULL is allowed. */
void cw_visit_claims_free(cw_visit_claims *claims);

/* Is the body of this answer to be compared, and was it not asked about yet? */
bool cw_visit_claims_wants(const cw_visit *visit, const crawl_response *response);
/* Asks at which page the body came before, and has the answer read when that is known. Returns the same as a reader. */
bool cw_visit_claims_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                         cw_visit_reader *read);
/* To be called on the maker's thread when its waker was rung: answers whose question is answered are read. */
void cw_visit_claims_take(cw_visit_maker *maker);
/* Has the answers whose question is not answered go back to the frontier, when the maker ends. */
void cw_visit_claims_cut(cw_visit_maker *maker);
