/* A frontier shared by many crawlers: the calls of the URLFrontier protocol over crawls stored in a directory.
 * Acknowledged items survive a crash, and so do pauses, blocks, limits, leases and whether the service is active.
 * Single-threaded: all calls and cw_service_tick come from the thread of the loop. */
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
    size_t turn;       /* index of the crawl with which the next hand-out of all crawls begins */
    uint32_t delay_s;  /* of queues without their own */
    bool paused;       /* by SetActive */
    bool always;       /* acknowledge only what is on disk */
    int lock;          /* descriptor; -1: not locked */
    crawl_buf address; /* where it is asked, for ListNodes */
    char *directory;
    bool is_failing;                /* a crawl has failed: see mend.c */
    bool lacks;                     /* a crawl is to be reopened */
    int64_t mend_ms;                /* time of the next check */
    struct cw_serve_watch *watches; /* calls that watch its health */
} cw_service;

/* Maximum number of crawls of a service, since clients name them. Each is a database with its own files and threads. */
#define CW_SERVICE_CRAWLS_MAX 64u
/* Maximum length of a crawl's name, which becomes the name of a folder. */
#define CW_SERVICE_ID_MAX 80u

/* Opens the directory, or creates it. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ESTATE (in use), CRAWL_EINVAL (a crawl's),
 * CRAWL_ENOMEM: error says why. */
crawl_err cw_service_open(const char *directory, bool always, cw_service **out, crawl_error *error);
/* Closes all crawls. Returns the first error. NULL is allowed. */
crawl_err cw_service_close(cw_service *service, crawl_error *error);

/* Ends expired leases. Called a few times per second. */
void cw_service_tick(cw_service *service);

static inline int64_t cw_service_now(const cw_service *service)
{
    return cw_clock_now(&service->clock);
}

/* Returns the name of a crawl: "DEFAULT" if id is empty or NULL. */
crawl_slice cw_service_id(const char *id);

/* NULL: none. */
cw_service_crawl *cw_service_find(const cw_service *service, const char *id);
/* Does the same, and creates a missing crawl. CRAWL_EINVAL: the name is too long or not UTF-8. CRAWL_FULL. CRAWL_EIO,
 * ... */
crawl_err cw_service_get(cw_service *service, const char *id, cw_service_crawl **out);
/* Opens all crawls of the directory that are not open. CRAWL_EIO, ...: error says which one failed. */
crawl_err cw_service_open_crawls(cw_service *service, crawl_error *error);
/* Removes a crawl and its directory. */
crawl_err cw_service_delete(cw_service *service, cw_service_crawl *crawl);

/* Stores delay and paused on disk. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_service_keep(const cw_service *service);

/* Returns the key of a queue: the client's key or, if it is empty, the part of the URL after "://" up to the first of
 * ":/?&". Empty: none. */
crawl_slice cw_service_key(const char *key, const char *url);

/* Ends a call with one of our errors, or with CRAWL_OK. */
void cw_service_end(cw_grpc_call *call, crawl_err err);

/* Reopens failed crawls if possible. Prints a message when failures begin and when all have ended. Called a few times
 * per second, between calls. */
void cw_service_mend(cw_service *service);
