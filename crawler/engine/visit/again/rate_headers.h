/* Reads what a host tells beforehand of the requests that it still allows: RateLimit and RateLimit-Policy
 * (draft-ietf-httpapi-ratelimit-headers-11), their forms of the drafts 03 to 08, and the X-RateLimit fields that no
 * standard describes.
 *
 * All that an answer says counts together, by its strictest part. Which policy that is, and of which partition (pk), is
 * told with it: an answer about another one does not supersede it. The problem details of a 429 or 503 (the draft's
 * types, RFC 9457) count where its headers give no time: the policies that they name as violated are spent for their
 * window. A header that breaks its grammar says nothing. An answer from a cache (Age above 0) says nothing: it tells of
 * another time. */
#pragma once

#include "crawler/engine/host/pace.h"

/* Does the answer have any such header? */
bool cw_visit_rate_is_told(const crawl_response *response);

/* Reads the quota in an answer. wall_ms: the time of the answer, since 1970, by which dates become durations. */
cw_host_quota cw_visit_rate_read(const crawl_response *response, int64_t wall_ms);
