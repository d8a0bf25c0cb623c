/* Whether a server that is connected to anew has all that it had acknowledged before. One that was started again from
 * a snapshot, and a replica that was behind when it became the master, have not. */
#ifndef CW_REDIS_IDENTITY_H
#define CW_REDIS_IDENTITY_H

#include <crawl/redis.h>

enum { CW_REDIS_ID_MAX = 40 };

/* What a server says of itself. {0}: it has said nothing. */
typedef struct cw_redis_identity {
    char run[CW_REDIS_ID_MAX + 1];     /* of the process */
    char history[CW_REDIS_ID_MAX + 1]; /* of the data, which changes when a replica becomes the master */
    bool was_replica;                  /* its data was another server's before */
    bool has_log;                      /* the append-only file is on */
    bool is_durable;                   /* and is on the disk before an answer leaves */
} cw_redis_identity;

/* Reads an answer to INFO. */
void cw_redis_identity_read(cw_redis_identity *identity, crawl_slice info);
/* Reads an answer to CONFIG GET appendfsync, after that. */
void cw_redis_identity_read_sync(cw_redis_identity *identity, const crawl_redis_reply *reply);

/* May what was acknowledged under the one be missing under the other? Yes where either is not known. */
bool cw_redis_identity_went_back(const cw_redis_identity *before, const cw_redis_identity *now);

#endif
