/* A crawl: its own durable frontier, its queues, and its URLs that are out.
 *
 * A queue is a host of the frontier, whose origin is derived from the queue's key. A URL is a request of that host,
 * with the URL as body and its version as memo, and a record (service_record.h). A request whose version differs from
 * the record's is stale, and dropped when the frontier gives it. The frontier holds back the URLs that a queue must not
 * give yet: the pause between two hand-outs, a client's block and a limit are a block of the host, and a wait until
 * something comes back is a lease that is not started (`parked`). */
#pragma once

#include "tools/serve/urlfrontier/leases.h"
#include "tools/serve/urlfrontier/pending.h"

#include <crawl/frontier.h>

enum { CW_SERVICE_HOST = 48 };

typedef struct cw_service_crawl cw_service_crawl;
struct cw_service_handout;

typedef struct cw_service_queue {
    cw_service_crawl *crawl;
    uint64_t total; /* URLs */
    uint64_t completed;
    uint64_t in_process;
    int64_t given_ms; /* time of the last hand-out; 0: none */
    uint64_t block_s; /* a client's block, in seconds since 1970 */
    int64_t delay_s;  /* negative: the service's default */
    uint32_t limit;   /* on completed URLs; 0: none */
    bool has_parked;
    uint64_t parked;                    /* a lease of the frontier that keeps the host from giving another */
    uint64_t round;                     /* the last hand-out that it took part in */
    struct cw_service_handout *handout; /* the hand-out whose turn with the queue is under way; NULL: none */
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
    const uint32_t *delay_s;            /* of queues without their own; borrowed */
    cw_map *by_key;
    cw_map *by_origin;
    cw_service_queue **queues; /* in order of creation */
    size_t count;
    size_t room;
    size_t parked;         /* number of parked queues */
    uint64_t parked_least; /* lower bound of in_process of the parked queues */
    cw_service_leases leases;
    uint64_t version; /* the last one used */
    crawl_buf name;   /* scratch */
    crawl_buf note;
    cw_service_pending pending; /* empty between calls */
    bool has_failed;            /* its directory could not be written or read: see mend.c */
    char *directory;
    char id[];
};

/* Maximum number of queues in a crawl, since clients name them. About 400 bytes each, with the frontier's host. */
#define CW_SERVICE_QUEUES_MAX 10000000u
/* Maximum number of characters in a key, from the protocol. A URL with a longer key is skipped. */
#define CW_SERVICE_KEY_MAX 255u

/* Opens the crawl in this directory, or creates it. id: its name. The caller sets delay_s. CRAWL_EIO, CRAWL_ECORRUPT,
 * CRAWL_ESTATE, CRAWL_ENOMEM: error says why. */
crawl_err cw_service_crawl_open(const char *directory, crawl_slice id, crawl_fingerprinter *fingerprinter,
                                int64_t now_ms, cw_service_crawl **out, crawl_error *error);
/* Closes the crawl. No hand-out may have a turn with its queues. NULL is allowed. */
crawl_err cw_service_crawl_close(cw_service_crawl *crawl, crawl_error *error);

/* Records whether this error of the frontier means that the directory failed. Returns err. */
static inline crawl_err cw_service_crawl_noted(cw_service_crawl *crawl, crawl_err err)
{
    crawl->has_failed = crawl->has_failed || err == CRAWL_EIO;
    return err;
}

/* Returns a number that no request of the crawl had before. */
uint64_t cw_service_crawl_version(cw_service_crawl *crawl);

/* Sets crawl->name to the name of a URL's record, and *fingerprint (may be NULL) to its fingerprint. CRAWL_ENOMEM. */
crawl_err cw_service_crawl_name(cw_service_crawl *crawl, const cw_service_queue *queue, crawl_slice url,
                                crawl_fingerprint *fingerprint);
/* Reads the record named crawl->name, which has this fingerprint. Its info is in crawl->note. CRAWL_ABSENT: none.
 * CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_service_crawl_read(cw_service_crawl *crawl, const crawl_fingerprint *fingerprint, cw_service_record *out);
/* Adds a record to those pending, with the errors of cw_service_pending_add. It is stored once flush or end has
 * returned CRAWL_OK. A call that writes must end with end. */
crawl_err cw_service_crawl_write(cw_service_crawl *crawl, const crawl_fingerprint *fingerprint,
                                 const cw_service_record *record);
/* Do the same as cw_service_pending_flush and cw_service_pending_end. */
crawl_err cw_service_crawl_flush(cw_service_crawl *crawl);
crawl_err cw_service_crawl_end(cw_service_crawl *crawl);

/* Ends expired leases. Their URLs may be handed out again. */
void cw_service_crawl_expire(cw_service_crawl *crawl, int64_t now_ms);
/* Takes the URL of a lease out of process and frees the lease. The caller ends the frontier's lease. */
void cw_service_crawl_release(cw_service_crawl *crawl, cw_service_lease *lease, int64_t now_ms);

/* Returns the queue of this key. NULL: none. */
cw_service_queue *cw_service_queue_find(const cw_service_crawl *crawl, crawl_slice key);
/* Does the same, and creates a missing queue. CRAWL_FULL, CRAWL_ENOMEM. */
crawl_err cw_service_queue_get(cw_service_crawl *crawl, crawl_slice key, cw_service_queue **out);
/* Removes a queue without URLs, its note and its block. No hand-out may have a turn with it. CRAWL_EIO, CRAWL_ECORRUPT,
 * CRAWL_ENOMEM. */
crawl_err cw_service_queue_forget(cw_service_queue *queue, int64_t now_ms);

/* Returns true if the queue has URLs that are not completed and is not blocked. */
bool cw_service_queue_active(const cw_service_queue *queue, int64_t now_ms);
/* Passes block, limit and pause to the frontier. Call after completed or the default delay changed. */
crawl_err cw_service_queue_hold(cw_service_queue *queue, int64_t now_ms);
/* Stores given_ms, delay, block and limit on disk, and passes them to the frontier. Call after one of them changed. */
crawl_err cw_service_queue_keep(cw_service_queue *queue, int64_t now_ms);
/* Begins the pause after the hand-out at given_ms, which is stored if the pause is long. */
crawl_err cw_service_queue_pause(cw_service_queue *queue, int64_t now_ms);
/* Loads what was stored. */
void cw_service_queue_recall(cw_service_queue *queue, crawl_slice note);

/* Keeps the host of this lease from giving another request until unpark. */
void cw_service_queue_park(cw_service_queue *queue, uint64_t lease);
void cw_service_queue_unpark(cw_service_queue *queue, int64_t now_ms);

/* Removes the record of a URL, whatever it says, and ends its lease. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_service_crawl_remove(cw_service_crawl *crawl, cw_service_queue *queue, crawl_slice url, bool completed,
                                  int64_t now_ms);
