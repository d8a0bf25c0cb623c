/* Answers that ask for a signature (Accept-Signature; RFC 9421, 5): the request is made again, signed as asked. The
 * demand is kept under the fingerprint of the request, or the URL of an urgent one, until that comes again; a crawl
 * that is killed meanwhile is asked again. Parts of pages in the browser are asked for once, and so never signed like
 * this. Thread-safe. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* The most bytes of an Accept-Signature that is answered, and the most demands kept. Beyond that all are forgotten:
 * waiting requests are made unsigned, and asked for a signature again. */
#define CW_VISIT_ASKED_BYTES 1024u
#define CW_VISIT_ASKED_MAX 10000u

typedef struct cw_visit_asked cw_visit_asked;

/* NULL: out of memory. */
cw_visit_asked *cw_visit_asked_create(void);
void cw_visit_asked_free(cw_visit_asked *asked);

/* Returns how the request of the visit is signed; NULL: not at all. Borrowed until the visit is released. */
const crawl_signing *cw_visit_asked_signing(cw_visit *visit);

/* Returns true if the answer asks for a signature that this request did not have and that is given. The request is then
 * made again, signed; an answer that would have stood gets that verdict. A request that left as asked is not asked for
 * again. */
bool cw_visit_asked_judge(cw_visit *visit, const crawl_response *response, cw_visit_retry_verdict *verdict);
