/* A request, from the call that made it to its answer, and lists of them. It keeps its bytes until the answer is there,
 * since a cluster node may send it on to another. */
#pragma once

#include <crawl/sys/redis.h>

typedef struct cw_redis_request {
    struct cw_redis_request *next;
    crawl_redis_done done; /* may be NULL */
    void *user;
    char *bytes;
    size_t size;
    int slot;           /* of its key in a cluster; CW_REDIS_NO_SLOT: no key */
    uint64_t returns;   /* count of the slot's returns when it was made (client.h) */
    bool is_script;     /* it may touch more keys than it names */
    bool is_own;        /* sent by the client itself: not counted */
    unsigned moves;     /* nodes that sent it on to another */
    int64_t refused_us; /* when a node first refused it; 0: never */
} cw_redis_request;

typedef struct cw_redis_requests {
    cw_redis_request *first, *last;
} cw_redis_requests;

/* NULL: out of memory. */
cw_redis_request *cw_redis_request_make(const crawl_slice *arguments, size_t count, crawl_redis_done done, void *user);
/* The same for texts; NULL follows the last. At most 16. */
cw_redis_request *cw_redis_request_of_texts(const char *const *texts, crawl_redis_done done, void *user);
/* Calls done and frees the request. */
void cw_redis_request_end(cw_redis_request *request, crawl_redis_fault fault, const char *words,
                          const crawl_redis_reply *reply);

void cw_redis_requests_append(cw_redis_requests *list, cw_redis_request *request);
void cw_redis_requests_prepend(cw_redis_requests *list, cw_redis_request *request);
/* NULL: the list is empty. */
cw_redis_request *cw_redis_requests_take(cw_redis_requests *list);
