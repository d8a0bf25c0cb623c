/* The two things about a connection that are about time, as values: when it is tried again, and what time the server
 * has. Both take the time as an argument. */
#ifndef CW_REDIS_TIMING_H
#define CW_REDIS_TIMING_H

#include <crawl/redis.h>

/* The pause before the next try after so many failures in a row, in milliseconds: 100 at first, twice as long each
 * time, 5 s at most; then between half of that and all of it, by salt, so that the clients of a server that comes back
 * do not all come at once. */
int64_t cw_redis_backoff_ms(unsigned failures, uint64_t salt);

/* The server's clock against the monotonic one of this machine. {0}: not known. */
typedef struct cw_redis_clock {
    bool known;
    int64_t offset_us; /* to be added to the monotonic clock */
    int64_t bound_us;  /* it is right up to this */
} cw_redis_clock;

/* The server said server_us some time between the question and its answer. */
cw_redis_clock cw_redis_clock_of(int64_t asked_us, int64_t answered_us, int64_t server_us);

/* What TIME answers, in microseconds since 1970. False: it is none. */
bool cw_redis_time_read(const crawl_redis_reply *reply, int64_t *out);

#endif
