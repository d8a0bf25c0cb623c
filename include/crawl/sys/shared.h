/* A frontier that shares its crawl with others through Redis: the third backend behind the calls of <crawl/frontier.h>,
 * for as many processes on as many machines as one likes. Each may leave or die at any time.
 *
 * A process takes hosts, a few at a time and each with some of its requests, and has each for a session: as long, it
 * alone leases requests of that host. Requests that it does not get to go back. A session has a deadline, which the
 * frontier's thread moves while the process runs. A process that was stopped, or cut off from Redis, leases nothing of
 * a host from a moment before that deadline on, and whatever it still says of it is refused.
 *
 * Differences from the other backends:
 *
 *   push    hands requests to the thread, and never waits. CRAWL_PUSHED_NEW says that this process had not met the
 *           request before; whether it is new to all shows later, in figures. max_queued is kept to by what all have
 *           queued: a process counts its own at once, and those on their way, and learns of the others' within a
 *           second or, while there is half of it or less, within some; what has depth 0 passes. max_hosts is not kept
 *           to. A caller that pushes faster than Redis takes it finds pop answering CRAWL_AGAIN.
 *
 *   pop     takes turns among the hosts that this process has. CRAWL_DRAINED: nothing is queued or leased in any
 *           process, and none of them has more to push (crawl_frontier_shared_feed).
 *
 *   start   CRAWL_AGAIN: the host is no longer this process's, and the request must not leave; end the lease with
 *           CRAWL_DONE_RETURN. With confirm_start, ask it right before the request leaves.
 *
 *   done    tells Redis when all that was pushed before it is acknowledged: a process that dies before has its
 *           requests asked again by others, and loses nothing. Push the links of a page before its lease ends.
 *
 *   notes   those of an origin are known while this process has the host; others are the crawl's, and come from other
 *           processes at the latest with the first host that is taken after they were set.
 *
 *   close   gives the hosts back.
 *
 * Pauses, blocks and shares go with a host from process to process. now_ms must be a clock that runs evenly, whatever
 * it began with; the frontier itself reads CLOCK_BOOTTIME and the server's time. */
#ifndef CRAWL_SHARED_H
#define CRAWL_SHARED_H

#include <crawl/frontier.h>
#include <crawl/sys/redis.h>
#include <crawl/sys/shared_view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a host's name. */
#define CRAWL_SHARED_HOST_MAX 255

/* Something that all processes of a crawl have to agree on. The name is any text that does not begin with "crawl.". */
typedef struct crawl_shared_choice {
    crawl_slice name, value;
} crawl_shared_choice;

/* A budget that all processes use up together. Nothing here is asked of the server when a page is: a process has
 * tickets for some pages ahead. */
typedef struct crawl_shared_budget {
    /* Of this process, and written by it. */
    uint64_t max_pages; /* tickets that there are for all processes together; 0: as many as one likes */
    uint64_t max_bytes; /* 0: no limit */
    uint64_t taken;     /* tickets, never more than `had`: for pages that are asked for or were */
    uint64_t used;      /* up, of these; another may be given back, and then `taken` goes down */
    uint64_t bytes;     /* fetched */
    /* Of all, and written by the frontier. */
    uint64_t had; /* tickets that this process has had so far */
    uint64_t all_bytes;
    bool is_over; /* all tickets are used up, by whichever process */
} crawl_shared_budget;

/* Options of a shared frontier; init has the defaults. */
typedef struct crawl_shared_options {
    size_t size;                /* sizeof(crawl_shared_options): init sets it */
    const crawl_redis_url *url; /* borrowed for the call, as the texts are */
    const char *password;       /* NULL: none */
    const char *ca_file;        /* TLS: certificates to trust, PEM; NULL: the system's */
    const char *name;           /* of the crawl: 1 to 200 bytes, without braces and control characters */
    const char *worker;         /* unlike that of any other process, ever; NULL: one is made */
    const crawl_shared_choice *choices;
    size_t choice_count;
    /* The seen-set is the set NAME:dupefilter of a server, in which spiders of scrapy-redis keep the fingerprints of
     * what they have asked for, and neither they nor these processes ask for what the other has put there first. Those
     * of requests must be made as the spiders make them (crawl_fingerprint_by), seen.kind must be exact. */
    bool dupefilter;
    bool feeding; /* this process has requests to push that no lease leads to: see crawl_frontier_shared_feed */
    /* Replicas that must have what is pushed, links of pages above all, before it is acknowledged, each that of its
     * master (WAIT): then a failover to one of them loses none. 0: none. */
    unsigned replicas;
    int64_t lease_ms;    /* how long hosts stay with a process that has died, 100 to 3,600,000 */
    unsigned hosts;      /* that this process has at once, 1 and up */
    unsigned window;     /* requests of one host that it takes at once, 1 to 1000; under CRAWL_ORDER_DFS no more than
                            may be leased at once, since what is pushed meanwhile goes before the others */
    uint64_t remembers;  /* fingerprints that this process has met, 8 bytes each: no network is needed for these */
    uint64_t owed_bytes; /* pushed and not acknowledged: beyond it no leases are given */
    /* For a person: the server is away, or is back. From the frontier's thread; NULL: nobody wants to know. */
    void (*on_words)(void *user, const char *words);
    /* Notes of the crawl came from another process. From the frontier's thread, before a host that was taken meanwhile
     * is leased. May call crawl_frontier_notes; may be NULL. */
    void (*on_notes)(void *user);
    /* Some times a second, from the frontier's thread: this process says what it has used, and finds what it has. It is
     * told of what it did until the frontier is closed. Tickets of a process that dies are lost, at most 256 and a
     * quarter of its part of what was left. NULL: no limits. */
    void (*on_budget)(void *user, crawl_shared_budget *budget);
    void *user;
    /* This process is about to give a host back, or has lost it: nothing of it is leased here any more until it is
     * taken anew, but what was leased before it was lost. From the frontier's thread; where the host is given back,
     * crawl_frontier_note_set still sets the note that goes with it. May be NULL. */
    void (*on_leave)(void *user, crawl_slice origin);
    /* Further visits (crawl_frontier_done_again) are for later runs, as is what ends in CRAWL_DONE_LATER without it. A
     * run is of all processes that are there at once, each of whom has this; its date is that at which the first of
     * them joined, by the server. They visit what is due by that date, and whoever finds nothing else left answers
     * CRAWL_DRAINED. A visit that has failed (CRAWL_DONE_RETRY), or is to come again later than in 10 s
     * (CRAWL_DONE_RETURN), is left for a later run. */
    bool by_runs;
    uint64_t bodies; /* that crawl_frontier_shared_body keeps, give or take a 256th and what chance makes uneven */
    /* The crawl has cookies: those of a host are told before anything of it is leased, and what is set in other
     * processes meanwhile within a second, both by on_cookies. cookie_host writes the host of an origin, with a NUL,
     * and tells its site, a part of it behind a dot or all of it: the hosts whose cookies it has are this one and what
     * stands behind its dots down to the site. Both come from the frontier's thread; cookie_host NULL: there are none.
     */
    crawl_err (*cookie_host)(void *user, crawl_slice origin, char host[CRAWL_SHARED_HOST_MAX + 1], crawl_slice *site);
    /* These are all cookies of a host as of then, with some that were deleted; where there are none because nothing
     * asks the host here any more, as_of_ms is INT64_MAX. */
    void (*on_cookies)(void *user, crawl_slice host, const crawl_shared_cookie *cookies, size_t count,
                       int64_t as_of_ms);
    uint64_t max_cookies; /* bytes of all in Redis but the user's own; a site has at most a 512th of it, 32 KiB at least
                           */
    /* Once a second at most, from the frontier's thread: what this process has done since it joined, and does: pages,
     * failures, bytes, received and running, for crawl_frontier_shared_crew of all processes. They have it once more
     * when the frontier is closed. NULL: it does not tell. */
    void (*on_report)(void *user, crawl_shared_report *report);
} crawl_shared_options;

/* false, 30 s, 512, 32, 2^20, 32 MiB, 1,000,000. */
CRAWL_API void crawl_shared_options_init(crawl_shared_options *options, size_t size);

/* Makes the crawl, or joins it; waits until the server has answered, 5 s at most for a server that is not there.
 * options->seen is scalable or exact. order, seen (kind, capacity, fpr),
 * fingerprints and choices are decided by who makes it. *made (NULL: not wanted): this process did.
 *
 * CRAWL_EINVAL: an option out of its range, another than the crawl was made with (error has both values), a user or
 * password that the server does not take, or a server that drops keys when its memory is full. CRAWL_ENET: the server
 * is not there or refuses. CRAWL_ECORRUPT: the crawl is of another format, or its keys are another program's.
 * CRAWL_ENOMEM, CRAWL_EIO. */
CRAWL_API crawl_err crawl_frontier_join(const crawl_shared_options *shared, const crawl_frontier_options *options,
                                        crawl_frontier **out, bool *made, crawl_error *error);

/* All that this process has to push by itself was pushed; without it no process ever answers CRAWL_DRAINED while this
 * one lives. true: it has some again. Of another frontier it does nothing. */
CRAWL_API void crawl_frontier_shared_feed(crawl_frontier *frontier, bool feeding);

/* How often the server has come back, perhaps without the last that it had acknowledged: what was seen before it did
 * may be new again. Takes no lock. 0, too: this frontier is not shared. */
CRAWL_API uint32_t crawl_frontier_shared_returns(crawl_frontier *frontier);

/* Does this process still have the host, so that a request of a lease may leave for it? crawl_frontier_start asks the
 * same; this is for those who have something to do before it. false, too: this frontier is not shared. */
CRAWL_API bool crawl_frontier_shared_has(crawl_frontier *frontier, crawl_slice origin);

/* May one page more be asked of a place: a host, a domain, whatever the caller counts by? All processes together take
 * `limit` at most. CRAWL_OK: it was taken. CRAWL_FULL: there is none any more, neither here nor elsewhere. CRAWL_AGAIN:
 * Redis is asked; ask again a moment later. The tickets that a process has ahead are given back when nobody takes them
 * for 2 s; those of a process that dies are lost. CRAWL_ENOMEM. CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_page(crawl_frontier *frontier, crawl_slice place, uint64_t limit);
/* One that was taken is not asked after all. */
CRAWL_API void crawl_frontier_shared_page_back(crawl_frontier *frontier, crawl_slice place);

/* May a request leave now for a place that one process alone may ask at a time: several hosts that share a pause?
 * CRAWL_OK: it may, and if it `leaves` and does not only look, crawl_frontier_shared_turn_over must follow when it is
 * over. CRAWL_AGAIN: it may not; look again after *wait_us, of microseconds: another process has its turn there, or
 * some process has asked there within pause_us. A process keeps its turn while it asks, or for 2 s where another one
 * waits; if it dies, until its lease is over. CRAWL_ENOMEM. CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_turn(crawl_frontier *frontier, crawl_slice place, int64_t pause_us,
                                               bool leaves, int64_t *wait_us);
/* A request that may leave does so only now, since something held it up: the pause of the place runs from here.
 * CRAWL_AGAIN: it must not any more, for this process has lost its turn. CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_turn_left(crawl_frontier *frontier, crawl_slice place);
CRAWL_API void crawl_frontier_shared_turn_over(crawl_frontier *frontier, crawl_slice place);

/* url: borrowed for the call. */
typedef void crawl_shared_on_first(void *user, crawl_slice url);

/* Asks which page of the crawl had the body with this digest first: done gets its URL, or an empty one where it is this
 * page, or where more bodies have come than are kept. done comes once, from the frontier's thread, and not at all where
 * the frontier is closed before; while the server is away it comes when that is back. Of the pages that ask at the same
 * time, in whichever process, one is the first; the same page may ask again. A page whose URL has more than 2048 bytes
 * is nobody's first. CRAWL_ENOMEM. CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_body(crawl_frontier *frontier, const crawl_fingerprint *digest,
                                               crawl_slice url, crawl_shared_on_first *done, void *user);

/* A cookie was set or deleted, by an answer of this origin whose request left at asked_us (of CLOCK_BOOTTIME; 0: not
 * known); or, where origin is empty, by somebody else. It is in Redis before the end of any lease is that ends after
 * this call. is_known: nothing changes by it, and it is only the last to have done so. cookie->set_ms becomes the
 * server's time, unless it is given. From any thread; waits for nobody. CRAWL_REFUSED: the host was another process's
 * meanwhile, so the answer counts for nothing: the cookie is not to be kept here either. CRAWL_EINVAL: beyond what
 * crawl_shared_cookie says. CRAWL_ENOMEM. CRAWL_ESTATE: this frontier is not shared, or has no cookies. */
CRAWL_API crawl_err crawl_frontier_shared_cookie(crawl_frontier *frontier, crawl_slice origin, int64_t asked_us,
                                                 crawl_shared_cookie *cookie, bool is_known);

/* Figures of all processes, as this one saw them last; it looks every few seconds, and when it has nothing to do and
 * others have just ended something. */
typedef struct crawl_shared_figures {
    uint64_t queued;
    uint64_t held;     /* by the processes */
    uint64_t accepted; /* pushes that were new */
    uint64_t seen;     /* and those that were not, memories of processes excluded */
    uint64_t finished;
    uint64_t sessions;        /* hosts that processes have */
    uint64_t lost;            /* sessions whose process has died, or was stopped or cut off for too long */
    uint64_t stale;           /* words of such a process that came too late and were refused */
    uint64_t hosts;           /* that this process has */
    bool is_away;             /* the server, at present */
    int64_t server_us;        /* the server's time at this call, since 1970: it is that or earlier; 0: not known */
    int64_t server_within_us; /* by no more than so much */
    uint64_t later;           /* requests that are kept for a later run, and not among those that are queued */
    int64_t run_ms;           /* when the run of this process began, by the server's clock; 0: not known */
    uint64_t reserved[6];     /* 0, for later versions */
} crawl_shared_figures;

/* CRAWL_ESTATE: this frontier is not shared. */
CRAWL_API crawl_err crawl_frontier_shared_figures(crawl_frontier *frontier, crawl_shared_figures *out);
/* Waits until this process has told all it has to, and has looked anew, for wait_ms at most; for whoever wants the last
 * figures. CRAWL_AGAIN: it took longer, the server is away, or the frontier has failed. CRAWL_ESTATE: this frontier is
 * not shared. */
CRAWL_API crawl_err crawl_frontier_shared_look(crawl_frontier *frontier, int64_t wait_ms);

/* Who takes part, and what each process has told of itself. Asks Redis as long as somebody calls it, once a second at
 * most; who calls it for the first time in some seconds gets what was read then. out is the caller's, to be freed by
 * crawl_shared_crew_free. CRAWL_AGAIN: nothing was read yet. CRAWL_ESTATE: this frontier is not shared. CRAWL_ENOMEM.
 */
CRAWL_API crawl_err crawl_frontier_shared_crew(crawl_frontier *frontier, crawl_shared_crew *out);
/* The name by which this process is known there; lives as long as the frontier. Empty: it is not shared. */
CRAWL_API crawl_slice crawl_frontier_shared_name(const crawl_frontier *frontier);

/* --- one request, seen from outside --- */

/* Where a request is. */
typedef enum crawl_shared_where {
    CRAWL_SHARED_NOWHERE, /* it is not queued: never pushed, or done */
    CRAWL_SHARED_READY,   /* in the queue of its host */
    CRAWL_SHARED_DATED,   /* there, and not to be asked before its date */
    CRAWL_SHARED_HELD     /* the process that has its host has it: on its way, or about to be */
} crawl_shared_where;

/* Slices are borrowed for the call. Dates are the server's, in milliseconds since 1970. */
typedef struct crawl_shared_found {
    int64_t now_ms;
    bool is_seen;
    crawl_bloom_found held; /* of is_seen */
    crawl_shared_where where;
    bool is_whole;            /* all requests of the host were looked at: they are not more than 100,000 */
    uint64_t before;          /* requests of its host that go before */
    int64_t due_ms;           /* of DATED */
    crawl_lease request;      /* where it is somewhere; its id is 0 */
    bool has_host;            /* the host is known */
    crawl_frontier_host host; /* pause_ms, blocked_ms and share alone */
    int64_t open_ms;          /* nobody may take the host before */
    crawl_slice process;      /* that has the host; empty: none */
    int64_t until_ms;         /* and until when, unless it lives */
    crawl_slice note;         /* of the host, as of its last turn in a process, or since */
} crawl_shared_found;

/* found is there with CRAWL_OK alone. CRAWL_ECORRUPT: something there is of another program, or damaged. CRAWL_ENET:
 * the server refuses, or is away. CRAWL_ENOMEM. */
typedef void crawl_shared_on_found(void *user, crawl_err err, const crawl_error *error,
                                   const crawl_shared_found *found);

/* Asks what the crawl of this name knows of a request and of its host, on the loop of the connection, and changes
 * nothing; done comes once, and later. filter: as crawl_shared_view has told it of this crawl. origin as in
 * crawl_lease. CRAWL_EINVAL: no name of a crawl. CRAWL_FULL, CRAWL_ENOMEM: nothing was sent. */
CRAWL_API crawl_err crawl_shared_find(crawl_redis *redis, const char *name, const crawl_shared_filter *filter,
                                      crawl_slice origin, const crawl_fingerprint *fingerprint,
                                      crawl_shared_on_found *done, void *user, crawl_error *error);

/* Calls `each` for the notes of the crawl (those of hosts are not among them), then done, with what came of it; errors
 * as above. */
typedef void crawl_shared_on_note(void *user, crawl_slice name, crawl_slice note);
typedef void crawl_shared_on_end(void *user, crawl_err err, const crawl_error *error);
CRAWL_API crawl_err crawl_shared_notes(crawl_redis *redis, const char *name, crawl_shared_on_note *each,
                                       crawl_shared_on_end *done, void *user, crawl_error *error);
/* The same of the cookies of the crawl, but for those that were deleted; those of a host come one behind the other. */
typedef void crawl_shared_on_cookie(void *user, const crawl_shared_cookie *cookie);
CRAWL_API crawl_err crawl_shared_cookies(crawl_redis *redis, const char *name, crawl_shared_on_cookie *each,
                                         crawl_shared_on_end *done, void *user, crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
