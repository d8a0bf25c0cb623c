/* Decides whether and when a request is retried, by the statuses and the Retry-After of RFC 9110 and by network errors.
 * Pure. */
#pragma once

#include <crawl/config.h>
#include <crawl/fetch.h>

typedef enum cw_visit_retry {
    CW_VISIT_RETRY_NO,       /* the answer stands */
    CW_VISIT_RETRY_AT,       /* retry after delay_ms */
    CW_VISIT_RETRY_GIVE_UP,  /* a retry would follow, but all attempts are used up */
    CW_VISIT_RETRY_STAY_AWAY /* Retry-After is longer than politeness.max_retry_delay */
} cw_visit_retry;

typedef struct cw_visit_retry_verdict {
    cw_visit_retry what;
    int64_t delay_ms;       /* from now; AT and STAY_AWAY only */
    int64_t retry_after_ms; /* asked by the host, for all of its URLs; negative: none */
} cw_visit_retry_verdict;

/* Returns true if a request with this method may be repeated without knowing whether it was carried out (RFC 9110,
 * 9.2.2). */
bool cw_visit_retry_is_idempotent(crawl_slice method);

/* Decides about a request that has failed or was answered. sent: it has left, or may have. attempt counts from 1.
 * wall_ms: now, since 1970, for dates. salt determines the jitter (up to a quarter more), so that requests that failed
 * together do not come back together. */
cw_visit_retry_verdict cw_visit_retry_decide(const crawl_config *config, const crawl_response *response,
                                             crawl_slice method, bool sent, uint32_t attempt, int64_t wall_ms,
                                             uint8_t salt);
