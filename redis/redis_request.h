/* A request, from the call that made it to its answer; and lists of them. It keeps its bytes until the answer is there:
 * a node of a cluster may say that another one has its key. */
#pragma once

#include <crawl/sys/redis.h>

typedef struct cw_redis_request {
    struct cw_redis_request *next;
    crawl_redis_done done; /* may be NULL */
    void *user;
    char *bytes;
    size_t size;
    int slot;           /* of its key in a cluster; CW_REDIS_NO_SLOT: it has no key */
    uint64_t returns;   /* of the data, when it was made (client.h) */
    bool is_script;     /* which may touch more keys than it names */
    bool is_own;        /* of the client itself: nobody else counts it */
    unsigned moves;     /* nodes that have sent it to another */
    int64_t refused_us; /* when a node did not take it for the first time; 0: none did */
} cw_redis_request;

typedef struct cw_redis_requests {
    cw_redis_request *first, *last;
} cw_redis_requests;

/* NULL: no memory. */
cw_redis_request *cw_redis_request_make(const crawl_slice *arguments, size_t count, crawl_redis_done done, void *user);
/* The same of texts; the last one is followed by NULL. At most 16. */
cw_redis_request *cw_redis_request_of_texts(const char *const *texts, crawl_redis_done done, void *user);
/* Calls done with it, and frees it. */
void cw_redis_request_end(cw_redis_request *request, crawl_redis_fault fault, const char *words,
                          const crawl_redis_reply *reply);

void cw_redis_requests_append(cw_redis_requests *list, cw_redis_request *request);
void cw_redis_requests_prepend(cw_redis_requests *list, cw_redis_request *request);
/* NULL: it is empty. */
cw_redis_request *cw_redis_requests_take(cw_redis_requests *list);
