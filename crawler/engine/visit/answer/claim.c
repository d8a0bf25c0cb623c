#include "crawler/engine/visit/answer/claim.h"

#include <stdlib.h>

bool cw_visit_claim_digest(const cw_visit_claim *claim, crawl_fingerprint *digest)
{
    if (claim)
        *digest = claim->digest;
    return claim != NULL;
}

crawl_slice cw_visit_claim_first(const cw_visit_claim *claim)
{
    return claim ? crawl_buf_slice(&claim->first) : (crawl_slice){0};
}

void cw_visit_claim_free(cw_visit_claim *claim)
{
    if (!claim)
        return;
    crawl_buf_free(&claim->first);
    free(claim);
}
