/* Facts that a server tells about itself: whether it still has all that it acknowledged before a reconnect, its time,
 * and its errors. */
#pragma once

#include <crawl/sys/redis.h>

enum { CW_REDIS_ID_MAX = 40 };

/* The identity of a server. {0}: it has told nothing. */
typedef struct cw_redis_identity {
    char run[CW_REDIS_ID_MAX + 1];     /* of the process */
    char history[CW_REDIS_ID_MAX + 1]; /* of the data; it changes when a replica becomes the master */
    bool was_replica;                  /* its data came from another server */
    bool has_log;                      /* the append-only file is on */
    bool is_durable;                   /* and is on disk before an answer leaves */
    bool is_loading;                   /* it is reading its data, and the other members are not final */
} cw_redis_identity;

/* Reads a reply to INFO. */
void cw_redis_identity_read(cw_redis_identity *identity, crawl_slice info);
/* Reads a reply to CONFIG GET appendfsync. Call after cw_redis_identity_read. */
void cw_redis_identity_read_sync(cw_redis_identity *identity, const crawl_redis_reply *reply);

/* Returns true if data acknowledged under one identity may be missing under the other, as after a start from a
 * snapshot, or on a replica that was behind when it became the master. Also true if either is unknown. */
bool cw_redis_identity_went_back(const cw_redis_identity *before, const cw_redis_identity *now);

/* Returns the pause before the next try, in milliseconds, after this many failures in a row. The maximum starts at 100,
 * doubles each time, and stops at 5 s. salt chooses between half of it and all of it, so that the clients of a
 * restarted server do not all come at once. */
int64_t cw_redis_backoff_ms(unsigned failures, uint64_t salt);

/* The server's clock relative to the local monotonic one. {0}: not known. */
typedef struct cw_redis_clock {
    bool known;
    int64_t offset_us; /* add to the monotonic clock */
    int64_t bound_us;  /* maximum error */
} cw_redis_clock;

/* Computes the clock of a server that said server_us between the question and its answer. */
cw_redis_clock cw_redis_clock_of(int64_t asked_us, int64_t answered_us, int64_t server_us);

/* Reads a reply to TIME, in microseconds since 1970. False: not a time. */
bool cw_redis_time_read(const crawl_redis_reply *reply, int64_t *out);

/* Returns the fault for the first word of an error's text, or of the error that a script met; or, for a few texts, for
 * more of their words; otherwise REFUSED. */
crawl_redis_fault cw_redis_fault_of(crawl_slice text);
