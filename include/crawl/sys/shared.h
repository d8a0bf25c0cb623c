/* A frontier that shares its crawl with others through Redis: the third backend for the calls of <crawl/frontier.h>,
 * for any number of processes on any number of machines. Each may leave or die at any time.
 *
 * A process takes a few hosts at a time, each with some of its requests, for a session: only this process leases
 * requests of the host during it. Requests that it does not get to are given back. A session has a deadline, which the
 * frontier's thread extends while the process runs. A process that was stopped, or cut off from Redis, stops leasing
 * requests of a host shortly before that deadline, and its later reports about the host are refused.
 *
 * Differences from the other backends:
 * - push: hands requests to the thread, and never waits. CRAWL_PUSHED_NEW means that this process had not met the
 *   request before; whether it is new to all appears later, in the figures. max_queued limits what all processes have
 *   queued: a process counts its own requests and those in flight at once, and learns of the others' within a second
 *   or, at half of the maximum or less, within several; requests of depth 0 are exempt. max_hosts is ignored. If a
 *   caller pushes faster than Redis can take it, pop returns CRAWL_AGAIN.
 * - pop: serves the hosts of this process in turn. CRAWL_DRAINED: nothing is queued or leased in any process, and none
 *   of them has more to push (crawl_frontier_shared_feed).
 * - start: CRAWL_AGAIN: the host no longer belongs to this process, and the request must not depart; end the lease with
 *   CRAWL_DONE_RETURN. With confirm_start, call it right before the request departs.
 * - done: tells Redis once everything pushed before it is acknowledged. If a process dies earlier, others repeat its
 *   requests, and nothing is lost. Push the links of a page before its lease ends.
 * - notes: those of an origin are available while this process has the host. Others belong to the crawl, and arrive
 *   from other processes no later than the next host taken after they were set.
 * - close: gives the hosts back.
 *
 * Pauses, blocks and shares move with a host from process to process. now_ms must come from a clock that runs evenly,
 * whatever its origin; the frontier itself reads CLOCK_BOOTTIME and the server's time. */
#ifndef CRAWL_SHARED_H
#define CRAWL_SHARED_H

#include <crawl/frontier.h>
#include <crawl/sys/redis.h>
#include <crawl/sys/shared_view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Maximum bytes of a host's name. */
#define CRAWL_SHARED_HOST_MAX 255

/* A setting that all processes of a crawl must agree on. The name is any text that does not begin with "crawl.". */
typedef struct crawl_shared_choice {
    crawl_slice name, value;
} crawl_shared_choice;

/* A budget that all processes use up together. A page needs no request to the server: a process holds tickets for
 * several pages in advance. */
typedef struct crawl_shared_budget {
    /* Of this process, and written by it. */
    uint64_t max_pages; /* total tickets for all processes; 0: no limit */
    uint64_t max_bytes; /* 0: no limit */
    uint64_t taken;     /* tickets taken, never more than `had`: for pages in flight or done */
    uint64_t used;      /* of these, used up; another may be given back, which decreases `taken` */
    uint64_t bytes;     /* fetched */
    /* Of all processes, and written by the frontier. */
    uint64_t had; /* tickets that this process has received so far */
    uint64_t all_bytes;
    bool is_over; /* all tickets are used up, by whatever process */
} crawl_shared_budget;

/* Options of a shared frontier; init has the defaults. */
typedef struct crawl_shared_options {
    size_t size;                /* sizeof(crawl_shared_options): init sets it */
    const crawl_redis_url *url; /* borrowed for the call, as are the texts */
    const char *password;       /* NULL: none */
    const char *ca_file;        /* TLS: certificates to trust, PEM; NULL: the system's */
    const char *name;           /* of the crawl: 1 to 200 bytes, without braces and control characters, and without a
                                   colon and a number up to 255 at the end */
    const char *worker;         /* a name that no other process ever has; NULL: one is generated */
    const crawl_shared_choice *choices;
    size_t choice_count;
    /* Uses the set NAME:dupefilter of a server as the seen-set. Spiders of scrapy-redis keep the fingerprints of their
     * requests there, and neither they nor these processes repeat a request of the other. Fingerprints must be made as
     * the spiders make them (crawl_fingerprint_by), and seen.kind must be exact. */
    bool dupefilter;
    bool feeding; /* this process has requests of its own to push: see crawl_frontier_shared_feed */
    /* Number of replicas of each master that must have what is pushed, above all the links of pages, before it is
     * acknowledged (WAIT): a failover to one of them then loses nothing. 0: none. */
    unsigned replicas;
    int64_t lease_ms;   /* how long hosts stay with a process that has died, 100 to 3,600,000 */
    unsigned hosts;     /* maximum hosts of this process at a time, 1 and up */
    unsigned window;    /* maximum requests that it takes from a host at a time, 1 to 1000; with CRAWL_ORDER_DFS no more
                           than may be leased at once, since requests pushed meanwhile precede the others */
    uint64_t remembers; /* number of fingerprints that this process remembers, 8 bytes each: these need no network */
    uint64_t owed_bytes; /* maximum bytes pushed and not acknowledged: beyond it no leases are given */
    /* Reports, for a person, that the server is away or back. From the frontier's thread; may be NULL. */
    void (*on_words)(void *user, const char *words);
    /* Reports that notes of the crawl arrived from another process. From the frontier's thread, before a host taken
     * meanwhile is leased. May call crawl_frontier_notes; may be NULL. */
    void (*on_notes)(void *user);
    /* Exchanges figures several times a second, from the frontier's thread: this process reports what it has used and
     * learns what it has. Called until the frontier is closed. A process that dies loses its tickets, at most 256 and a
     * quarter of its part of the rest. NULL: no limits. */
    void (*on_budget)(void *user, crawl_shared_budget *budget);
    void *user;
    /* Reports that this process is about to give a host back, or has lost it: no further request of it is leased here
     * until it is taken again, while leases made before the loss continue. From the frontier's thread; if the host is
     * given back, crawl_frontier_note_set can still set the note that goes with it. May be NULL. */
    void (*on_leave)(void *user, crawl_slice origin);
    /* Leaves further visits (crawl_frontier_done_again) to later runs; CRAWL_DONE_LATER does so in any case. A run
     * consists of all processes present at the same time, each of which sets this; its date is the time at which the
     * first of them joined, by the server. They make the visits due by that date, and return CRAWL_DRAINED when nothing
     * else is left. A failed visit (CRAWL_DONE_RETRY), or one that is to come again later than in 10 s
     * (CRAWL_DONE_RETURN), is left to a later run. */
    bool by_runs;
    uint64_t bodies; /* number of digests kept for crawl_frontier_shared_body, to within a 256th and some random
                        variation */
    /* The crawl has cookies. on_cookies passes those of a host before any of its requests is leased, and those set by
     * other processes meanwhile within a second. cookie_host writes the host of an origin, NUL-terminated, and returns
     * its site, either the part after one of its dots or all of it: a request carries the cookies of the host and of
     * each domain after one of its dots, up to the site. Both are called from the frontier's thread; cookie_host NULL:
     * no cookies. */
    crawl_err (*cookie_host)(void *user, crawl_slice origin, char host[CRAWL_SHARED_HOST_MAX + 1], crawl_slice *site);
    /* Passes all cookies of a host as of that time, with some that were deleted; if there are none because nothing here
     * asks the host any more, as_of_ms is INT64_MAX. */
    void (*on_cookies)(void *user, crawl_slice host, const crawl_shared_cookie *cookies, size_t count,
                       int64_t as_of_ms);
    uint64_t max_cookies; /* maximum bytes of all cookies in Redis except the user's own; a site has at most a 512th of
                             it, but at least 32 KiB */
    /* Fills in, at most once per second, from the frontier's thread, what this process has done since it joined and
     * does now: pages, failures, bytes, received and running, for crawl_frontier_shared_crew of all processes. Called
     * once more when the frontier is closed. NULL: does not report. */
    void (*on_report)(void *user, crawl_shared_report *report);
} crawl_shared_options;

/* Sets the defaults: false, 30 s, 512, 32, 2^20, 32 MiB, 1,000,000. */
CRAWL_API void crawl_shared_options_init(crawl_shared_options *options, size_t size);

/* Creates the crawl, or joins it. Waits until the server has answered, at most 5 s if there is no server. options->seen
 * is scalable or exact. order, seen (kind, capacity, fpr), fingerprints and choices are fixed by the process that
 * creates it. *made (NULL: not wanted): this process did.
 *
 * CRAWL_EINVAL: an option is out of range, or differs from that of the crawl (error has both values), the server
 * rejects user or password, or it evicts keys when its memory is full. CRAWL_ENET: the server is unreachable or
 * refuses. CRAWL_ECORRUPT: the crawl has another format, or its keys belong to another program. CRAWL_ENOMEM,
 * CRAWL_EIO. */
CRAWL_API crawl_err crawl_frontier_join(const crawl_shared_options *shared, const crawl_frontier_options *options,
                                        crawl_frontier **out, bool *made, crawl_error *error);

/* Reports that everything this process has to push by itself was pushed; until then no process returns CRAWL_DRAINED
 * while this one lives. true: it has more again. Does nothing for another kind of frontier. */
CRAWL_API void crawl_frontier_shared_feed(crawl_frontier *frontier, bool feeding);

/* Returns how often the server has come back, possibly without its last acknowledged writes: requests seen before may
 * then be new again. Takes no lock. Also 0 if this frontier is not shared. */
CRAWL_API uint32_t crawl_frontier_shared_returns(crawl_frontier *frontier);

/* Returns true if this process has had the host since it leased the request, which may then depart.
 * crawl_frontier_start checks the same; this is for callers with work to do before it. Also false if this frontier is
 * not shared. */
CRAWL_API bool crawl_frontier_shared_has(crawl_frontier *frontier, uint64_t lease);

/* Takes a ticket for one more page of a place: a host, a domain, or whatever the caller counts by. All processes
 * together take at most `limit`. CRAWL_OK: taken. CRAWL_FULL: none is left, neither here nor elsewhere. CRAWL_AGAIN:
 * Redis is being asked; try again shortly. A process gives back its spare tickets if none is taken for 2 s; those of a
 * process that dies are lost. CRAWL_ENOMEM. CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_page(crawl_frontier *frontier, crawl_slice place, uint64_t limit);
/* Gives back a ticket whose page is not requested after all. */
CRAWL_API void crawl_frontier_shared_page_back(crawl_frontier *frontier, crawl_slice place);

/* Checks whether a request may depart now for a place that only one process may ask at a time: several hosts that share
 * a pause. CRAWL_OK: it may; if it `leaves`, rather than only checks, crawl_frontier_shared_turn_over must follow when
 * it is over. CRAWL_AGAIN: it may not; try again after *wait_us microseconds: another process has its turn there, or a
 * process has asked there within pause_us. A process keeps its turn while it asks, or for 2 s if another one waits; if
 * it dies, until its lease is over. CRAWL_ENOMEM. CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_turn(crawl_frontier *frontier, crawl_slice place, int64_t pause_us,
                                               bool leaves, int64_t *wait_us);
/* Reports that a request allowed to depart does so only now, after a delay: the pause of the place runs from here.
 * CRAWL_AGAIN: it must not depart any more, since this process has lost its turn. CRAWL_ESTATE: this frontier is not
 * shared. */
CRAWL_API crawl_err crawl_frontier_shared_turn_left(crawl_frontier *frontier, crawl_slice place);
CRAWL_API void crawl_frontier_shared_turn_over(crawl_frontier *frontier, crawl_slice place);

/* Gets the URL of the first page with a body. url is borrowed for the call. */
typedef void crawl_shared_on_first(void *user, crawl_slice url);

/* Finds the page of the crawl that first had the body with this digest. done gets its URL, or an empty one if it is
 * this page or the digest is no longer kept. done is called once, from the frontier's thread, but not if the frontier
 * is closed first; while the server is away it is delayed until that is back. If several pages ask at the same time, in
 * any processes, one is the first; the same page may ask again. A page whose URL has more than 2048 bytes is never
 * recorded as first. CRAWL_ENOMEM. CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_body(crawl_frontier *frontier, const crawl_fingerprint *digest,
                                               crawl_slice url, crawl_shared_on_first *done, void *user);

/* Reports that a cookie was set or deleted: by an answer of this origin whose request departed at asked_us
 * (CLOCK_BOOTTIME; 0: not known) or, if origin is empty, by somebody else. It reaches Redis before the end of any lease
 * that ends after this call. is_known: nothing changes except who set it last. cookie->set_ms becomes the server's
 * time, unless it is given. From any thread; never waits. CRAWL_REFUSED: the host belonged to another process
 * meanwhile, so the answer counts for nothing: the cookie must not be kept here either. CRAWL_EINVAL: beyond the limits
 * of crawl_shared_cookie. CRAWL_ENOMEM. CRAWL_ESTATE: this frontier is not shared, or has no cookies. */
CRAWL_API crawl_err crawl_frontier_shared_cookie(crawl_frontier *frontier, crawl_slice origin, int64_t asked_us,
                                                 crawl_shared_cookie *cookie, bool is_known);

/* The figures of all processes, as this one last read them. It reads them every few seconds, and when it is idle and
 * others have just ended something. */
typedef struct crawl_shared_figures {
    uint64_t queued;
    uint64_t held;     /* by the processes */
    uint64_t accepted; /* pushed requests that were new */
    uint64_t seen;     /* pushed requests that were not, except those caught by the memory of a process */
    uint64_t finished;
    uint64_t sessions;        /* hosts that processes have */
    uint64_t lost;            /* sessions whose process died, or was stopped or cut off for too long */
    uint64_t stale;           /* reports of such a process that came too late and were refused */
    uint64_t hosts;           /* hosts of this process */
    bool is_away;             /* the server is away at present */
    int64_t server_us;        /* an upper bound of the server's time at this call, since 1970; 0: not known */
    int64_t server_within_us; /* maximum by which that is too late */
    uint64_t later;           /* requests kept for a later run, not included in queued */
    int64_t run_ms;           /* when the run of this process began, by the server's clock; 0: not known */
    uint64_t reserved[6];     /* 0, for later versions */
} crawl_shared_figures;

/* Returns the figures. CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_figures(crawl_frontier *frontier, crawl_shared_figures *out);
/* Waits at most wait_ms until this process has reported everything and has read the figures again; for callers who want
 * the final figures. CRAWL_AGAIN: it took longer, the server is away, or the frontier has failed. CRAWL_ESTATE: this
 * frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_look(crawl_frontier *frontier, int64_t wait_ms);

/* Returns the processes that take part and what each has reported. While it is called, Redis is asked at most once per
 * second; the first call after several seconds gets what was read then. The caller frees out with
 * crawl_shared_crew_free. CRAWL_AGAIN: nothing was read yet. CRAWL_ESTATE: this frontier is not shared.
 * CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_shared_crew(crawl_frontier *frontier, crawl_shared_crew *out);
/* Returns the name of this process in the crawl; lives as long as the frontier. Empty: not shared. */
CRAWL_API crawl_slice crawl_frontier_shared_name(const crawl_frontier *frontier);

/* --- one request, seen from outside --- */

/* Where a request is. */
typedef enum crawl_shared_where {
    CRAWL_SHARED_NOWHERE, /* not queued: never pushed, or done */
    CRAWL_SHARED_READY,   /* in the queue of its host */
    CRAWL_SHARED_DATED,   /* in that queue, with a later date */
    CRAWL_SHARED_HELD     /* held by the process that has its host: leased, or soon to be */
} crawl_shared_where;

/* A request and its host. Slices are borrowed for the call. Dates are the server's, in milliseconds since 1970. */
typedef struct crawl_shared_found {
    int64_t now_ms;
    bool is_seen;
    crawl_bloom_found held; /* details of is_seen */
    crawl_shared_where where;
    bool is_whole;            /* all requests of the host were examined: there are at most 100,000 */
    uint64_t before;          /* requests of its host that precede it */
    int64_t due_ms;           /* of DATED */
    crawl_lease request;      /* if it is anywhere; its id is 0 */
    bool has_host;            /* the host is known */
    crawl_frontier_host host; /* only pause_ms, blocked_ms and share */
    int64_t open_ms;          /* no process may take the host before this */
    crawl_slice process;      /* the process that has the host; empty: none */
    int64_t until_ms;         /* end of its session, unless it extends it */
    crawl_slice note;         /* of the host, as of its last turn in a process, or later */
} crawl_shared_found;

/* Gets the result of crawl_shared_find. found is set only with CRAWL_OK. CRAWL_ECORRUPT: a key belongs to another
 * program, or is damaged. CRAWL_ENET: the server refuses, or is away. CRAWL_ENOMEM. */
typedef void crawl_shared_on_found(void *user, crawl_err err, const crawl_error *error,
                                   const crawl_shared_found *found);

/* Looks up a request and its host in the crawl of this name, on the loop of the connection, without changing anything;
 * done is called once, later. filter: as reported by crawl_shared_view for this crawl. origin as in crawl_lease.
 * CRAWL_EINVAL: not a valid crawl name. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
CRAWL_API crawl_err crawl_shared_find(crawl_redis *redis, const char *name, const crawl_shared_filter *filter,
                                      crawl_slice origin, const crawl_fingerprint *fingerprint,
                                      crawl_shared_on_found *done, void *user, crawl_error *error);

/* Calls `each` for the notes of the crawl (except those of hosts), perhaps twice for one, then done with the result;
 * errors as above. */
typedef void crawl_shared_on_note(void *user, crawl_slice name, crawl_slice note);
typedef void crawl_shared_on_end(void *user, crawl_err err, const crawl_error *error);
CRAWL_API crawl_err crawl_shared_notes(crawl_redis *redis, const char *name, crawl_shared_on_note *each,
                                       crawl_shared_on_end *done, void *user, crawl_error *error);
/* Calls `each` for the cookies of the crawl, except deleted ones; those of a host are consecutive. Otherwise as
 * crawl_shared_notes. */
typedef void crawl_shared_on_cookie(void *user, const crawl_shared_cookie *cookie);
CRAWL_API crawl_err crawl_shared_cookies(crawl_redis *redis, const char *name, crawl_shared_on_cookie *each,
                                         crawl_shared_on_end *done, void *user, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
