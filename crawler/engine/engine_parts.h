/* The inside of the engine, shared by engine.c (threads, end, figures), worker.c (a loop), visit.c (a request),
 * documents.c (what an answer holds), revisits.c (when it is asked again), follow.c (links and redirects), edges.c
 * (what became of them), intake.c (requests from outside), robots_visit.c (robots.txt), sitemaps.c, pacing.c (when a
 * host is asked), load.c (what binds it) and state.c (what is kept on disk). */
#ifndef CW_ENGINE_PARTS_H
#define CW_ENGINE_PARTS_H

#include "base/clock.h"
#include "base/map.h"
#include "crawler/engine/descriptors.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/host/host_rules.h"
#include "crawler/engine/host/hsts.h"
#include "crawler/engine/host/lane.h"
#include "crawler/engine/host/pacer.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/links/key.h"
#include "crawler/engine/links/scope.h"
#include "crawler/engine/links/trap.h"
#include "crawler/engine/load.h"
#include "crawler/engine/visit/dedupe.h"
#include "crawler/engine/visit/retry.h"
#include "crawler/engine/visit/revisit.h"

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <crawl/links.h>
#include <crawl/sitemap.h>
#include <pthread.h>
#include <stdatomic.h>

struct event;
struct event_base;

/* crawl_request.tag: for a page, redirects in a row so far and whether it is a seed (or what a seed was redirected to);
 * for a sitemap, redirects and what sitemaps.c keeps there; for robots.txt redirects. */
#define CW_TAG_ROBOTS 0x80000000u
#define CW_TAG_SEED 0x40000000u
#define CW_TAG_SITEMAP 0x20000000u
#define CW_TAG_ONCE \
    0x10000000u /* a page that was pushed though it was seen, and is visited again by its first request alone */
#define CW_TAG_REDIRECTS 0xffffu

typedef struct cw_counters {
    atomic_uint_fast64_t pages;
    atomic_uint_fast64_t bytes;
    atomic_uint_fast64_t wire_bytes;
    atomic_uint_fast64_t status[6];
    atomic_uint_fast64_t errors;
    atomic_uint_fast64_t error_classes[CRAWL_CLASS_COUNT];
    atomic_uint_fast64_t retries;
    atomic_uint_fast64_t robots;
    atomic_uint_fast64_t robots_cut;
    atomic_uint_fast64_t links_cut;
    atomic_uint_fast64_t sitemaps;
    atomic_uint_fast64_t edges[CRAWL_EDGE_COUNT];         /* links and redirects; counted in edges.c alone */
    atomic_uint_fast64_t sitemap_edges[CRAWL_EDGE_COUNT]; /* URLs that sitemaps name */
    atomic_uint_fast64_t patterns_stopped;
    atomic_uint_fast64_t traps[CRAWL_TRAP_COUNT]; /* requests that were queued already, or come from outside */
    atomic_uint_fast64_t duplicates;
    atomic_uint_fast64_t near_duplicates;
    atomic_uint_fast64_t visits;
    atomic_uint_fast64_t changed;
    atomic_uint_fast64_t unchanged;
    atomic_uint_fast64_t not_modified;
    atomic_uint_fast64_t gone;
    atomic_uint_fast64_t running;
    atomic_uint_fast64_t no_socket;
} cw_counters;

/* sitemap_faults.c */
typedef struct cw_sitemap_faults {
    pthread_mutex_t lock;
    uint64_t count[CRAWL_SITEMAP_FAULT_COUNT];
    char first[CRAWL_SITEMAP_FAULT_COUNT][CRAWL_SITEMAP_FIRST];
} cw_sitemap_faults;

void cw_sitemap_faults_init(cw_sitemap_faults *faults);
void cw_sitemap_faults_free(cw_sitemap_faults *faults);
void cw_sitemap_faults_count(cw_sitemap_faults *faults, crawl_sitemap_fault fault, crawl_slice url);
void cw_sitemap_faults_read(cw_sitemap_faults *faults, crawl_engine_stats *out);

static inline void cw_count(atomic_uint_fast64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static inline uint64_t cw_counted(atomic_uint_fast64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

typedef struct cw_visit cw_visit;

/* Requests pushed at once, to hold the frontier's lock for a while only: a page has up to CRAWL_PAGE_MAX_LINKS, a
 * sitemap 50,000. */
#define CW_BATCH_MAX 4096u

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

/* What requests are made with that come from outside of the workers, one at a time. */
typedef struct cw_intake {
    pthread_mutex_t lock;
    crawl_url *url;
    crawl_fingerprinter *fingerprinter;
    cw_scope_reader *scope;
    crawl_buf canonical;
    crawl_buf from; /* where the seeds come from that are being read; empty: none are, or it is noted */
} cw_intake;

/* Who writes the jar to its files. */
typedef struct cw_cookie_saver {
    pthread_t thread;
    bool has_thread; /* that is not joined */
    atomic_bool busy;
    int64_t saved_ms;
    uint64_t written; /* crawl_jar_stats.changes when they were written last */
} cw_cookie_saver;

struct crawl_engine {
    const crawl_config *config;
    crawl_engine_hooks hooks;
    cw_clock clock;
    int64_t clock_kept_ms; /* when it was written down */
    int64_t set_back_ms;   /* it is ahead of the wall's by so much, which was set back since the last run */
    crawl_frontier *frontier;
    cw_sites *sites;
    cw_scope *scope;
    cw_key_rules key;
    cw_guard *guard;
    cw_host_book *hosts;
    crawl_jar *jar; /* NULL: no cookies, and each fetcher has its own */
    cw_cookie_saver cookies;
    cw_hsts *hsts; /* NULL: off */
    crawl_name_cache *names;
    cw_trap *trap;
    cw_pacer *pacer;
    int64_t epoch_us;        /* of the pacer's clock, since 1970 */
    int64_t opened_us;       /* on it: no host was asked by this engine before */
    int64_t longest_wait_ms; /* until a request that goes back to the frontier is due again: see cw_pacing_create */
    cw_dedupe *dedupe;       /* NULL: off */
    cw_intake intake;
    cw_counters counters;
    cw_sitemap_faults sitemap_faults;
    cw_load load;
    cw_worker **workers;
    unsigned worker_count;
    unsigned open_before;               /* descriptors, before the engine opened any */
    cw_descriptors descriptors;         /* of the process, shared out */
    atomic_int end;                     /* crawl_end */
    atomic_uint_fast64_t hosts_queued;  /* with something queued, as of the last tick */
    atomic_uint_fast64_t hosts_waiting; /* of them, those that connections alone keep waiting, or for as long as a pause
                                         */
    atomic_uint_fast64_t requests;      /* that left, or whose connection was tried in vain */
    atomic_uint_fast64_t tickets;       /* pages asked for or answered, under max_pages */
    pthread_mutex_t failure_lock;
    crawl_error failure; /* the first one */
    pthread_mutex_t idle_lock;
    atomic_int_fast64_t started_ms;
    atomic_int_fast64_t ended_ms;
    atomic_uint_fast64_t visits_out; /* leases for a further visit of their page */
    atomic_int_fast64_t next_ms;     /* until when the frontier had nothing, when it was last asked in vain */
    crawl_frontier_stats before;     /* of a crawl that goes on, as it was found */
    bool resumed;
    bool ran;
};

static inline int64_t cw_engine_now(const crawl_engine *engine)
{
    return cw_clock_now(&engine->clock);
}

/* One request on its way: a lease, and the transfer that serves it. */
struct cw_visit {
    cw_worker *worker;
    crawl_lease lease;
    crawl_url *url;
    uint64_t transfer;
    cw_pass pass;
    int64_t wall_ms;   /* when it left */
    uint64_t number;   /* of the requests that did */
    int64_t return_ms; /* it did not leave, and comes back then */
    bool cut_short;    /* what it names was not read to its end, since the crawl had ended */
    bool has_ticket;
    bool is_counted;            /* by the trap guard, as a page of its host */
    bool sets_cookie;           /* the redirect at hand does */
    bool is_conditional;        /* asked with validators of the answer before */
    cw_revisit_outcome outcome; /* of a page that is visited again */
    uint64_t digest;            /* of what it holds */
    cw_lane_entry lane;         /* while it has a transfer */
    cw_visit *next;             /* in the list of free ones */
};

static inline cw_visit *cw_visit_of_lane(cw_lane_entry *entry)
{
    return (cw_visit *)((char *)entry - offsetof(cw_visit, lane));
}

static inline crawl_engine *cw_engine_of(const cw_visit *visit)
{
    return visit->worker->engine;
}

/* Its request has left, and may have been carried out whatever is known of it. */
static inline bool cw_visit_left(const cw_visit *visit)
{
    return visit->pass.started_us != 0;
}

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

/* load.c. From worker 0 alone. */
void cw_load_look(crawl_engine *engine);

/* engine.c */
void cw_engine_end(crawl_engine *engine, crawl_end how);
void cw_engine_fail(crawl_engine *engine, crawl_err err, const char *words);
bool cw_engine_ended(crawl_engine *engine);
void cw_engine_watch_time(crawl_engine *engine);                     /* ends the crawl at crawl.max_time */
void cw_engine_notice(crawl_engine *engine, const crawl_buf *words); /* to on_notice */
/* Do the patterns let this canonical URL pass? A pattern that could not tell is counted, and said once. */
bool cw_engine_passes(crawl_engine *engine, cw_scope_reader *reader, crawl_slice canonical);
void cw_engine_wake(crawl_engine *engine, bool all);
/* Of all workers. */
void cw_engine_names(const crawl_engine *engine, crawl_fetcher_stats *out);
bool cw_engine_has_tickets(crawl_engine *engine);
bool cw_engine_take_ticket(crawl_engine *engine);
void cw_engine_return_ticket(crawl_engine *engine);
void cw_engine_drained(crawl_engine *engine); /* the frontier has nothing left: ends the crawl, unless on_idle has more
                                               */
/* It has nothing for so long; or a page for a further visit, which is to be made. Without revisit both end a crawl in
 * which nothing else is left. */
void cw_engine_waits(crawl_engine *engine, int64_t wait_ms);
bool cw_engine_wants_visit(crawl_engine *engine);

/* state.c. Opens the frontier in state.directory, with what a crawl there has left, or makes one in memory. */
crawl_err cw_state_open(crawl_engine *engine, crawl_error *error);
/* Adds the places of the scope, and the hosts that seeds have named, that are kept there. */
crawl_err cw_state_recall_places(crawl_engine *engine, crawl_error *error);
/* Adds the pages of earlier runs, where they have a limit, queries and bodies likewise, and keeps those of this one. */
crawl_err cw_state_recall_pages(crawl_engine *engine, crawl_error *error);
/* Writes down what of queries and bodies is gathered: now and then, and at the end. As crawl_frontier_note_set. */
crawl_err cw_state_flush(crawl_engine *engine);
/* A seed, or where a seed was redirected to, widens the scope: for the next process too. */
crawl_err cw_state_keep_place(crawl_engine *engine, const crawl_url *url, bool is_seed);
/* Notes that seeds are being read, if they are and nothing says so yet: before one of them is queued. */
crawl_err cw_state_note_seeds(crawl_engine *engine);

/* state_clock.c. keep: now and then, from worker 0; at_once: at the end. recall: right after cw_state_open. As
 * crawl_frontier_note_set, _get. */
crawl_err cw_state_keep_clock(crawl_engine *engine, bool at_once);
crawl_err cw_state_recall_clock(crawl_engine *engine, crawl_error *error);

/* cookies.c */
static inline bool cw_cookies_wanted(const crawl_config *config)
{
    return config->cookies || config->cookies_file || config->cookies_save;
}
/* Makes the jar, if cookies are wanted, and reads what is to be in it, after the state is open. The state has what was
 * in the user's file when this returns. CRAWL_EINVAL: cookies_save is there and no regular file; CRAWL_EPARSE: a file
 * that is none, error says where; CRAWL_EIO; CRAWL_ENOMEM. */
crawl_err cw_cookies_open(crawl_engine *engine, crawl_error *error);
/* Writes them where they are kept, if anywhere and anything has changed; after all workers. */
crawl_err cw_cookies_save(crawl_engine *engine, crawl_error *error);
/* Now and then, from worker 0: begins to write them, and does not wait. */
void cw_cookies_tick(crawl_engine *engine);

/* upgrade.c. open: after the state. CRAWL_ENOMEM, or as crawl_frontier_notes. */
crawl_err cw_upgrade_open(crawl_engine *engine, crawl_error *error);
/* Makes https of the URL, if its host wants it so. CRAWL_ENOMEM: it is as it was. */
crawl_err cw_upgrade(crawl_engine *engine, crawl_url *url);
/* A page that was queued before its host wanted it so. */
bool cw_upgrade_wanted(const cw_visit *visit);
/* What the answer says of it. */
void cw_upgrade_note(const cw_visit *visit, const crawl_response *response);

/* intake.c; create: CRAWL_ENOMEM */
crawl_err cw_intake_create(crawl_engine *engine);
void cw_intake_free(crawl_engine *engine);

/* Of what the crawl may take, a worker's part. */
typedef struct cw_worker_share {
    unsigned connections; /* transfers at once */
    unsigned idle;        /* connections kept besides */
    uint64_t body_bytes;  /* of bodies under way; 0: no limit */
} cw_worker_share;

/* worker.c. create: CRAWL_ENOMEM, CRAWL_EIO, or what the fetcher says. */
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
unsigned cw_engine_allowed(const crawl_engine *engine); /* transfers at once, now */
/* Between the links of a page and the entries of a sitemap: the crawl has failed, or ended and what was under way has
 * had its time. Sees to max_time meanwhile, which the loop cannot. */
bool cw_worker_must_stop(cw_worker *worker);

/* visit.c, robots_visit.c: take the lease over. */
void cw_visit_begin(cw_visit *visit);
void cw_robots_visit_begin(cw_visit *visit);
void cw_robots_visit_ask(cw_visit *visit); /* the visit's site is unknown: asks for its robots.txt first */
void cw_visit_end(cw_visit *visit, crawl_outcome outcome, int64_t at_ms);
void cw_visit_end_again(cw_visit *visit, int64_t at_ms, crawl_slice memo); /* as finished; it is visited again then */
void cw_visit_on_start(void *user);
/* Shows the answer to on_response; false: its links are not wanted. */
bool cw_visit_show(cw_visit *visit, const crawl_response *response, const crawl_record *record, const crawl_page *page);
/* Nothing is queued of it in place of an answer: a record with this error, of a page, and the end of the visit. */
void cw_visit_refuse(cw_visit *visit, crawl_error_class error_class, const char *words);
/* What a Retry-After that is longer than we wait says holds for the whole host. */
void cw_visit_obey_retry_after(cw_visit *visit, const cw_retry_verdict *verdict, int64_t now_ms);
/* Counts what was received, keeps to the pace that follows from it, and shows it to on_exchange. A connection that was
 * tried in vain is a request too: the host's pause runs from it. */
void cw_visit_came_back(cw_visit *visit, const crawl_response *response);
/* Where there was no socket for it: ends the visit, whose request goes back without having been tried. False: there
 * was. */
bool cw_visit_had_no_socket(cw_visit *visit, const crawl_response *response);
/* The transfer of a page or a sitemap is over: it goes back, is asked again later, or `end` ends the visit with the
 * answer. */
void cw_visit_done(cw_visit *visit, const crawl_response *response,
                   void (*end)(cw_visit *visit, const crawl_response *response, const cw_retry_verdict *verdict));
crawl_error_class cw_class_of(crawl_fetch_error error);
/* What the error of an answer is called in its record. */
const char *cw_visit_words(const cw_visit *visit, const crawl_response *response);
crawl_err cw_visit_access(const cw_visit *visit, const crawl_fetch_access **out); /* how its host is asked; CRAWL_ENOMEM
                                                                                   */
/* May the request of this visit go to a private address; and to its port? */
bool cw_visit_allows_private(const cw_visit *visit);
bool cw_visit_has_open_port(const cw_visit *visit);
void cw_count_status(crawl_engine *engine, const crawl_response *response);

/* exchange.c: what on_depart and on_exchange are shown. departs: false: the hook has failed, and the request must not
 * leave. */
bool cw_exchange_departs(const cw_visit *visit);
void cw_exchange_ended(const cw_visit *visit, const crawl_response *response, int64_t retry_after_us,
                       const cw_pacer_effect *effect);

/* pacing.c: the pacer's gate, and what the frontier is told of it. create: CRAWL_ENOMEM. */
crawl_err cw_pacing_create(crawl_engine *engine);
/* May the visit ask? CW_ADMIT_WAIT: its lease was ended, and comes again. CW_ADMIT_REFUSE: visit->pass.words says why
 * not. */
cw_admission cw_pacing_admit(cw_visit *visit);
/* Finds out which transfers of the worker have become slow (lane.h). */
void cw_pacing_watch(cw_worker *worker);
/* All of the worker's connections are taken: those that take others' place go back to the frontier. How long, in
 * milliseconds, until that is to be looked at again. */
int64_t cw_pacing_yield(cw_worker *worker);
/* The request leaves now. False: it must not; its transfer was cancelled. */
bool cw_pacing_start(cw_visit *visit);
cw_pacer_effect cw_pacing_done(cw_visit *visit, const crawl_response *response, int64_t *retry_after_us);
/* The class of what the gate refuses. */
crawl_error_class cw_pacing_class(const cw_pass *pass);
/* The pause that a robots.txt asks for, in seconds; negative: none. */
void cw_pacing_crawl_delay(crawl_engine *engine, crawl_slice origin, double seconds);
/* The block that the host has but for its robots.txt: a time of the frontier's clock, 0: none. */
int64_t cw_pacing_block(crawl_engine *engine, crawl_slice origin, int64_t now_ms);

/* revisits.c. check: CRAWL_EINVAL, options that do not go together. */
crawl_err cw_revisits_check(const crawl_config *config, crawl_error *error);
/* The headers to ask with: those of the request, and conditions. They live as long as nothing else is asked.
 * CRAWL_ENOMEM. */
crawl_err cw_revisits_request(cw_visit *visit, crawl_slice *headers);
/* Says in the visit and in the record whether the page changed, by its bytes; and by its text, with dedupe.kind = near,
 * once that is known. */
void cw_revisits_compare(cw_visit *visit, const crawl_response *response, crawl_record *record);
void cw_revisits_compare_text(cw_visit *visit, crawl_record *record);
/* The end of a page's or a sitemap's visit, with an answer or a failure, or where it was not asked. */
void cw_revisits_end(cw_visit *visit, const crawl_response *response, const crawl_record *record);
void cw_revisits_refused(cw_visit *visit, crawl_error_class error_class);
/* When the answer was fetched that a 304 confirms, in the wall clock's milliseconds; 0: this one confirms none. */
int64_t cw_revisits_confirms(const cw_visit *visit, const crawl_response *response);
/* The memo of a page whose sitemap gives it this lastmod (seconds since 1970, CRAWL_SITEMAP_NO_DATE); empty: none.
 * CRAWL_ENOMEM. */
crawl_err cw_revisits_hint(cw_worker *worker, int64_t lastmod, crawl_slice *memo);

/* duplicates.c: fills what the record says of pages like this one, by its digest and by page (NULL: of no kind that is
 * parsed). */
void cw_duplicates_look(cw_visit *visit, crawl_record *record, const crawl_page *page);
/* The record is written. CRAWL_ENOMEM. */
crawl_err cw_duplicates_settle(const cw_visit *visit, const crawl_record *record);

/* sitemaps.c */
void cw_sitemaps_ask(cw_visit *visit); /* the visit is about to be asked: queues the sitemaps of its site, once */
void cw_sitemap_visit_begin(cw_visit *visit); /* takes the lease over */

/* Reads a body as a sitemap as far as it goes, and pushes what it names. cut: it is the beginning of one. */
typedef struct cw_followed {
    size_t links; /* found */
    size_t fresh; /* of them accepted */
} cw_followed;
cw_followed cw_sitemap_read(cw_visit *visit, crawl_slice body, bool cut);

/* documents.c: fills in what the document of a complete answer and its headers say, and follows where they lead. */
void cw_document_read(cw_visit *visit, const crawl_response *response, crawl_record *record);

/* follow.c */
/* Links with what they are relative to, and the encoding that their queries are in. Borrowed. */
typedef struct cw_link_list {
    const crawl_link *links;
    size_t count;
    const crawl_url *base;
    bool base_is_http;
    const char *charset;
} cw_link_list;
/* Pushes those that are wanted and in scope, counts what became of each, and tells on_edge. closed: what holds against
 * all of them; CRAWL_EDGE_NEW: nothing. At most CRAWL_PAGE_MAX_LINKS. How many were new. */
size_t cw_follow_links(cw_visit *visit, const cw_link_list *list, crawl_edge_verdict closed);
/* Pushes where a redirect points to; target gets its URL, and visit->worker->redirect_verdict what became of it.
 * CRAWL_REFUSED: it is not followed; CRAWL_EPARSE: it leads to no URL that can be asked; CRAWL_EXISTS. */
crawl_err cw_follow_redirect(cw_visit *visit, int status, crawl_slice location, crawl_url *target);

/* edges.c: count what became of links, by worker->verdicts, or of the redirect at hand, and tell on_edge. How many
 * links were new. */
bool cw_edges_wanted(const crawl_engine *engine);
crawl_edge_verdict cw_edge_of_trap(crawl_trap trap); /* NONE: NEW */
crawl_edge_verdict cw_edge_of_push(uint8_t pushed);  /* crawl_pushed */
/* This verdict, on a link whose URL was not looked at for it; of one that leads to no http URL, NOT_HTTP or NO_URL. */
crawl_edge_verdict cw_edge_unless_http(cw_worker *worker, const crawl_link *link, const cw_link_list *list,
                                       crawl_edge_verdict verdict);
size_t cw_edges_links(cw_visit *visit, const cw_link_list *list);
void cw_edges_redirect(cw_visit *visit, crawl_slice to);

/* Of the links of one page, or of one batch. */
typedef struct cw_verdicts {
    uint32_t of[CRAWL_EDGE_COUNT];
} cw_verdicts;
void cw_verdicts_count(atomic_uint_fast64_t *counters, const cw_verdicts *verdicts); /* CRAWL_EDGE_COUNT of them */

/* follow.c: URLs found by other means than links: between begin and end, each that is in scope is pushed. end returns
 * how many of them were new. */
void cw_follow_begin(cw_visit *visit);
void cw_follow_found(cw_visit *visit, const crawl_sitemap_entry *entry, uint32_t depth, int32_t priority);
size_t cw_follow_end(cw_visit *visit);
bool cw_follow_same_origin(const crawl_url *url, crawl_slice origin);

#endif
