/* A maker makes the visits of one thread. It has what they share: the fetcher, connections, and what answers are read
 * with. A visit is one request on its way, from its lease to its end. */
#ifndef CW_VISIT_MAKER_H
#define CW_VISIT_MAKER_H

#include "crawler/engine/host/host_table.h"
#include "crawler/engine/host/lane.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/links/batch.h"
#include "crawler/engine/links/spellings.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/pattern.h"
#include "crawler/engine/visit/again/retry.h"
#include "crawler/engine/visit/again/revisit.h"

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <crawl/frontier.h>
#include <sys/queue.h>

struct event;
struct event_base;

typedef struct cw_visit cw_visit;
typedef struct cw_visit_reading cw_visit_reading;

/* Reads an answer that stands, and ends the visit. False: it goes on in slices (slices.h), which end it. */
typedef bool cw_visit_reader(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict);

/* The part that one maker has of what the crawl may take. */
typedef struct cw_visit_maker_share {
    unsigned connections; /* transfers at once */
    unsigned idle;        /* connections kept besides */
    uint64_t body_bytes;  /* of bodies under way; 0: no limit */
} cw_visit_maker_share;

/* Leases that other makers have sent, see home.h. */
typedef struct cw_visit_sent cw_visit_sent;
typedef struct cw_visit_inbox {
    pthread_mutex_t lock; /* of the others */
    STAILQ_HEAD(, cw_visit_sent) sent;
    unsigned count;
    bool open; /* while its thread runs */
} cw_visit_inbox;

typedef struct cw_visit_maker {
    crawl_engine *engine;
    unsigned index; /* of the engine's workers */
    crawl_fetcher *fetcher;
    void (*on_ended)(void *user); /* a transfer has ended: there is room for another one */
    void *user;
    struct cw_engine_waker *waker; /* of its thread */
    cw_visit *unused;

    atomic_uint capacity; /* transfers at once */
    atomic_uint allowed;  /* of them now, since descriptors are short */
    int64_t squeezed_ms;  /* when that was last changed */
    atomic_uint running;  /* written by its own thread alone */
    atomic_uint busy;     /* thousandths of the time that its thread has computed lately */
    cw_visit_inbox inbox;
    cw_host_lane lane;

    cw_links_judge judge;
    cw_links_spellings *spellings;
    cw_links_batch batch;
    cw_scope_matcher *matcher; /* NULL: everything is kept */
    cw_visit_reading *reading; /* for the next answer; NULL: all that may be are in slices */
    struct {
        struct event *event;                     /* the turn of the next slice */
        TAILQ_HEAD(, cw_visit_reading) readings; /* whose links take more than a slice; their turns go round */
        unsigned count;                          /* of them */
        TAILQ_HEAD(, cw_visit) waiting;          /* for a reading */
    } slices;
} cw_visit_maker;

struct cw_visit {
    cw_visit_maker *maker;
    crawl_lease lease;
    crawl_url *url;       /* of the lease */
    cw_host_record *host; /* of the lease; looked up once, and released with the visit, unless its receipt is awaited */
    cw_host_record *site; /* of a request for robots.txt: whose it is */
    const cw_host_rules *rules; /* of the host; NULL: not asked for yet, or no memory */
    uint64_t transfer;
    cw_host_pass pass;
    int64_t wall_ms;   /* when it left; 0: it did not */
    uint64_t number;   /* of the requests that did */
    int64_t return_ms; /* it did not leave, and comes back then */
    bool has_ticket;
    bool is_counted;                  /* by the trap guard, as a page of its host */
    bool awaits_receipt;              /* its record was taken, and is not kept yet */
    bool is_conditional;              /* asked with validators of the answer before */
    bool is_kept;                     /* see keeping.h; said once its answer is there, or it has failed */
    cw_visit_revisit_outcome outcome; /* of a page that is visited again */
    uint64_t digest;                  /* of what it holds */
    struct cw_visit_claim *claim;     /* see claims.h; NULL: it has not asked */
    cw_host_lane_entry lane;          /* while it has a transfer */
    struct {
        const crawl_response *response;
        cw_visit_retry_verdict verdict;
        cw_visit_reader *read;
        TAILQ_ENTRY(cw_visit) link;
    } answer;       /* while it waits to be read */
    cw_visit *next; /* in the list of those that are unused */
};

/* The maker is zeroed. base is borrowed. CRAWL_ENOMEM, or what crawl_fetcher_create says; close it whatever is
 * returned. */
crawl_err cw_visit_maker_open(cw_visit_maker *maker, crawl_engine *engine, struct event_base *base,
                              const cw_visit_maker_share *share, crawl_error *error);
/* Transfers under way end without being told. */
void cw_visit_maker_cancel(cw_visit_maker *maker);
/* To be called after cw_visit_maker_cancel. */
void cw_visit_maker_close(cw_visit_maker *maker);

/* A visit without a lease; NULL: no memory. */
cw_visit *cw_visit_maker_take(cw_visit_maker *maker);
/* The visit is over, and its lease was ended. */
void cw_visit_maker_release(cw_visit *visit);

static inline crawl_engine *cw_visit_engine(const cw_visit *visit)
{
    return visit->maker->engine;
}

static inline cw_links_source cw_visit_source(const cw_visit *visit)
{
    return (cw_links_source){.lease = &visit->lease, .url = visit->url, .host = visit->host};
}

/* Has the request left? Then the server may have carried it out, even if there was no answer. */
static inline bool cw_visit_left(const cw_visit *visit)
{
    return visit->pass.started_us != 0;
}

#endif
