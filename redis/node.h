/* The connection to one server: greeted, pipelined, made again when it is lost. Commands that it cannot send it gives
 * back with the answer, or with why there is none; who asked, and how much may be under way, is not its business. */
#pragma once

#include "redis/redis_request.h"

typedef struct cw_redis_node cw_redis_node;

typedef struct cw_redis_node_calls {
    /* The request is the callee's from then on. As of crawl_redis_answer. */
    void (*on_answer)(void *user, cw_redis_node *node, cw_redis_request *request, const crawl_redis_answer *said);
    /* As of crawl_redis_options. */
    void (*on_state)(void *user, cw_redis_node *node, crawl_redis_fault fault, const char *words);
    /* Data that the server had acknowledged before may be missing now. Comes before it is said that the connection
     * stands, and after all that waited was given back as UNSENT. */
    void (*on_return)(void *user, cw_redis_node *node);
    /* All that came at once was told. */
    void (*on_rest)(void *user);
    void *user;
} cw_redis_node_calls;

/* Connects with the first request. host NULL: where options->url says; otherwise there, in all else as it says. The
 * name is copied. CRAWL_EIO: TLS cannot be set up; CRAWL_ENOMEM: error says so. */
crawl_err cw_redis_node_create(const crawl_redis_options *options, const char *host, unsigned port,
                               const cw_redis_node_calls *calls, cw_redis_node **out, crawl_error *error);
/* Connects, from the loop, unless it has begun to. */
void cw_redis_node_begin(cw_redis_node *node);
/* Gives back all it has. NULL does nothing. */
void cw_redis_node_free(cw_redis_node *node);

void cw_redis_node_put(cw_redis_node *node, cw_redis_request *request);
/* From the next connection on the server is asked who it is: the only ones of which on_return tells. */
void cw_redis_node_watch(cw_redis_node *node);
/* It has become the one server of keys that another had: their data is as old as it was here. */
void cw_redis_node_inherit(cw_redis_node *node);
/* Has it said that it keeps no append-only file? One that is not watched has said nothing. */
bool cw_redis_node_lacks_log(const cw_redis_node *node);
/* Before all that waits. */
void cw_redis_node_put_first(cw_redis_node *node, cw_redis_request *request);
/* Commands that were not sent. */
cw_redis_requests cw_redis_node_take_waiting(cw_redis_node *node);

bool cw_redis_node_is_at(const cw_redis_node *node, crawl_slice host, unsigned port);
/* "" for a socket. */
const char *cw_redis_node_host(const cw_redis_node *node);
unsigned cw_redis_node_port(const cw_redis_node *node);
bool cw_redis_node_is_up(const cw_redis_node *node);
/* It was tried, and the connection does not stand. */
bool cw_redis_node_is_away(const cw_redis_node *node);
/* Nothing is to be sent, and no answer owed. */
bool cw_redis_node_is_idle(const cw_redis_node *node);
/* As crawl_redis_time. */
crawl_err cw_redis_node_time(const cw_redis_node *node, int64_t now_us, int64_t *time_us, int64_t *bound_us);
