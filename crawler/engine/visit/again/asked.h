/* Answers that ask for a signature (Accept-Signature; RFC 9421, 5): the request is made once more, signed as was asked
 * for. The demand is kept under the fingerprint of the request until that comes again; a crawl that is killed meanwhile
 * is asked again. Thread-safe. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* Bytes of an Accept-Signature that is answered, and how many are kept. Beyond the second all are forgotten: requests
 * that wait are made unsigned, and asked for their signature again. */
#define CW_VISIT_ASKED_BYTES 1024u
#define CW_VISIT_ASKED_MAX 10000u

typedef struct cw_visit_asked cw_visit_asked;

/* NULL: no memory. */
cw_visit_asked *cw_visit_asked_create(void);
void cw_visit_asked_free(cw_visit_asked *asked);

/* How the request of the visit is signed; NULL: it is not. Borrowed until the visit is released. */
const crawl_signing *cw_visit_asked_signing(cw_visit *visit);

/* Has the answer asked for a signature that this request did not have, and that is given? Then the verdict, of an
 * answer that would have stood, is to make it again. A request that left as was asked for is not asked for again. True:
 * it is made again, signed. */
bool cw_visit_asked_judge(cw_visit *visit, const crawl_response *response, cw_visit_retry_verdict *verdict);
