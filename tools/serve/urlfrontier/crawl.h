/* A crawl: a durable frontier of its own, its queues, and the URLs of it that are out.
 *
 * A queue is a host of the frontier, whose origin is made of the queue's key; a URL is a request of that host, which
 * carries the URL as its body and its version as its memo, and a record (service_record.h). A request is stale unless
 * the record has its version: then it is dropped when the frontier gives it. A URL that a queue must not give yet is
 * held by the frontier: the pause between two hand-outs, a client's block and a limit as a block of the host, and what
 * holds until something comes back as a lease that is not started (`parked`). */
#pragma once

#include "tools/serve/urlfrontier/leases.h"
#include "tools/serve/urlfrontier/pending.h"

#include <crawl/frontier.h>

enum { CW_SERVICE_HOST = 48 };

typedef struct cw_service_crawl cw_service_crawl;
struct cw_service_handout;

typedef struct cw_service_queue {
    cw_service_crawl *crawl;
    uint64_t total; /* URLs, */
    uint64_t completed;
    uint64_t in_process;
    int64_t next_ms;  /* the end of the pause after the last hand-out */
    uint64_t block_s; /* a client's block, since 1970 */
    int64_t delay_s;  /* negative: the service's */
    uint32_t limit;   /* of completed URLs; 0: none */
    bool has_parked;
    uint64_t parked;                    /* a lease of the frontier that keeps the host from giving another */
    uint64_t round;                     /* the last hand-out that it was part of */
    struct cw_service_handout *handout; /* that is under way with it; NULL: none */
    uint8_t origin_size;
    char url[CW_SERVICE_HOST]; /* of its requests: the origin of its host in the frontier, and a slash */
    char key[];
} cw_service_queue;

static inline crawl_slice cw_service_queue_origin(const cw_service_queue *queue)
{
    return crawl_slice_of(queue->url, queue->origin_size);
}

struct cw_service_crawl {
    crawl_frontier *frontier;
    crawl_fingerprinter *fingerprinter; /* borrowed */
    cw_map *by_key;
    cw_map *by_origin;
    cw_service_queue **queues; /* in the order of becoming known */
    size_t count;
    size_t room;
    size_t parked;         /* queues that are parked, */
    uint64_t parked_least; /* and the least that are in process of one of them, at least */
    cw_service_leases leases;
    uint64_t version; /* the last that was given */
    crawl_buf name;   /* scratch */
    crawl_buf note;
    cw_service_pending pending; /* nothing between two calls */
    bool has_failed;            /* its directory could not be written or read: see mend.c */
    char *directory;
    char id[];
};

/* Queues of a crawl, which strangers name: about 400 bytes each, with the frontier's host. */
#define CW_SERVICE_QUEUES_MAX 10000000u
/* Characters of a key; of more, a URL is skipped. The protocol's own. */
#define CW_SERVICE_KEY_MAX 255u

/* Opens the crawl in this directory, or makes it. id: its name. fingerprinter is borrowed. CRAWL_EIO, CRAWL_ECORRUPT,
 * CRAWL_ESTATE, CRAWL_ENOMEM: error says why. */
crawl_err cw_service_crawl_open(const char *directory, crawl_slice id, crawl_fingerprinter *fingerprinter,
                                int64_t now_ms, cw_service_crawl **out, crawl_error *error);
/* Closes it, once no hand-out is in the middle of a turn there. NULL is allowed. */
crawl_err cw_service_crawl_close(cw_service_crawl *crawl, crawl_error *error);

/* Notes whether the directory failed by this error of the frontier, which is given back. */
static inline crawl_err cw_service_crawl_noted(cw_service_crawl *crawl, crawl_err err)
{
    crawl->has_failed = crawl->has_failed || err == CRAWL_EIO;
    return err;
}

/* A number that no request of the crawl had before. */
uint64_t cw_service_crawl_version(cw_service_crawl *crawl);

/* The name and the fingerprint (NULL: not wanted) of a URL's record; the name is in crawl->name. CRAWL_ENOMEM. */
crawl_err cw_service_crawl_name(cw_service_crawl *crawl, const cw_service_queue *queue, crawl_slice url,
                                crawl_fingerprint *fingerprint);
/* The record of crawl->name, which has this fingerprint; its info is in crawl->note. CRAWL_ABSENT: none. CRAWL_EIO,
 * CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_service_crawl_read(cw_service_crawl *crawl, const crawl_fingerprint *fingerprint, cw_service_record *out);
/* Gathers it: it is kept when flush or end has answered CRAWL_OK, and a call that writes ends with end. As
 * cw_service_pending_add. */
crawl_err cw_service_crawl_write(cw_service_crawl *crawl, const crawl_fingerprint *fingerprint,
                                 const cw_service_record *record);
/* These do the same as cw_service_pending_flush and cw_service_pending_end. */
crawl_err cw_service_crawl_flush(cw_service_crawl *crawl);
crawl_err cw_service_crawl_end(cw_service_crawl *crawl);

/* Leases whose end has come: their URLs may be handed out again. */
void cw_service_crawl_expire(cw_service_crawl *crawl, int64_t now_ms);
/* The URL of a lease is in process no more; its lease is freed, that of the frontier is the caller's. */
void cw_service_crawl_release(cw_service_crawl *crawl, cw_service_lease *lease, int64_t now_ms);

/* The queue of this key; NULL: there is none. */
cw_service_queue *cw_service_queue_find(const cw_service_crawl *crawl, crawl_slice key);
/* The same, made if it is not there. CRAWL_FULL, CRAWL_ENOMEM. */
crawl_err cw_service_queue_get(cw_service_crawl *crawl, crawl_slice key, cw_service_queue **out);
/* Removes it with its records. *removed: how many URLs it had. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some may be
 * left. */
crawl_err cw_service_queue_delete(cw_service_queue *queue, int64_t now_ms, uint64_t *removed);

/* Removes a queue that has no URL left, with its note and its block. Errors: as cw_service_queue_delete. */
crawl_err cw_service_queue_forget(cw_service_queue *queue, int64_t now_ms);

/* Has it URLs that are not completed, and is it not blocked? */
bool cw_service_queue_active(const cw_service_queue *queue, int64_t now_ms);
/* Brings block, limit and pause to the frontier. After one of them changed. */
crawl_err cw_service_queue_hold(cw_service_queue *queue, int64_t now_ms);
/* Keeps delay, block and limit on disk, and reads them from there. */
crawl_err cw_service_queue_keep(cw_service_queue *queue);
void cw_service_queue_recall(cw_service_queue *queue, crawl_slice note);

/* Keeps the host of this lease from giving another until unpark. */
void cw_service_queue_park(cw_service_queue *queue, uint64_t lease);
void cw_service_queue_unpark(cw_service_queue *queue, int64_t now_ms);

/* Removes the record of a URL, whatever it says. A lease of it ends. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_service_crawl_remove(cw_service_crawl *crawl, cw_service_queue *queue, crawl_slice url, bool completed,
                                  int64_t now_ms);
