/* A worker: one thread with one event loop, the requests that it has on their way, and what it parses with. */
#ifndef CW_WORKER_H
#define CW_WORKER_H

#include "base/map.h"
#include "crawler/engine/host/lane.h"
#include "crawler/engine/links/scope.h"
#include "crawler/engine/parts.h"

#include <crawl/fetch.h>
#include <crawl/fingerprint.h>
#include <crawl/frontier.h>
#include <crawl/links.h>

/* Requests pushed at once, to hold the frontier's lock for a while only: a page has up to CRAWL_PAGE_MAX_LINKS, a
 * sitemap 50,000. */
#define CW_BATCH_MAX 4096u

typedef struct cw_visit cw_visit;
struct event;
struct event_base;

/* One thread, its loop, and what it parses with. */
typedef struct cw_worker {
    crawl_engine *engine;
    unsigned index;
    unsigned capacity;   /* transfers at once */
    atomic_uint allowed; /* of them now, since descriptors are short */
    int64_t squeezed_ms; /* when that was last changed */
    unsigned running;
    cw_lane lane;
    struct event_base *base;
    crawl_fetcher *fetcher;
    struct event *wake;  /* wake_fd became readable */
    struct event *again; /* the time that pop named has come */
    struct event *tick;  /* worker 0 alone */
    struct event *grace; /* the time for transfers in flight after the end is over */
    int wake_fd;
    bool ending;
    atomic_bool waiting; /* has asked the frontier in vain, or is about to ask */
    bool has_thread;
    unsigned looks;   /* whether it must stop */
    int64_t ended_ms; /* when the worker first saw that the crawl has ended; 0: not yet */
    pthread_t thread;
    cw_visit *visits;            /* free ones */
    atomic_int_fast64_t disk_us; /* in calls of a durable frontier */

    crawl_page *page;
    crawl_url *link;
    crawl_fingerprinter *fingerprinter;
    cw_scope_reader *scope;
    bool at_seed_host;  /* the page at hand is on the host of a seed */
    cw_map *on_page;    /* links of the page at hand, without their fragments */
    crawl_trap trapped; /* the URL that was last asked whether it belongs to the crawl */
    crawl_buf canonical;
    crawl_buf redirect_headers;
    crawl_buf headers;    /* of a request that is conditional */
    crawl_buf memo;       /* of the page at hand */
    crawl_buf batch_text; /* of each request of a batch: its URL, its memo */
    size_t batch_size;
    size_t found_fresh;                  /* since cw_follow_begin */
    crawl_edge_verdict redirect_verdict; /* of the redirect at hand */
    crawl_request batch[CW_BATCH_MAX];
    size_t batch_at[CW_BATCH_MAX];          /* where each begins in batch_text */
    uint8_t results[CW_BATCH_MAX];          /* of the batch, crawl_pushed */
    uint8_t verdicts[CRAWL_PAGE_MAX_LINKS]; /* of the links at hand, crawl_edge_verdict; those in the batch are NEW
                                               until it is pushed */
} cw_worker;

/* Around a call of a durable frontier, so that waiting for the disk can be told: begin gives the time, which end
 * takes. */
static inline int64_t cw_disk_begin(const cw_worker *worker)
{
    return worker->engine->config->state ? cw_now_us() : 0;
}

static inline void cw_disk_end(cw_worker *worker, int64_t began_us)
{
    if (began_us)
        atomic_fetch_add_explicit(&worker->disk_us, cw_now_us() - began_us, memory_order_relaxed);
}

/* Of what the crawl may take, a worker's part. */
typedef struct cw_worker_share {
    unsigned connections; /* transfers at once */
    unsigned idle;        /* connections kept besides */
    uint64_t body_bytes;  /* of bodies under way; 0: no limit */
} cw_worker_share;

/* create: CRAWL_ENOMEM, CRAWL_EIO, or what the fetcher says. */
crawl_err cw_worker_create(crawl_engine *engine, unsigned index, const cw_worker_share *share, cw_worker **out,
                           crawl_error *error);
void cw_worker_free(cw_worker *worker);
void cw_worker_run(cw_worker *worker);
void cw_worker_wake(cw_worker *worker);       /* from any thread and from signal handlers */
cw_visit *cw_worker_visit(cw_worker *worker); /* NULL: no memory */
void cw_worker_release(cw_visit *visit);      /* the visit is over: its lease was ended */
void cw_worker_transfer_began(cw_visit *visit);
void cw_worker_transfer_ended(cw_worker *worker);
/* There was no socket for a transfer of it, words say why: it makes do with fewer for a while. */
void cw_worker_squeeze(cw_worker *worker, const char *words);
/* Between the links of a page and the entries of a sitemap: the crawl has failed, or ended and what was under way has
 * had its time. Sees to max_time meanwhile, which the loop cannot. */
bool cw_worker_must_stop(cw_worker *worker);

#endif
