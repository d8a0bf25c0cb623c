/* The crawl loop: frontier, fetchers and parsers combined, as the `crawl` program runs it.
 *
 * Each worker is a thread with its own event loop, fetcher and parser. Workers share only the frontier, the knowledge
 * about each site (its robots.txt) and the scope. */
#ifndef CRAWL_ENGINE_H
#define CRAWL_ENGINE_H

#include <crawl/config.h>
#include <crawl/fetch.h>
#include <crawl/fingerprint.h>
#include <crawl/frontier.h>
#include <crawl/links.h>
#include <crawl/record.h>
#include <crawl/sitemap.h>
#include <crawl/sys/bound.h>
#include <crawl/sys/shared.h>
#include <crawl/wall.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A crawl: its workers, its queue, and what it knows about hosts. */
typedef struct crawl_engine crawl_engine;

/* Hooks, which make a spider of your own part of the crawl. Each may be NULL. All but on_tick are called from any
 * worker's thread, several at a time, with no lock held, and may call crawl_engine_push, crawl_engine_seed,
 * crawl_engine_stop and crawl_engine_stats_get. An error other than those named here stops the crawl and is returned by
 * crawl_engine_run. */
typedef struct crawl_engine_hooks {
    size_t size; /* sizeof(crawl_engine_hooks) */
    /* Called when an answer has arrived, before its links are followed. record: everything but links, fresh, redirect
     * and error is set. page: the parsed page; NULL: none, because the answer is not HTML, XHTML or a feed, is
     * incomplete, has not changed or has a status other than 2xx. CRAWL_REFUSED: does not follow its links. */
    crawl_err (*on_response)(void *user, crawl_engine *engine, const crawl_record *record,
                             const crawl_response *response, const crawl_page *page);
    /* Called when a request departs: its connection is established, and its first byte is sent after this returns. The
     * exchange has no answer yet: ended_us is 0, response NULL. Not called for a failed connection attempt. The request
     * does not depart after an error, nor if its host was held, or another request departed, during the call. */
    crawl_err (*on_depart)(void *user, crawl_engine *engine, const crawl_exchange *exchange);
    /* Called when a transfer has ended, whatever the outcome, before on_response. CRAWL_FETCH_CANCELLED: the crawl
     * ended, or the request did not depart; it comes again. */
    crawl_err (*on_exchange)(void *user, crawl_engine *engine, const crawl_exchange *exchange);
    /* Called for a URL in scope, before it is known whether it was seen before. *priority (higher first) is 0, for a
     * redirect that of its request, with crawl.order = best the score of the link, and may be changed. CRAWL_REFUSED:
     * does not queue it. */
    crawl_err (*on_link)(void *user, crawl_engine *engine, const crawl_found *found, int32_t *priority);
    /* Called for each link of an answer's headers and of its page, in order, once all of them are decided, and for each
     * redirect. If set, the parser collects the text of links. */
    crawl_err (*on_edge)(void *user, crawl_engine *engine, const crawl_edge *edge);
    /* Called when a request is finished, for good or until the next visit of its page: fetched, failed or refused.
     * CRAWL_AGAIN: the record was taken but is not stored yet; crawl_engine_kept reports when it is, and until then the
     * page is not done. */
    crawl_err (*on_record)(void *user, const crawl_record *record);
    /* Called when nothing is queued, not even for a further visit, and nothing is in flight. The crawl ends if that
     * still holds when this returns. Called by one thread at a time. */
    crawl_err (*on_idle)(void *user, crawl_engine *engine);
    /* Reports something that does not end the crawl but that its operator should know, once for each kind. words: a
     * sentence or two without a newline, borrowed for the call. Called from any worker's thread, from that of the
     * browser, from threads that push, and from crawl_engine_create. */
    void (*on_notice)(void *user, crawl_engine *engine, const char *words);
    /* Called every 250 ms, from the thread that called crawl_engine_run. While only later dates are left: when the
     * first of them is reached, after crawl_engine_tick, and every output.progress_interval. */
    crawl_err (*on_tick)(void *user, crawl_engine *engine);
    void *user;
    bool capture;     /* keep the bytes on the wire for on_exchange: see crawl_fetch_request */
    bool digests;     /* fill crawl_record.digest: about 1 us per KiB of body */
    bool screenshots; /* take pictures of pages that are rendered: see crawl_record_render */
    bool contents;    /* fill data and text also in records that are left_out */
} crawl_engine_hooks;

/* Sets in options, which crawl_fetch_options_init has initialised, everything that the configuration says about all
 * transfers: for a fetcher besides those of an engine. All pointers set are config's. */
CRAWL_API void crawl_config_set_fetch(const crawl_config *config, crawl_fetch_options *options);

/* Creates an engine. config is borrowed and must neither change nor be freed before the engine. hooks may be NULL, and
 * so may each of them.
 *
 * The engine reports what it finds through hooks. It writes no records and has no live view, and refuses a
 * configuration that names a file of [output], or live.listen. crawl_output_engine_create (<crawl/output.h>) makes an
 * engine whose records, links, requests, fields, bodies, copies and archives are written; output.report,
 * output.sitemap, output.wacz, output.log and live.listen belong to the program. Set those keys to "" to handle them
 * yourself.
 *
 * With state.directory the crawl outlives the engine. It is created there, or continues where another engine, or a
 * killed process, left it, with its scope, robots.txt verdicts, pauses and blocks. Seeds given again return
 * CRAWL_EXISTS. Limits (max_pages, max_time, max_bytes) and all figures except those of the frontier belong to this
 * engine only. If it fails, or a hook does, the next engine repeats the requests whose records came in between.
 *
 * CRAWL_EINVAL, CRAWL_EPARSE: the configuration is invalid, or not the one that the directory was made with.
 * CRAWL_ESTATE: the directory is in use. CRAWL_EIO, CRAWL_ECORRUPT: as crawl_frontier_open. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_engine_create(const crawl_config *config, const crawl_engine_hooks *hooks, crawl_engine **out,
                                        crawl_error *error);
CRAWL_API void crawl_engine_free(crawl_engine *engine);

/* Frees the engine and reports whether all of a durable crawl has reached the disk; errors are those of
 * crawl_frontier_close. */
CRAWL_API crawl_err crawl_engine_close(crawl_engine *engine, crawl_error *error);

/* A request to start from. */
typedef struct crawl_seed {
    size_t size; /* sizeof(crawl_seed) */
    crawl_slice url;
    crawl_slice method;  /* empty: GET; a token of RFC 9110, taken as given; not CONNECT or TRACE */
    crawl_slice headers; /* "Name: value" lines, each ended by \n; none about framing, connection or Host. They follow
                            redirects within the origin only */
    crawl_slice body;
    uint32_t depth;
    int32_t priority;
} crawl_seed;

/* Queues a seed. The scope is relative to the seeds, so each seed widens it, and the host of a seed may be at a private
 * address. May be called before and during crawl_engine_run, from any thread. Credentials in its URL are removed and
 * sent with every request to its origin; a durable crawl refuses them. CRAWL_EXISTS: the same request was queued
 * before. CRAWL_FULL: crawl.max_queued or crawl.max_hosts is reached. CRAWL_EPARSE: not an absolute URL. CRAWL_EINVAL:
 * not http or https, a bad method or header, or beyond the depth of the crawl. error says which. */
CRAWL_API crawl_err crawl_engine_seed(crawl_engine *engine, const crawl_seed *seed, crawl_error *error);

/* Bracket the seeds of a durable crawl, so that none is lost unnoticed: from the first seed after begin until end,
 * state.directory records that seeds are being read. If a process ends in between, cut reports it in the next one,
 * which should give all seeds again; those already present are not queued twice. In between, seeds may be collected and
 * queued together: CRAWL_OK may then stand for CRAWL_EXISTS, and other results are returned by a later
 * crawl_engine_seed or by end. from: where the seeds come from, in words for a person, at most 200 bytes. The calls
 * must not run concurrently. A crawl in memory records nothing. CRAWL_ENOMEM; otherwise as crawl_engine_seed and
 * crawl_frontier_note_set. */
CRAWL_API crawl_err crawl_engine_seeds_begin(crawl_engine *engine, const char *from, crawl_error *error);
CRAWL_API crawl_err crawl_engine_seeds_end(crawl_engine *engine, crawl_error *error);
/* CRAWL_EXISTS: seeds are missing; `from` gets the text given to begin. CRAWL_OK: no seeds are missing. Otherwise as
 * crawl_frontier_note_get. */
CRAWL_API crawl_err crawl_engine_seeds_cut(crawl_engine *engine, crawl_buf *from, crawl_error *error);

/* Stores a note of the caller's under a name of its own, which a durable crawl keeps from run to run
 * (crawl_frontier_note_set); a crawl in memory keeps none. From any thread. CRAWL_EINVAL: an empty name, or a name or
 * note of CRAWL_NOTE_MAX bytes or more. */
CRAWL_API crawl_err crawl_engine_note_set(crawl_engine *engine, crawl_slice name, crawl_slice note);
/* As crawl_frontier_notes; names are as the caller gave them. */
CRAWL_API crawl_err crawl_engine_notes(crawl_engine *engine, crawl_slice prefix,
                                       bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user);

/* Queues a request found by other means than the links of a page: as crawl_engine_seed, but within the scope. parent
 * (empty: none) is the URL it was found at. CRAWL_REFUSED: out of scope, left out by crawl.include and crawl.exclude,
 * or beyond a limit of crawl_trap. */
CRAWL_API crawl_err crawl_engine_push(crawl_engine *engine, const crawl_seed *request, crawl_slice parent,
                                      crawl_error *error);

/* Crawls until nothing is left (with revisit, as long as any page exists, or is due), a limit is reached or
 * crawl_engine_stop is called. May be called once. Returns CRAWL_OK in all these cases; otherwise the error of a hook
 * or a local failure. */
CRAWL_API crawl_err crawl_engine_run(crawl_engine *engine, crawl_error *error);

/* Reports that the record with this receipt, for which on_record returned CRAWL_AGAIN, is stored: its page is now done.
 * Until then its request stays leased, though its host may be asked for others; crawl_engine_hold bounds how many there
 * are. If the process ends earlier, a durable crawl repeats the request. May be called from any thread, also before
 * on_record has returned, and after crawl_engine_run until the engine is freed. */
CRAWL_API void crawl_engine_kept(crawl_engine *engine, uint64_t receipt);

/* Pause the crawl and resume it. While it is paused no request departs: none begins, and one whose connection was being
 * made returns to the queue. Requests already sent continue, and their answers are read; crawl.max_time keeps running.
 * A second pause or resume changes nothing. From any thread. */
CRAWL_API void crawl_engine_pause(crawl_engine *engine);
CRAWL_API void crawl_engine_resume(crawl_engine *engine);

/* Holds the crawl or releases it. While it is held no request begins; requests under way continue. For a consumer
 * that falls behind in storing records. Hold and pause are independent: requests begin only if neither applies.
 * From any thread. */
CRAWL_API void crawl_engine_hold(crawl_engine *engine, bool held);

/* Limits of this run, in place of crawl.max_pages, crawl.max_time and crawl.max_bytes; 0: none. */
typedef struct crawl_engine_limits {
    uint64_t pages;
    int64_t time_ms;
    uint64_t bytes;
    uint64_t reserved[5]; /* 0, for later versions */
} crawl_engine_limits;
/* Sets the limits from now on. A limit that is already passed ends the crawl. From any thread. */
CRAWL_API void crawl_engine_set_limits(crawl_engine *engine, const crawl_engine_limits *limits);

/* Sets the bytes per second of all transfers from now on, in place of fetch.rate_limit; 0: no limit. From any
 * thread. */
CRAWL_API void crawl_engine_set_rate(crawl_engine *engine, uint64_t bytes_per_s);

/* Sets the longest time between two calls of on_tick from now on, in place of output.progress_interval. From any
 * thread. */
CRAWL_API void crawl_engine_set_interval(crawl_engine *engine, int64_t ms);

/* Sets the number of concurrent transfers from now on, in place of fetch.connections: at least 1, and at most as many
 * as the process has descriptors for. Does not end transfers in flight if the number shrinks. Returns the number set.
 * From any thread. */
CRAWL_API unsigned crawl_engine_set_connections(crawl_engine *engine, unsigned connections);

/* ---- hosts of a running crawl ---- */

/* The pace of the crawl at a host that it has asked, or was about to ask. */
typedef struct crawl_host_pace {
    int64_t pause_us;     /* between two requests */
    const char *pause_by; /* the reason for pause_us, as in crawl_exchange */
    uint32_t limit;       /* maximum concurrent requests */
    uint32_t running;     /* requests in flight */
    uint64_t asked;       /* requests made */
    int64_t answer_us;    /* smoothed response time; 0: none yet */
    uint32_t failures;    /* consecutive ones */
    int64_t held_us;      /* time until it may be asked; 0: it may be asked now */
    const char *held_by;  /* the reason for held_us, as in crawl_exchange.hold_by; NULL: not held */
    int64_t delay_us;     /* set by crawl_engine_set_host_delay; negative: none */
    bool is_blocked;      /* by crawl_engine_block_host */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_host_pace;

/* Walk over all hosts of the queue, as crawl_frontier_hosts does, and return one of them. From any thread. */
CRAWL_API crawl_err crawl_engine_hosts(crawl_engine *engine, size_t *cursor,
                                       bool (*each)(const crawl_held_host *host, void *user), void *user);
CRAWL_API crawl_err crawl_engine_host_get(crawl_engine *engine, crawl_slice origin, crawl_held_host *out);
/* Returns the pace at a host. CRAWL_ABSENT: none of its requests was taken from the queue in this run, and it is not
 * blocked. From any thread. */
CRAWL_API crawl_err crawl_engine_host_pace(crawl_engine *engine, crawl_slice origin, crawl_host_pace *out);

/* Blocks a host or releases it. While it is blocked no request to it begins, except for its robots.txt if that was
 * requested before; requests already sent continue. Its URLs stay in the queue, and the crawl does not end while there
 * are any. A durable crawl keeps the block until the host is released. origin: "scheme://host:port" as in
 * crawl_exchange. From any thread. CRAWL_ABSENT: the queue does not know the host. CRAWL_FULL: beyond crawl.max_hosts.
 * Otherwise as crawl_frontier_block. */
CRAWL_API crawl_err crawl_engine_block_host(crawl_engine *engine, crawl_slice origin, bool is_blocked);

/* Set the minimum pause from now on: of all hosts without a delay of their own, and of one host, whose delay overrides
 * the configured one; negative, for one host: as configured. Crawl-delay and slow answers of a host still count. Each
 * host applies it from its next request on. 0 to CRAWL_DELAY_MAX_MS. From any thread. CRAWL_EINVAL: out of range.
 * CRAWL_ESTATE: processes share the crawl, which keeps the pauses that it was made with. CRAWL_ABSENT, CRAWL_FULL: as
 * above. Otherwise as crawl_frontier_set_pause. */
CRAWL_API crawl_err crawl_engine_set_delay(crawl_engine *engine, int64_t delay_ms);
CRAWL_API crawl_err crawl_engine_set_host_delay(crawl_engine *engine, crawl_slice origin, int64_t delay_ms);
#define CRAWL_DELAY_MAX_MS 86400000 /* as politeness.delay */

/* Announces that more requests or seeds will come: the crawl does not end for lack of requests until more is set to
 * false. From any thread. */
CRAWL_API void crawl_engine_expect(crawl_engine *engine, bool more);

/* Makes on_tick run soon, also while the crawl waits for a date. From any thread and from signal handlers. */
CRAWL_API void crawl_engine_tick(crawl_engine *engine);

/* Begins no new request and gives those in flight a few seconds. From any thread and from signal handlers. */
CRAWL_API void crawl_engine_stop(crawl_engine *engine);

/* Whether a crawl is running, or how it ended. */
typedef enum crawl_end {
    CRAWL_END_RUNNING,
    CRAWL_END_DRAINED, /* nothing left */
    CRAWL_END_MAX_PAGES,
    CRAWL_END_MAX_TIME,
    CRAWL_END_MAX_BYTES,
    CRAWL_END_STOPPED, /* crawl_engine_stop */
    CRAWL_END_FAILED   /* a hook or a local failure */
} crawl_end;

/* Error classes counted by the engine: the fetcher's and its own. */
typedef enum crawl_error_class {
    CRAWL_CLASS_DNS,
    CRAWL_CLASS_CONNECT,
    CRAWL_CLASS_TLS,
    CRAWL_CLASS_TIMEOUT,
    CRAWL_CLASS_RESET,
    CRAWL_CLASS_PROTOCOL,
    CRAWL_CLASS_TOO_LARGE,
    CRAWL_CLASS_PRIVATE, /* at an address that is not public, admitted neither by a seed nor by a setting */
    CRAWL_CLASS_LOCAL,
    CRAWL_CLASS_ROBOTS,      /* refused by robots.txt, or robots.txt could not be read */
    CRAWL_CLASS_SCOPE,       /* redirected out of the crawl, by its scope or its patterns */
    CRAWL_CLASS_REDIRECTS,   /* too many in a row, or to an invalid URL */
    CRAWL_CLASS_RETRY_AFTER, /* the host asked to stay away for longer than politeness.max_retry_delay */
    CRAWL_CLASS_LIMIT,       /* refused by one of crawl_trap's limits, max_queued or max_hosts */
    CRAWL_CLASS_GIVEN_UP,    /* the host failed politeness.give_up times in a row */
    CRAWL_CLASS_PORT,        /* a port that browsers block, and that no seed names for the host */
    CRAWL_CLASS_REFUSED,     /* redirected to a URL that on_link refused */
    CRAWL_CLASS_WALL,        /* a wall or a challenge in place of the page: see <crawl/wall.h> */
    CRAWL_CLASS_SOFT_404,    /* with crawl.soft_404: a page that says "not found", with status 200 */
    CRAWL_CLASS_COUNT
} crawl_error_class;
/* Size of arrays indexed by class, with room for later versions. */
#define CRAWL_CLASS_ROOM 32u

/* Returns the word that records have in "error"; never NULL. */
CRAWL_API const char *crawl_error_class_name(crawl_error_class error_class);

/* The limit that refused a URL as part of a trap, a site without end. */
typedef enum crawl_trap {
    CRAWL_TRAP_NONE,
    CRAWL_TRAP_LENGTH,
    CRAWL_TRAP_DEPTH,
    CRAWL_TRAP_REPEATS,
    CRAWL_TRAP_QUERIES,
    CRAWL_TRAP_HOST_PAGES,
    CRAWL_TRAP_DOMAIN_PAGES,
    CRAWL_TRAP_SESSIONS,
    CRAWL_TRAP_VARIANTS,
    CRAWL_TRAP_COUNT
} crawl_trap;
/* Size of arrays indexed by trap, with room for later versions. */
#define CRAWL_TRAP_ROOM 16u

/* Returns the name of the setting: "crawl.max_repeats", ...; "" for NONE. */
CRAWL_API const char *crawl_trap_name(crawl_trap trap);

/* Why a sitemap was not read, or not completely. */
typedef enum crawl_sitemap_fault {
    CRAWL_SITEMAP_CUT,     /* it exceeds a maximum of <crawl/sitemap.h>, or fetch.max_body */
    CRAWL_SITEMAP_BROKEN,  /* see crawl_sitemap_stats; the readable part was read */
    CRAWL_SITEMAP_NONE,    /* the answer is not a sitemap */
    CRAWL_SITEMAP_REFUSED, /* not requested, because of robots.txt, the scope, or a maximum of sitemaps, levels or
                              redirects */
    CRAWL_SITEMAP_FAILED,  /* no answer, or a status other than 2xx; a /sitemap.xml that nothing names may be missing */
    CRAWL_SITEMAP_DATES,   /* all of it was read except dates, which are ignored */
    CRAWL_SITEMAP_FAULT_COUNT
} crawl_sitemap_fault;
/* Size of arrays indexed by fault, with room for later versions. */
#define CRAWL_SITEMAP_FAULT_ROOM 8u

/* "cut", "broken", "none", "refused", "failed", "dates"; never NULL. */
CRAWL_API const char *crawl_sitemap_fault_name(crawl_sitemap_fault fault);

/* Bytes of a sitemap's URL that the figures keep, including the NUL; longer URLs are truncated. */
#define CRAWL_SITEMAP_FIRST 256

/* The figures of rendered pages. */
typedef struct crawl_engine_renders {
    uint64_t rendered;    /* pages, whole or in part */
    uint64_t cut;         /* of these, in part */
    uint64_t failed;      /* pages that continued as they were fetched */
    uint64_t parts;       /* answered requests for their parts */
    uint64_t cached;      /* parts that reused the answer of an earlier request */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_engine_renders;

/* The figures of a crawl, of this run unless said otherwise. */
typedef struct crawl_engine_stats {
    crawl_end end;
    int64_t opened_us;   /* when the engine was made, on the clock of crawl_exchange */
    int64_t now_us;      /* when these figures were taken, on the same clock */
    uint32_t workers;    /* threads */
    int64_t set_back_ms; /* of a resumed crawl: how far the wall clock was set back since; its dates continue from where
                            they were */
    int64_t elapsed_ms;
    uint64_t pages;       /* answers, robots.txt and sitemaps excluded */
    uint64_t bytes;       /* decoded bodies, robots.txt and sitemaps excluded */
    uint64_t wire_bytes;  /* total received */
    uint64_t status[6];   /* answers by class; [0]: other than 1xx to 5xx */
    uint64_t external[6]; /* checked links out of scope, by status class; [0]: no answer. Not in pages or errors */
    uint64_t errors;      /* records with an error */
    uint64_t error_classes[CRAWL_CLASS_ROOM];
    uint64_t retries;
    uint64_t robots;       /* requests for robots.txt */
    uint64_t robots_cut;   /* robots.txt longer than CRAWL_ROBOTS_MAX_SIZE: the rest is ignored */
    uint64_t sitemaps;     /* requests for sitemaps, llms.txt included */
    uint64_t sitemap_urls; /* found in sitemaps, and in pages that are sitemaps: the sum of sitemap_edges */
    uint64_t sitemap_edges[CRAWL_EDGE_ROOM];                           /* of these, by verdict */
    uint64_t sitemap_faults[CRAWL_SITEMAP_FAULT_ROOM];                 /* sitemaps, and pages that are sitemaps */
    char sitemap_first[CRAWL_SITEMAP_FAULT_ROOM][CRAWL_SITEMAP_FIRST]; /* URL of the first sitemap with each fault */
    uint64_t links;                  /* found on pages and in headers, and redirects: the sum of edges */
    uint64_t edges[CRAWL_EDGE_ROOM]; /* of these, by verdict, as passed to on_edge */
    uint64_t queries;                /* new URLs with a query */
    uint64_t links_cut;              /* pages with more than CRAWL_PAGE_MAX_LINKS links */
    uint64_t patterns_stopped; /* URLs left out because a match of crawl.include or crawl.exclude took too many steps */
    uint64_t kept;             /* answers of pages that are stored: see crawl_record.left_out */
    uint64_t keeps_stopped;    /* answers stored because a match of output.keep took too many steps */
    uint64_t duplicates;       /* pages with the body of an earlier one */
    uint64_t near_duplicates;  /* pages with nearly the text of an earlier one */
    uint64_t traps[CRAWL_TRAP_ROOM]; /* refused links, redirects, URLs of sitemaps and queued URLs */
    uint64_t visits;                 /* answers and failures at a second or later visit */
    uint64_t changed;                /* of these, pages that had changed */
    uint64_t unchanged;              /* of these, pages that had not, including those with status 304 */
    uint64_t not_modified;           /* of these, answered with 304 */
    uint64_t gone;                   /* pages dropped for 404 and 410 */
    int64_t next_ms;  /* time until the first of frontier.revisits is due; 0: due now; negative: there is none, or its
                         date is not known: while the crawl runs and has other requests queued, and if
                         crawl_frontier_next_visit does not know it */
    uint64_t running; /* transfers in flight */
    uint64_t connections; /* maximum concurrent transfers: fetch.connections, or set by crawl_engine_set_connections;
                             fewer if descriptors are short */
    bool paused;          /* by crawl_engine_pause */
    crawl_engine_limits limits;
    uint64_t no_socket;        /* transfers that got no socket; their requests came again without counting as tried */
    crawl_bound_tally bound;   /* what limits its speed, now and so far */
    crawl_fetcher_stats names; /* of all workers: transfers that wait for a name, for bodies, ... */
    crawl_frontier_stats frontier; /* of a resumed crawl: figures of all its runs */
    bool resumed;                  /* state.directory held a crawl, which was resumed */
    crawl_frontier_stats before;   /* the frontier as it was at that moment */
    bool is_shared; /* with state.shared; the figures are then those of all its processes, and resumed says that another
                       one created it */
    crawl_shared_figures shared;
    uint64_t walled_hosts;  /* that have answered with a wall or a challenge */
    uint64_t walled_queued; /* requests waiting for hosts given up because of a wall; in a shared crawl those that this
                               process left for the next run */
    uint64_t failed_2xx;    /* of status[2]: with an error, unless only the end of a long body is missing */
    char walled_by[24];     /* the service in front of most of these hosts; "": none */
    uint64_t withheld;      /* withheld answers of pages: see crawl_record.withheld */
    uint64_t scripted;      /* pages without links that scripts may fill: see crawl_page_is_scripted */
    uint64_t hastened;      /* pages that the lastmod of a sitemap made due */
    uint64_t feeds_asked;   /* requests for places that may hold a feed (crawl.find_feeds) */
    uint64_t feeds_found;   /* of these, feeds found */
    uint64_t llms_txt;      /* llms.txt found that have a title or links */
    uint64_t verdicts[CRAWL_VERDICT_COUNT]; /* answers with a record, by what replaces the page */
    crawl_engine_renders renders;           /* with render.render */
    uint64_t preprocessed;                  /* documents turned into a page (parse.pdf, parse.preprocess) */
    uint64_t preprocess_failed;             /* documents that could not be: see crawl_record.preprocessed */
    uint64_t mistyped;                      /* answers with status 2xx that begin as HTML but are labelled otherwise */
    uint64_t reserved[32];                  /* 0, for later versions */
} crawl_engine_stats;

/* Returns the figures. From any thread, at any time. */
CRAWL_API void crawl_engine_stats_get(crawl_engine *engine, crawl_engine_stats *out);

/* With state.shared: return the processes that take part in the crawl and what each has reported, as
 * crawl_frontier_shared_crew; and the name of this process. Without it: CRAWL_ESTATE, and an empty name. From any
 * thread. */
CRAWL_API crawl_err crawl_engine_shared_crew(crawl_engine *engine, crawl_shared_crew *out);
CRAWL_API crawl_slice crawl_engine_shared_name(const crawl_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
