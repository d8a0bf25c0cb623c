/* The connection to one server: greeted, pipelined, and made again after a loss. It gives each command back with the
 * answer, or with the reason why there is none. It knows neither callers nor limits. */
#pragma once

#include "redis/redis_request.h"

typedef struct cw_redis_node cw_redis_node;

typedef struct cw_redis_node_calls {
    /* Passes the request to the callee, which owns it from then on. said is as in crawl_redis_answer. */
    void (*on_answer)(void *user, cw_redis_node *node, cw_redis_request *request, const crawl_redis_answer *said);
    /* As in crawl_redis_options. */
    void (*on_state)(void *user, cw_redis_node *node, crawl_redis_fault fault, const char *words);
    /* Data that the server had acknowledged may be missing now. Called before on_state reports the connection, and
     * after all waiting requests were given back as UNSENT. */
    void (*on_return)(void *user, cw_redis_node *node);
    /* Called after all replies of one read were handed out. */
    void (*on_rest)(void *user);
    void *user;
} cw_redis_node_calls;

/* Connects with the first request. host NULL: to options->url; otherwise to host and port, with the rest of that URL.
 * The name is copied. CRAWL_EIO: TLS cannot be set up; CRAWL_ENOMEM: error says so. */
crawl_err cw_redis_node_create(const crawl_redis_options *options, const char *host, unsigned port,
                               const cw_redis_node_calls *calls, cw_redis_node **out, crawl_error *error);
/* Connects from the loop, unless this was begun before. */
void cw_redis_node_begin(cw_redis_node *node);
/* Gives back all its requests first. NULL does nothing. */
void cw_redis_node_free(cw_redis_node *node);

void cw_redis_node_put(cw_redis_node *node, cw_redis_request *request);
/* Asks the server for its identity, from the next connection on. on_return is called only for watched nodes. */
void cw_redis_node_watch(cw_redis_node *node);
/* Tells the node that it has become the owner of keys that another node had. If it was that node's replica, its data
 * may be older. */
void cw_redis_node_inherit(cw_redis_node *node);
/* Returns true if the server has said that it keeps no append-only file. A server that is not watched has said
 * nothing. */
bool cw_redis_node_lacks_log(const cw_redis_node *node);
/* Puts the request before all that wait. */
void cw_redis_node_put_first(cw_redis_node *node, cw_redis_request *request);
/* Takes the requests that were not sent. */
cw_redis_requests cw_redis_node_take_waiting(cw_redis_node *node);

bool cw_redis_node_is_at(const cw_redis_node *node, crawl_slice host, unsigned port);
/* Returns "" for a socket. */
const char *cw_redis_node_host(const cw_redis_node *node);
unsigned cw_redis_node_port(const cw_redis_node *node);
bool cw_redis_node_is_up(const cw_redis_node *node);
/* Returns true after a failure, until the connection stands again. */
bool cw_redis_node_is_away(const cw_redis_node *node);
/* Returns true if nothing waits to be sent and no answer is owed. */
bool cw_redis_node_is_idle(const cw_redis_node *node);
/* As crawl_redis_time. */
crawl_err cw_redis_node_time(const cw_redis_node *node, int64_t now_us, int64_t *time_us, int64_t *bound_us);
