/* Facts that a server tells of itself: whether one that is connected to anew has all that it had acknowledged before,
 * what time it has, and what its errors are. */
#pragma once

#include <crawl/sys/redis.h>

enum { CW_REDIS_ID_MAX = 40 };

/* Facts that a server told of itself. {0}: it has told nothing. */
typedef struct cw_redis_identity {
    char run[CW_REDIS_ID_MAX + 1];     /* of the process */
    char history[CW_REDIS_ID_MAX + 1]; /* of the data, which changes when a replica becomes the master */
    bool was_replica;                  /* its data was another server's before */
    bool has_log;                      /* the append-only file is on */
    bool is_durable;                   /* and is on the disk before an answer leaves */
    bool is_loading;                   /* it reads its data, and says of none of these how it will be */
} cw_redis_identity;

/* Reads an answer to INFO. */
void cw_redis_identity_read(cw_redis_identity *identity, crawl_slice info);
/* Reads an answer to CONFIG GET appendfsync, after that. */
void cw_redis_identity_read_sync(cw_redis_identity *identity, const crawl_redis_reply *reply);

/* May what was acknowledged under the one be missing under the other, as after a start from a snapshot, or on a replica
 * that was behind when it became the master? Yes where either is not known. */
bool cw_redis_identity_went_back(const cw_redis_identity *before, const cw_redis_identity *now);

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

/* Reads the answer to TIME, in microseconds since 1970. False: it is no time. */
bool cw_redis_time_read(const crawl_redis_reply *reply, int64_t *out);

/* The fault that an error's text stands for: its first word, or REFUSED. */
crawl_redis_fault cw_redis_fault_of(crawl_slice text);
