/* Whether and when a request is made again, by the statuses and the Retry-After of RFC 9110 and by errors of the
 * network. Pure. */
#pragma once

#include <crawl/config.h>
#include <crawl/fetch.h>

typedef enum cw_visit_retry {
    CW_VISIT_RETRY_NO,       /* the answer stands */
    CW_VISIT_RETRY_AT,       /* again after delay_ms */
    CW_VISIT_RETRY_GIVE_UP,  /* it would be made again, but all attempts are used up */
    CW_VISIT_RETRY_STAY_AWAY /* Retry-After is longer than politeness.max_retry_delay */
} cw_visit_retry;

typedef struct cw_visit_retry_verdict {
    cw_visit_retry what;
    int64_t delay_ms;       /* from now; of AT and STAY_AWAY */
    int64_t retry_after_ms; /* what the host asked for, for all of its URLs; negative: nothing */
} cw_visit_retry_verdict;

/* Decides about a request that has failed or was answered. sent: it has left, or may have. attempt counts from 1.
 * wall_ms: now, since 1970, for dates. salt shapes the jitter (up to a quarter more), so that requests that failed
 * together do not come back together. */
cw_visit_retry_verdict cw_visit_retry_decide(const crawl_config *config, const crawl_response *response,
                                             crawl_slice method, bool sent, uint32_t attempt, int64_t wall_ms,
                                             uint8_t salt);
