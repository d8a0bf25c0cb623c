/* See timing.h. */
#include "redis/timing.h"

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
