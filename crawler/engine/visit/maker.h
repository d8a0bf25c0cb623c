/* A maker makes the visits of one thread. It has what these share: the fetcher, the connections, and the memory that
 * answers are read with. A visit is one request, from its lease to its end. */
#pragma once

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
#include <crawl/identity.h>
#include <crawl/preferences.h>
#include <crawl/wall.h>
#include <sys/queue.h>

struct event;
struct event_base;

typedef struct cw_visit cw_visit;
typedef struct cw_visit_reading cw_visit_reading;
typedef struct cw_visit_document cw_visit_document; /* preprocess/preprocess_document.h */

/* Reads an answer that stands, and ends the visit. False: it goes on in slices (slices.h), which end it. */
typedef bool cw_visit_reader(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict);

/* One maker's share of what the crawl may use. */
typedef struct cw_visit_maker_share {
    unsigned connections; /* transfers at once */
    unsigned handles;     /* transfers at once, if other makers have none */
    unsigned idle;        /* connections kept open that no transfer uses */
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
    cw_visit *unused;              /* a list, for cw_visit_maker_take */

    atomic_uint capacity; /* transfers at once */
    atomic_uint allowed;  /* how many of them it may use now, while descriptors are short */
    int64_t squeezed_ms;  /* when `allowed` was changed last */
    atomic_uint running;  /* transfers; written by its own thread alone */
    atomic_uint busy;     /* thousandths of the time that its thread has computed lately */
    cw_visit_inbox inbox;
    cw_host_lane lane;

    cw_links_judge judge;
    cw_links_spellings *spellings;
    cw_links_batch batch;
    struct {
        crawl_preferences *preferences;
        crawl_page *page;
    } statements;              /* of the answer that is judged (politeness.respect); NULL: none was yet */
    cw_scope_matcher *matcher; /* NULL: everything is kept */
    crawl_wall_judge *walls;
    crawl_page *gate;   /* parses pages that may have to be rendered; NULL: none are */
    unsigned rendering; /* visits whose pages are; they do not count as running */
    struct {
        struct event_base *base;
        TAILQ_HEAD(, cw_visit_document) waiting, running;
        unsigned count;        /* of visits whose documents wait or run; they do not count as running */
        unsigned programs;     /* that run */
    } documents;               /* that other programs make pages of */
    cw_visit_reading *reading; /* for the next answer; NULL: all readings are in slices */
    struct {
        struct event *event;                     /* the turn of the next slice */
        TAILQ_HEAD(, cw_visit_reading) readings; /* whose links take more than a slice, in the order of their turns */
        unsigned count;                          /* of readings */
        TAILQ_HEAD(, cw_visit) waiting;          /* visits whose answers wait for a reading */
    } slices;
} cw_visit_maker;

struct cw_visit {
    cw_visit_maker *maker;
    crawl_lease lease;
    crawl_url *url;       /* of the lease */
    cw_host_record *host; /* of the lease; looked up once, and released with the visit, unless its receipt is awaited */
    cw_host_record *site; /* of a request for robots.txt: the host that it is about */
    const cw_host_rules *rules; /* of the host; NULL: not asked for yet, or no memory */
    uint64_t transfer;
    cw_host_pass pass;
    crawl_wall wall;      /* what its answer was judged to be */
    int64_t wall_ms;      /* when the request left; 0: it did not */
    uint64_t number;      /* among the requests that left, from 1 */
    int64_t return_ms;    /* when a request that did not leave comes again; 0: it is not put off */
    bool has_started;     /* the frontier was told that it leaves */
    bool has_ticket;      /* it counts among the pages of crawl.max_pages */
    bool is_counted;      /* by the trap guard, as a page of its host, */
    uint64_t path;        /* and of this path (cw_scope_trap_path) */
    bool awaits_receipt;  /* its record was taken, and is not kept yet */
    bool site_speaks;     /* its robots.txt, or tdmrep.json, says something of use (sites.h) */
    bool is_conditional;  /* it is asked with validators of the answer before */
    const char *withheld; /* see crawl_record; known like is_kept */
    const char *withheld_by;
    bool is_kept;                     /* see cw_visit_keeping_judge; known when its answer is there, or has failed */
    cw_visit_revisit_outcome outcome; /* of a page that is visited again */
    struct cw_renders_page *rendered; /* NULL: it was not, or not yet */
    cw_visit_document *document;      /* that a page is made of; NULL: none is */
    crawl_buf part_of;                /* of a part: the URL of its page */
    char *asked;                      /* what its answer before has asked to be signed (again/asked.h); NULL: nothing */
    crawl_signing signing;            /* as was asked for */
    uint8_t suspect;                  /* of a sitemap, when it was read: see lastmods.h */
    bool is_feed;                     /* what was read as a sitemap was one */
    bool has_suspect;                 /* it was read */
    uint64_t digest;                  /* of the page's body, or of where it redirects to */
    struct cw_visit_claim *claim;     /* its question (claims.h); NULL: it has asked none */
    cw_host_lane_entry lane;          /* while it has a transfer */
    struct {
        const crawl_response *response;
        cw_visit_retry_verdict verdict;
        cw_visit_reader *read;
        TAILQ_ENTRY(cw_visit) link;
    } answer;       /* who reads it, and what is read while it waits for that */
    cw_visit *next; /* in the list `unused` */
};

/* Opens a maker that is {0}. base is borrowed. CRAWL_ENOMEM, or an error of crawl_fetcher_create; the maker must be
 * closed whatever is returned. */
crawl_err cw_visit_maker_open(cw_visit_maker *maker, crawl_engine *engine, struct event_base *base,
                              const cw_visit_maker_share *share, crawl_error *error);
/* Ends the transfers under way, of which on_done is not told. */
void cw_visit_maker_cancel(cw_visit_maker *maker);
/* To be called after cw_visit_maker_cancel. */
void cw_visit_maker_close(cw_visit_maker *maker);

/* Gives a visit without a lease; NULL: no memory. */
cw_visit *cw_visit_maker_take(cw_visit_maker *maker);
/* Takes a visit back that is over, and whose lease was ended. */
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
