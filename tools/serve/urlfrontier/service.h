/* A frontier that many crawlers share: the calls of the protocol URLFrontier over crawls that are kept in a directory.
 * An acknowledged item is there after the process was killed; so are pauses, blocks, limits, leases and whether the
 * service is active. Single-thread: all calls and cw_service_tick come from the thread of the loop. */
#pragma once

#include "base/clock.h"
#include "tools/serve/grpc/grpc.h"
#include "tools/serve/urlfrontier/crawl.h"

typedef struct cw_service {
    cw_clock clock;
    crawl_fingerprinter *fingerprinter;
    cw_service_crawl **crawls;
    size_t count;
    uint64_t round;    /* numbers hand-outs */
    uint32_t delay_s;  /* of queues without one of their own */
    bool paused;       /* by SetActive */
    bool always;       /* every acknowledgement is for what is on the disk */
    int lock;          /* -1: not taken */
    crawl_buf address; /* where it is asked, as ListNodes says it */
    char *directory;
    bool is_failing;                /* a crawl is not what it should be: see mend.c */
    bool lacks;                     /* one that could not be opened anew */
    int64_t mend_ms;                /* when that is looked at again */
    struct cw_serve_watch *watches; /* who is told of it */
} cw_service;

/* Crawls of one service, which strangers name: each is a database with files and threads of its own. */
#define CW_SERVICE_CRAWLS_MAX 64u
/* Bytes of a crawl's name, of which a folder's name is made. */
#define CW_SERVICE_ID_MAX 80u

/* Opens the directory, or makes it. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ESTATE (in use), CRAWL_ENOMEM: error says why. */
crawl_err cw_service_open(const char *directory, bool always, cw_service **out, crawl_error *error);
/* Closes all crawls; the first error. NULL is allowed. */
crawl_err cw_service_close(cw_service *service, crawl_error *error);

/* Ends leases whose time is over. A few times a second. */
void cw_service_tick(cw_service *service);

static inline int64_t cw_service_now(const cw_service *service)
{
    return cw_clock_now(&service->clock);
}

/* A blank name is that of the crawl "DEFAULT". */
crawl_slice cw_service_id(const char *id);

/* NULL: there is none. */
cw_service_crawl *cw_service_find(const cw_service *service, const char *id);
/* The same, made if it is not there. CRAWL_EINVAL: the name is too long or not UTF-8. CRAWL_FULL. CRAWL_EIO, ... */
crawl_err cw_service_get(cw_service *service, const char *id, cw_service_crawl **out);
/* Opens the crawls of the directory that are not open. CRAWL_EIO, ...: error says of which. */
crawl_err cw_service_open_crawls(cw_service *service, crawl_error *error);
/* Removes a crawl and its directory. */
crawl_err cw_service_delete(cw_service *service, cw_service_crawl *crawl);

/* Keeps delay and paused on disk. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_service_keep(const cw_service *service);

/* The key of a queue: what the client says or, where that is empty, what follows "://" up to the first of ":/?&".
 * Empty: there is none. */
crawl_slice cw_service_key(const char *key, const char *url);

/* Ends a call by an error of ours, CRAWL_OK too. */
void cw_service_end(cw_grpc_call *call, crawl_err err);

/* Opens anew what can be, and says on standard error when something fails first and when nothing does any more. A few
 * times a second, between calls. */
void cw_service_mend(cw_service *service);
