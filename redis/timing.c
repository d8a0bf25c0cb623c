#include "redis/timing.h"

#include <stdlib.h>

enum { FIRST_MS = 100, DOUBLINGS_MAX = 6, LONGEST_MS = 5000 };

int64_t cw_redis_backoff_ms(unsigned failures, uint64_t salt)
{
    unsigned doublings = failures > DOUBLINGS_MAX ? DOUBLINGS_MAX : failures ? failures - 1 : 0;
    int64_t whole = (int64_t)FIRST_MS << doublings;
    whole = whole < LONGEST_MS ? whole : LONGEST_MS;
    return whole / 2 + (int64_t)(salt % (uint64_t)(whole / 2 + 1));
}

cw_redis_clock cw_redis_clock_of(int64_t asked_us, int64_t answered_us, int64_t server_us)
{
    int64_t half = (answered_us - asked_us + 1) / 2;
    return (cw_redis_clock){.known = true, .offset_us = server_us - asked_us - half, .bound_us = half};
}

bool cw_redis_time_read(const crawl_redis_reply *reply, int64_t *out)
{
    if (reply->type != CRAWL_REDIS_ARRAY || reply->count != 2 || reply->items[0].type != CRAWL_REDIS_TEXT ||
        reply->items[1].type != CRAWL_REDIS_TEXT)
        return false;
    long long seconds = strtoll(reply->items[0].text.data, NULL, 10);
    long long rest = strtoll(reply->items[1].text.data, NULL, 10);
    bool sane = seconds > 0 && seconds < INT64_MAX / 2000000 && rest >= 0 && rest < 1000000;
    *out = sane ? seconds * 1000000 + rest : 0;
    return sane;
}
