/* Reads what a host says about the requests that it still allows: RateLimit and RateLimit-Policy
 * (draft-ietf-httpapi-ratelimit-headers-11), their forms of the drafts 03 to 08, and the X-RateLimit fields, which no
 * standard describes.
 *
 * Everything in an answer counts together, by its strictest part. The result names the policy of that part, and its
 * partition (pk); an answer about another policy does not supersede it. The problem details of a 429 or 503 (the
 * draft's types, RFC 9457) count if its headers give no time: the policies that they name as violated are spent for
 * their window. A header with a syntax error is ignored. So is an answer from a cache (Age above 0), which is about
 * another time. */
#pragma once

#include "crawler/engine/host/pace.h"

/* Returns true if the answer has any such header. */
bool cw_visit_rate_is_told(const crawl_response *response);

/* Reads the quota of an answer. wall_ms: the time of the answer, since 1970, which turns dates into durations. */
cw_host_quota cw_visit_rate_read(const crawl_response *response, int64_t wall_ms);
