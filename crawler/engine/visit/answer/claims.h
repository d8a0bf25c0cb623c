/* Pages that processes which share a crawl compare by their bodies: an answer with a body is read when Redis has said
 * at which page the body came before. Until then it stays with the fetcher, and its visit counts as running. */
#ifndef CW_VISIT_CLAIMS_H
#define CW_VISIT_CLAIMS_H

#include "crawler/engine/visit/answer/claim.h"
#include "crawler/engine/visit/maker.h"

/* Of all makers of an engine. */
typedef struct cw_visit_claims cw_visit_claims;

/* NULL: no memory. */
cw_visit_claims *cw_visit_claims_create(void);
/* After the frontier was closed, which answers none any more. NULL does nothing. */
void cw_visit_claims_free(cw_visit_claims *claims);

/* Has the answer a body that is to be compared, and that was not asked about yet? */
bool cw_visit_claims_wants(const cw_visit *visit, const crawl_response *response);
/* Asks, and has the answer read once that is known. Returns what a reader does. */
bool cw_visit_claims_ask(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict,
                         cw_visit_reader *read);
/* On the maker's thread, when its waker was rung: those that are answered are read from now on. */
void cw_visit_claims_take(cw_visit_maker *maker);
/* Those that are not go back to the frontier. */
void cw_visit_claims_cut(cw_visit_maker *maker);

#endif
