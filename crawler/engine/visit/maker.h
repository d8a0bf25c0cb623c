/* A maker makes the visits of one thread. It has what these share: the fetcher, the connections, and the memory for
 * reading answers. A visit is one request, from its lease to its end. */
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
#include "crawler/engine/visit/answer/dedupe.h"

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

/* Reads an answer that stands, and ends the visit. False: reading continues in slices (slices.h), which end the
 * visit. */
typedef bool cw_visit_reader(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict);

/* One maker's share of the crawl's resources. */
typedef struct cw_visit_maker_share {
    unsigned connections; /* transfers at once */
    unsigned handles;     /* transfers at once, if other makers use none */
    unsigned idle;        /* idle connections kept open */
    uint64_t body_bytes;  /* most bytes of bodies under way; 0: no limit */
} cw_visit_maker_share;

/* Leases that other makers have sent; see home.h. */
typedef struct cw_visit_sent cw_visit_sent;
typedef struct cw_visit_inbox {
    pthread_mutex_t lock; /* guards the other members */
    STAILQ_HEAD(, cw_visit_sent) sent;
    unsigned count;
    bool open; /* while its thread runs */
} cw_visit_inbox;

typedef struct cw_visit_maker {
    crawl_engine *engine;
    unsigned index; /* of the engine's workers */
    crawl_fetcher *fetcher;
    void (*on_ended)(void *user); /* a transfer has ended: there is room for another */
    void *user;
    struct cw_engine_waker *waker; /* of its thread */
    cw_visit *unused;              /* a list, used by cw_visit_maker_take */

    atomic_uint capacity; /* transfers at once */
    atomic_uint allowed;  /* how many of them it may use now, while descriptors are short */
    int64_t squeezed_ms;  /* when `allowed` was changed last */
    atomic_uint running;  /* transfers; written only by its own thread */
    atomic_uint busy;     /* thousandths of its recent time that its thread spent computing */
    cw_visit_inbox inbox;
    cw_host_lane lane;

    cw_links_judge judge;
    cw_links_spellings *spellings;
    cw_links_batch batch;
    struct {
        crawl_preferences *preferences;
        crawl_page *page;
    } statements;              /* for judging an answer (politeness.respect); NULL: not needed yet */
    cw_scope_matcher *matcher; /* NULL: everything is kept */
    crawl_wall_judge *walls;
    crawl_page *gate;   /* parses pages that may need rendering; NULL: none do */
    unsigned rendering; /* visits whose pages are being rendered; they do not count as running */
    struct {
        struct event_base *base;
        TAILQ_HEAD(, cw_visit_document) waiting, running;
        unsigned count;        /* visits whose documents wait or run; they do not count as running */
        unsigned programs;     /* programs running */
    } documents;               /* documents that other programs turn into pages */
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
    cw_host_record *host; /* of the lease; looked up once, and released with the visit unless its receipt is awaited */
    cw_host_record *site; /* the host that a request for robots.txt is about */
    const cw_host_rules *rules; /* of the host; NULL: not looked up yet, or out of memory */
    uint64_t transfer;
    cw_host_pass pass;
    crawl_wall wall;             /* the judgement of its answer */
    int64_t wall_ms;             /* when the request left; 0: not yet */
    uint64_t number;             /* among the requests that have left, from 1 */
    int64_t return_ms;           /* when a request that did not leave comes again; 0: not put off */
    bool has_started;            /* the frontier was told that it leaves */
    bool has_ticket;             /* it counts among the pages of crawl.max_pages */
    bool is_counted;             /* counted by the trap guard, as a page of its host */
    uint64_t path;               /* and of this path (cw_scope_trap_path) */
    bool awaits_receipt;         /* its record was taken, and is not kept yet */
    cw_visit_original *original; /* as which its page is kept when the record is; NULL: it is none */
    bool site_speaks;            /* its robots.txt, or tdmrep.json, says something about use (sites.h) */
    bool is_conditional;         /* asked with validators of the last answer */
    const char *withheld;        /* see crawl_record; known like is_kept */
    const char *withheld_by;
    bool is_kept;                     /* see cw_visit_keeping_judge; known once its answer is there, or has failed */
    cw_visit_revisit_outcome outcome; /* for a page that is visited again */
    struct cw_renders_page *rendered; /* NULL: not rendered, or not yet */
    cw_visit_document *document;      /* being turned into a page; NULL: none */
    crawl_buf part_of;                /* of a part: the URL of its page */
    char *asked;                      /* demand for a signature in its last answer (again/asked.h); NULL: none */
    crawl_signing signing;            /* according to that demand */
    uint8_t suspect;                  /* of a sitemap that was read: see lastmods.h */
    bool is_feed;                     /* the file read as a sitemap was a feed */
    bool has_suspect;                 /* suspect is set */
    uint64_t digest;                  /* see cw_visit_revisit */
    struct cw_visit_claim *claim;     /* its question (claims.h); NULL: not asked */
    cw_host_lane_entry lane;          /* while it has a transfer */
    struct {
        const crawl_response *response;
        cw_visit_retry_verdict verdict;
        cw_visit_reader *read;
        TAILQ_ENTRY(cw_visit) link;
    } answer;       /* the answer while it waits to be read, and its reader */
    cw_visit *next; /* in the list `unused` */
};

/* Opens a maker that is {0}. base is borrowed. CRAWL_ENOMEM, or an error of crawl_fetcher_create; the maker must be
 * closed whatever is returned. */
crawl_err cw_visit_maker_open(cw_visit_maker *maker, crawl_engine *engine, struct event_base *base,
                              const cw_visit_maker_share *share, crawl_error *error);
/* Ends the transfers under way, without calling on_done. */
void cw_visit_maker_cancel(cw_visit_maker *maker);
/* Call after cw_visit_maker_cancel. */
void cw_visit_maker_close(cw_visit_maker *maker);

/* Returns a visit without a lease; NULL: out of memory. */
cw_visit *cw_visit_maker_take(cw_visit_maker *maker);
/* Takes back a visit that is over and whose lease was ended. */
void cw_visit_maker_release(cw_visit *visit);

static inline crawl_engine *cw_visit_engine(const cw_visit *visit)
{
    return visit->maker->engine;
}

static inline cw_links_source cw_visit_source(const cw_visit *visit)
{
    return (cw_links_source){.lease = &visit->lease, .url = visit->url, .host = visit->host};
}

/* Returns true if the request has left. The server may then have carried it out, even without an answer. */
static inline bool cw_visit_left(const cw_visit *visit)
{
    return visit->pass.started_us != 0;
}
