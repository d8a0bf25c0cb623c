/* Carries bytes to a Redis server and back, by a bufferevent over TCP, TLS or a local socket. It knows nothing of
 * requests. */
#pragma once

#include <crawl/sys/redis.h>

struct evbuffer;
typedef struct cw_redis_wire cw_redis_wire;

typedef struct cw_redis_wire_calls {
    void (*on_up)(void *user); /* bytes can be sent */
    void (*on_bytes)(void *user, struct evbuffer *bytes);
    void (*on_down)(void *user, const char *words); /* no connection, or it is lost; call cw_redis_wire_cut */
    void *user;
} cw_redis_wire_calls;

/* Does not connect yet. options as for crawl_redis_open. CRAWL_EIO, CRAWL_ENOMEM: error says why. */
crawl_err cw_redis_wire_create(const crawl_redis_options *options, const cw_redis_wire_calls *calls,
                               cw_redis_wire **out, crawl_error *error);
void cw_redis_wire_free(cw_redis_wire *wire);

/* Begins to connect; on_up or on_down follows. CRAWL_EIO: it cannot begin; CRAWL_ENOMEM. */
crawl_err cw_redis_wire_connect(cw_redis_wire *wire);
/* Drops the connection without a callback. */
void cw_redis_wire_cut(cw_redis_wire *wire);
/* Appends to the output. CRAWL_ENOMEM. */
crawl_err cw_redis_wire_write(cw_redis_wire *wire, crawl_slice bytes);
