/* How the bytes go to a Redis server and come from it: a bufferevent over TCP, TLS or a socket of this machine. It
 * knows nothing of requests. */
#pragma once

#include <crawl/sys/redis.h>

struct evbuffer;
typedef struct cw_redis_wire cw_redis_wire;

typedef struct cw_redis_wire_calls {
    void (*on_up)(void *user); /* bytes can be sent */
    void (*on_bytes)(void *user, struct evbuffer *bytes);
    void (*on_down)(void *user, const char *words); /* the connection is lost, or cannot be made; it is to be cut */
    void *user;
} cw_redis_wire_calls;

/* Connects nowhere yet. options as of crawl_redis_open. CRAWL_EIO, CRAWL_ENOMEM: error says why. */
crawl_err cw_redis_wire_create(const crawl_redis_options *options, const cw_redis_wire_calls *calls,
                               cw_redis_wire **out, crawl_error *error);
void cw_redis_wire_free(cw_redis_wire *wire);

/* Begins to connect: on_up or on_down comes later. CRAWL_EIO: it cannot even begin; CRAWL_ENOMEM. */
crawl_err cw_redis_wire_connect(cw_redis_wire *wire);
/* Drops the connection, without a call. */
void cw_redis_wire_cut(cw_redis_wire *wire);
/* To what is to be sent. CRAWL_ENOMEM. */
crawl_err cw_redis_wire_write(cw_redis_wire *wire, crawl_slice bytes);
