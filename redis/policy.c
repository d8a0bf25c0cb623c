/* What INFO says of the keys that a server drops. */
#include <crawl/redis.h>

#include "base/bytes.h"

crawl_err crawl_redis_check_policy(crawl_slice info, crawl_error *error)
{
    enum { POLICY_MAX = 40 }; /* bytes that are told of it */
    while (info.size) {
        crawl_slice policy = cw_trim(cw_cut_line(&info));
        if (cw_take_text(&policy, "maxmemory_policy:") && cw_starts_with(policy, "allkeys-"))
            return crawl_error_set(
                error, CRAWL_EINVAL,
                "the server drops keys when its memory is full (maxmemory-policy %.*s): set it to noeviction",
                (int)(policy.size < POLICY_MAX ? policy.size : POLICY_MAX), policy.data);
    }
    return CRAWL_OK;
}
