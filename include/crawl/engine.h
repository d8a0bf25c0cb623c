/* The crawl loop: frontier, fetchers and parsers put together, as the `crawl` program runs it.
 *
 * Workers, each a thread with its own event loop, fetcher and parser, share only the frontier, what is known of
 * each site (its robots.txt) and the scope. */
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

/* A crawl: its workers, its queue, and what it knows of hosts. */
typedef struct crawl_engine crawl_engine;

/* Hooks: a spider of your own in the crawl. Each may be NULL. All but on_tick come from any worker's thread, several
 * at a time, with no lock held, and may call crawl_engine_push, crawl_engine_seed, crawl_engine_stop and
 * crawl_engine_stats_get. An error other than those named stops the crawl, and crawl_engine_run returns it. */
typedef struct crawl_engine_hooks {
    size_t size; /* sizeof(crawl_engine_hooks) */
    /* An answer is there, before its links are followed. record: all but links, fresh, redirect and error are known.
     * page: the parsed page; NULL: none, for it is no HTML, XHTML or feed, is incomplete, has not changed or has
     * another status than 2xx. CRAWL_REFUSED: its links are not followed. */
    crawl_err (*on_response)(void *user, crawl_engine *engine, const crawl_record *record,
                             const crawl_response *response, const crawl_page *page);
    /* A request leaves: its connection stands, and its first byte is sent after this returns. Of the exchange nothing
     * of its answer is known: ended_us is 0, response NULL. Not called for a connection that is tried in vain. After an
     * error it does not leave, nor where its host was held, or another request let go, during the call. */
    crawl_err (*on_depart)(void *user, crawl_engine *engine, const crawl_exchange *exchange);
    /* A transfer is over, whatever came of it (CRAWL_FETCH_CANCELLED: the crawl ended, or it did not leave; the request
     * comes again); before on_response. */
    crawl_err (*on_exchange)(void *user, crawl_engine *engine, const crawl_exchange *exchange);
    /* A URL that is in scope, before it is known whether it was seen before. *priority (higher first) is 0, of a
     * redirect its request's, with crawl.order = best of a link its score, and may be set. CRAWL_REFUSED: it is not
     * queued. */
    crawl_err (*on_link)(void *user, crawl_engine *engine, const crawl_found *found, int32_t *priority);
    /* Each link of an answer's headers and of its page, in their order, once all of them were decided upon; and each
     * redirect. Its being there makes the parser gather the text of links. */
    crawl_err (*on_edge)(void *user, crawl_engine *engine, const crawl_edge *edge);
    /* A request is finished, for good or until the next visit of its page: fetched, failed or refused. CRAWL_AGAIN: the
     * record was taken and is not kept yet; crawl_engine_kept says when it is, and until then the page is not done. */
    crawl_err (*on_record)(void *user, const crawl_record *record);
    /* Nothing is queued, not for a further visit either, or on its way. The crawl ends if that is still so when it
     * returns. One thread at a time. */
    crawl_err (*on_idle)(void *user, crawl_engine *engine);
    /* Something that ends nothing, but should be known to whoever runs the crawl; once for each kind. words: a sentence
     * or two without a line end, borrowed for the call. From any worker's thread, from those that push, and from
     * crawl_engine_create. */
    void (*on_notice)(void *user, crawl_engine *engine, const char *words);
    /* Every 250 ms, from the thread that called crawl_engine_run. While all that is left is for later dates: when the
     * first of them has come, after crawl_engine_tick, and every output.progress_interval. */
    crawl_err (*on_tick)(void *user, crawl_engine *engine);
    void *user;
    bool capture;     /* keep the bytes on the wire for on_exchange: see crawl_fetch_request */
    bool digests;     /* fill crawl_record.digest: about 1 us per KiB of body */
    bool screenshots; /* take pictures of pages that are rendered: see crawl_record_render */
} crawl_engine_hooks;

/* Sets in options, which crawl_fetch_options_init has set, what the configuration says of all transfers: for a fetcher
 * beside an engine's own. All that they point to is config's. */
CRAWL_API void crawl_config_set_fetch(const crawl_config *config, crawl_fetch_options *options);

/* config is borrowed and must neither change nor go before the engine. hooks may be NULL, and so may each of them.
 *
 * The engine tells by hooks what it finds; it writes no records and has no live view, and a configuration that names a
 * file of [output], or live.listen, is refused. crawl_output_engine_create (<crawl/output.h>) makes an engine whose
 * records, links, requests, fields, bodies, copies and archives are written; output.report, output.sitemap,
 * output.wacz, output.log and live.listen are the program's. Set those keys to "" to serve them yourself.
 *
 * With state.directory the crawl is one that outlives the engine: it is made there, or goes on where another engine, or
 * a process that was killed, left it, with its scope, robots.txt verdicts, pauses and blocks. Seeds given again are
 * CRAWL_EXISTS. Limits (max_pages, max_time, max_bytes) and figures but those of the frontier are of this engine alone.
 * When it has failed, or a hook has, requests whose records came in between are asked for again in the next.
 *
 * CRAWL_EINVAL, CRAWL_EPARSE: the configuration, or one that the directory was not made with. CRAWL_ESTATE: the
 * directory is in use. CRAWL_EIO, CRAWL_ECORRUPT: as crawl_frontier_open. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_engine_create(const crawl_config *config, const crawl_engine_hooks *hooks, crawl_engine **out,
                                        crawl_error *error);
CRAWL_API void crawl_engine_free(crawl_engine *engine);

/* Frees the engine too, and says whether all of a durable crawl has reached the disk; answers are those of
 * crawl_frontier_close. */
CRAWL_API crawl_err crawl_engine_close(crawl_engine *engine, crawl_error *error);

/* A request to start from. */
typedef struct crawl_seed {
    size_t size; /* sizeof(crawl_seed) */
    crawl_slice url;
    crawl_slice method;  /* empty: GET; a token of RFC 9110, taken as given; not CONNECT or TRACE */
    crawl_slice headers; /* "Name: value" lines, each ended by \n; none about framing, connection or Host. They follow
                            redirects within the origin alone */
    crawl_slice body;
    uint32_t depth;
    int32_t priority;
} crawl_seed;

/* Queues a seed; what is in scope is relative to the seeds, so that each widens it; and its host may be at a private
 * address. Before crawl_engine_run and during it, from any thread. A user in its URL is taken out, and sent with every
 * request to its origin; a durable crawl refuses it. CRAWL_OK, CRAWL_EXISTS: the same request was queued before.
 * CRAWL_FULL: crawl.max_queued or crawl.max_hosts is reached. CRAWL_EPARSE: no absolute URL. CRAWL_EINVAL: not http or
 * https, a bad method or header, or beyond the depth of the crawl. error says which. */
CRAWL_API crawl_err crawl_engine_seed(crawl_engine *engine, const crawl_seed *seed, crawl_error *error);

/* Around the seeds of a durable crawl, so that none of them is lost in silence: from the first seed behind begin on, up
 * to end, state.directory says that its seeds are being read. Where a process ended in between, cut says so in the next
 * one, which does well to give all of them again: those that are there are not queued twice. In between seeds may wait
 * to be queued together: CRAWL_OK stands for CRAWL_EXISTS too, and what else comes of them is returned by a later
 * crawl_engine_seed or by end. from: where they come from, in words for a person, 200 bytes at most. Not at the same
 * time as one another. A crawl in memory notes nothing. CRAWL_ENOMEM; otherwise as crawl_engine_seed and
 * crawl_frontier_note_set. */
CRAWL_API crawl_err crawl_engine_seeds_begin(crawl_engine *engine, const char *from, crawl_error *error);
CRAWL_API crawl_err crawl_engine_seeds_end(crawl_engine *engine, crawl_error *error);
/* CRAWL_EXISTS: seeds are missing; `from` gets what begin was told. CRAWL_OK: none are. Otherwise as
 * crawl_frontier_note_get. */
CRAWL_API crawl_err crawl_engine_seeds_cut(crawl_engine *engine, crawl_buf *from, crawl_error *error);

/* Notes of the caller's own, by names of its own, which a durable crawl keeps from run to run
 * (crawl_frontier_note_set); a crawl in memory keeps none. From any thread. CRAWL_EINVAL: an empty name, or name or
 * note of CRAWL_NOTE_MAX bytes or more. */
CRAWL_API crawl_err crawl_engine_note_set(crawl_engine *engine, crawl_slice name, crawl_slice note);
/* As crawl_frontier_notes; names are as they were given. */
CRAWL_API crawl_err crawl_engine_notes(crawl_engine *engine, crawl_slice prefix,
                                       bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user);

/* Queues a request found by other means than the links of a page: as crawl_engine_seed, but within the scope. parent
 * (empty: none) is the URL it was found at. CRAWL_REFUSED: out of scope, left out by crawl.include and crawl.exclude,
 * or beyond a limit of crawl_trap. */
CRAWL_API crawl_err crawl_engine_push(crawl_engine *engine, const crawl_seed *request, crawl_slice parent,
                                      crawl_error *error);

/* Crawls until there is nothing left (with revisit, as long as any page is there, or is due), a limit is reached or
 * crawl_engine_stop was called. Once. CRAWL_OK for all these; otherwise what a hook returned or a local failure. */
CRAWL_API crawl_err crawl_engine_run(crawl_engine *engine, crawl_error *error);

/* The record with this receipt, which on_record had answered by CRAWL_AGAIN, is where it belongs: its page is done now.
 * Until then its request is out, though its host is asked for others: crawl_engine_hold bounds how many there are.
 * Where the process ends before, a durable crawl asks for it again. From any thread, also before on_record has
 * returned, and after crawl_engine_run until the engine is freed. */
CRAWL_API void crawl_engine_kept(crawl_engine *engine, uint64_t receipt);

/* Somebody wants the crawl to stand still, and to go on. While it is paused no request leaves: none begins, and one
 * whose connection was being made goes back to the queue. Requests that were sent go on, and their answers are read;
 * crawl.max_time runs on. A second pause or resume changes nothing. From any thread. */
CRAWL_API void crawl_engine_pause(crawl_engine *engine);
CRAWL_API void crawl_engine_resume(crawl_engine *engine);

/* While it is held no request begins; those that began go on. For whoever takes the records and has too many that are
 * not kept. Whether it is paused is another matter: requests begin where it is neither. From any thread. */
CRAWL_API void crawl_engine_hold(crawl_engine *engine, bool held);

/* Limits of this run, from now on, in place of crawl.max_pages, crawl.max_time and crawl.max_bytes; 0: none. One that
 * is passed already ends the crawl. From any thread. */
typedef struct crawl_engine_limits {
    uint64_t pages;
    int64_t time_ms;
    uint64_t bytes;
    uint64_t reserved[5]; /* 0, for later versions */
} crawl_engine_limits;
/* From any thread. */
CRAWL_API void crawl_engine_set_limits(crawl_engine *engine, const crawl_engine_limits *limits);

/* Bytes a second of all transfers from now on, in place of fetch.rate_limit; 0: no limit. From any thread. */
CRAWL_API void crawl_engine_set_rate(crawl_engine *engine, uint64_t bytes_per_s);

/* Transfers at once from now on, in place of fetch.connections: at least 1, and no more than the descriptors of the
 * process are enough for. Transfers under way are not ended where there are to be fewer. Returns how many were set.
 * From any thread. */
CRAWL_API unsigned crawl_engine_set_connections(crawl_engine *engine, unsigned connections);

/* ---- hosts of a crawl that runs ---- */

/* The pace of the crawl at a host that it has asked, or was about to ask. */
typedef struct crawl_host_pace {
    int64_t pause_us;     /* between two requests, and */
    const char *pause_by; /* by what, as in crawl_exchange */
    uint32_t limit;       /* requests at once, and */
    uint32_t running;     /* how many there are */
    uint64_t asked;       /* requests */
    int64_t answer_us;    /* smoothed time of its answers; 0: none yet */
    uint32_t failures;    /* in a row */
    int64_t held_us;      /* it is not asked for so long from now; 0: it may be, and */
    const char *held_by;  /* by what, as in crawl_exchange.hold_by; NULL: it is not held */
    int64_t delay_us;     /* by crawl_engine_set_host_delay; negative: none */
    bool is_blocked;      /* by crawl_engine_block_host */
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_host_pace;

/* All hosts of the queue, as crawl_frontier_hosts tells them, and one of them. From any thread. */
CRAWL_API crawl_err crawl_engine_hosts(crawl_engine *engine, size_t *cursor,
                                       bool (*each)(const crawl_held_host *host, void *user), void *user);
CRAWL_API crawl_err crawl_engine_host_get(crawl_engine *engine, crawl_slice origin, crawl_held_host *out);
/* CRAWL_ABSENT: nothing of it was ever taken from the queue in this run. From any thread. */
CRAWL_API crawl_err crawl_engine_host_pace(crawl_engine *engine, crawl_slice origin, crawl_host_pace *out);

/* No request to the host begins, its robots.txt excepted that was asked for before, until it is released; those that
 * were sent go on. Its URLs stay in the queue, and the crawl does not end while there are any. In a durable crawl the
 * queue keeps the block as it keeps others: a run after a kill may find it. origin: "scheme://host:port" as in
 * crawl_exchange. From any thread. CRAWL_ABSENT: the queue does not know it. CRAWL_FULL: beyond crawl.max_hosts.
 * Otherwise as crawl_frontier_block. */
CRAWL_API crawl_err crawl_engine_block_host(crawl_engine *engine, crawl_slice origin, bool is_blocked);

/* The least pause from now on: of all hosts without a delay of their own, and of one host, where it goes before what is
 * configured; there negative: as configured. Crawl-delay and slow answers of a host still count. Each host
 * keeps to it from its next request on. 0 to CRAWL_DELAY_MAX_MS. From any thread. CRAWL_EINVAL: another delay.
 * CRAWL_ESTATE: processes share the crawl, and keep the pauses that it was made with.
 * CRAWL_ABSENT, CRAWL_FULL: as above. Otherwise as crawl_frontier_set_pause. */
CRAWL_API crawl_err crawl_engine_set_delay(crawl_engine *engine, int64_t delay_ms);
CRAWL_API crawl_err crawl_engine_set_host_delay(crawl_engine *engine, crawl_slice origin, int64_t delay_ms);
#define CRAWL_DELAY_MAX_MS 3600000

/* More requests will be pushed, or seeds given: the crawl does not end for want of any, until that is taken back. From
 * any thread. */
CRAWL_API void crawl_engine_expect(crawl_engine *engine, bool more);

/* on_tick comes soon, also while the crawl waits for a date. From any thread and from signal handlers. */
CRAWL_API void crawl_engine_tick(crawl_engine *engine);

/* No new request; those in flight get a few seconds. From any thread and from signal handlers. */
CRAWL_API void crawl_engine_stop(crawl_engine *engine);

/* Whether a crawl runs, or how it has ended. */
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
    CRAWL_CLASS_PRIVATE, /* at an address that is not the internet's, and neither a seed nor a setting admits it */
    CRAWL_CLASS_LOCAL,
    CRAWL_CLASS_ROBOTS,      /* refused by robots.txt, or it could not be read */
    CRAWL_CLASS_SCOPE,       /* redirected to where the crawl does not go, by its scope or its patterns */
    CRAWL_CLASS_REDIRECTS,   /* too many in a row, or to no URL */
    CRAWL_CLASS_RETRY_AFTER, /* the host asked to stay away for longer than politeness.max_retry_delay */
    CRAWL_CLASS_LIMIT,       /* refused by one of crawl_trap's limits, max_queued or max_hosts */
    CRAWL_CLASS_GIVEN_UP,    /* the host failed politeness.give_up times in a row */
    CRAWL_CLASS_PORT,        /* a port that browsers block, and no seed names it for the host */
    CRAWL_CLASS_REFUSED,     /* redirected to what on_link refused */
    CRAWL_CLASS_WALL,        /* a wall or a challenge in place of the page: see <crawl/wall.h> */
    CRAWL_CLASS_SOFT_404,    /* with crawl.soft_404: "not found" in words, with status 200 */
    CRAWL_CLASS_COUNT
} crawl_error_class;
/* Room for the classes of errors, those of later versions too. */
#define CRAWL_CLASS_ROOM 32u

/* As records have it in "error"; never NULL. */
CRAWL_API const char *crawl_error_class_name(crawl_error_class error_class);

/* The limit that refused a URL as a trap, a site without end. */
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
/* Room for the traps, those of later versions too. */
#define CRAWL_TRAP_ROOM 16u

/* The setting: "crawl.max_repeats", ...; "" of NONE. */
CRAWL_API const char *crawl_trap_name(crawl_trap trap);

/* Why nothing or not all of a sitemap was read. */
typedef enum crawl_sitemap_fault {
    CRAWL_SITEMAP_CUT,     /* it is beyond a maximum of <crawl/sitemap.h>, or beyond fetch.max_body */
    CRAWL_SITEMAP_BROKEN,  /* see crawl_sitemap_stats; what could be read was */
    CRAWL_SITEMAP_NONE,    /* what came is no sitemap */
    CRAWL_SITEMAP_REFUSED, /* not asked for: by robots.txt, the scope, or a maximum of sitemaps, of levels or of
                              redirects */
    CRAWL_SITEMAP_FAILED,  /* no answer, or one with another status than 2xx; a /sitemap.xml that nothing names may be
                              missing */
    CRAWL_SITEMAP_DATES,   /* all of it was read but dates, which are ignored */
    CRAWL_SITEMAP_FAULT_COUNT
} crawl_sitemap_fault;
/* Room for the faults of sitemaps, those of later versions too. */
#define CRAWL_SITEMAP_FAULT_ROOM 8u

/* "cut", "broken", "none", "refused", "failed", "dates"; never NULL. */
CRAWL_API const char *crawl_sitemap_fault_name(crawl_sitemap_fault fault);

/* Bytes of a sitemap's URL that the figures keep, with the NUL behind; the rest is left out. */
#define CRAWL_SITEMAP_FIRST 256

/* The figures of pages that are rendered. */
typedef struct crawl_engine_renders {
    uint64_t rendered;    /* pages, whole or in part */
    uint64_t cut;         /* of them, in part */
    uint64_t failed;      /* pages that went on as they were fetched */
    uint64_t parts;       /* requests of their parts that were answered */
    uint64_t cached;      /* parts that had the answer of an earlier request */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_engine_renders;

/* The figures of a crawl, of this run unless said otherwise. */
typedef struct crawl_engine_stats {
    crawl_end end;
    int64_t opened_us;   /* when the engine was made, and */
    int64_t now_us;      /* when these figures were taken: on the clock of crawl_exchange */
    uint32_t workers;    /* threads */
    int64_t set_back_ms; /* of a crawl that goes on: the wall's clock was set back by so much since, and its dates count
                            from where they were */
    int64_t elapsed_ms;
    uint64_t pages;       /* answers, robots.txt and sitemaps excluded */
    uint64_t bytes;       /* decoded bodies, robots.txt and sitemaps excluded */
    uint64_t wire_bytes;  /* received in all */
    uint64_t status[6];   /* answers by class; [0]: other than 1xx to 5xx */
    uint64_t external[6]; /* of links out of scope that were checked; [0]: there was none. Neither pages nor errors */
    uint64_t errors;      /* records with an error */
    uint64_t error_classes[CRAWL_CLASS_ROOM];
    uint64_t retries;
    uint64_t robots;       /* requests for robots.txt */
    uint64_t robots_cut;   /* robots.txt longer than CRAWL_ROBOTS_MAX_SIZE: what is beyond does not count */
    uint64_t sitemaps;     /* requests for sitemaps, llms.txt included */
    uint64_t sitemap_urls; /* found in them, and in pages that are sitemaps: the sum of sitemap_edges */
    uint64_t sitemap_edges[CRAWL_EDGE_ROOM];                           /* of them, by what became of them */
    uint64_t sitemap_faults[CRAWL_SITEMAP_FAULT_ROOM];                 /* sitemaps, and pages that are sitemaps */
    char sitemap_first[CRAWL_SITEMAP_FAULT_ROOM][CRAWL_SITEMAP_FIRST]; /* the URL of the first one of each fault */
    uint64_t links;                  /* found on pages and in headers, and redirects: the sum of edges */
    uint64_t edges[CRAWL_EDGE_ROOM]; /* of them, by what became of them; as on_edge is told */
    uint64_t queries;                /* URLs with a query among those that were new */
    uint64_t links_cut;              /* pages with more than CRAWL_PAGE_MAX_LINKS links */
    uint64_t patterns_stopped; /* URLs left out since a match of crawl.include or crawl.exclude took too many steps */
    uint64_t kept;             /* answers of pages that are kept: see crawl_record.left_out */
    uint64_t keeps_stopped;    /* answers kept since a match of output.keep took too many steps */
    uint64_t duplicates;       /* pages with the body of one before */
    uint64_t near_duplicates;  /* pages with nearly the text of one before */
    uint64_t traps[CRAWL_TRAP_ROOM]; /* links, redirects, URLs of sitemaps and queued URLs refused */
    uint64_t visits;                 /* answers and failures at a second visit or a later one */
    uint64_t changed;                /* of them pages that had changed */
    uint64_t unchanged;              /* and that had not; those with status 304 included */
    uint64_t not_modified;           /* answered by 304 */
    uint64_t gone;                   /* pages dropped for 404 and 410 */
    int64_t next_ms;  /* till the first of frontier.revisits is due; 0: it is; negative: there is none, or its date is
                         not known: while the crawl runs and has other requests queued, and where
                         crawl_frontier_next_visit does not know it */
    uint64_t running; /* transfers now */
    uint64_t connections; /* transfers at once, at most: fetch.connections, or as crawl_engine_set_connections has set;
                             fewer where descriptors are short */
    bool paused;          /* crawl_engine_pause */
    crawl_engine_limits limits;
    uint64_t no_socket; /* transfers for which there was no socket; their requests came again without having been tried
                         */
    crawl_bound_tally bound;       /* what holds it up, and did */
    crawl_fetcher_stats names;     /* of all workers: those of the transfers that wait for a name, bodies, ... */
    crawl_frontier_stats frontier; /* of a crawl that was resumed, figures are those of all its runs */
    bool resumed;                  /* state.directory held a crawl, which went on */
    crawl_frontier_stats before;   /* the frontier as it was then */
    bool is_shared;                /* with state.shared, and then what all of its processes have done; resumed says that
                                      another has made it */
    crawl_shared_figures shared;
    uint64_t walled_hosts;  /* that have answered with a wall or a challenge */
    uint64_t walled_queued; /* requests that wait for hosts that are given up for it: of a shared crawl those that this
                               process has left for the next run */
    uint64_t walled_2xx;    /* of status[2], walls and challenges */
    char walled_by[24];     /* the service before most of these hosts; "": none */
    uint64_t withheld;      /* answers of pages that are withheld: see crawl_record.withheld */
    uint64_t scripted;      /* pages without links that scripts may fill: see crawl_page_is_scripted */
    uint64_t hastened;      /* pages that the lastmod of a sitemap made due */
    uint64_t feeds_asked;   /* requests for places where a feed may be (crawl.find_feeds), */
    uint64_t feeds_found;   /* and feeds that were there */
    uint64_t llms_txt;      /* llms.txt that were there and have a title or links */
    uint64_t verdicts[CRAWL_VERDICT_COUNT]; /* answers with a record, by what they are in place of the page */
    crawl_engine_renders renders;           /* with render.render */
    uint64_t preprocessed;                  /* documents of which a page was made (parse.pdf, parse.preprocess), */
    uint64_t preprocess_failed;             /* and of which none could be: see crawl_record.preprocessed */
    uint64_t mistyped;                      /* answers of status 2xx that begin as HTML, and are not called so */
    uint64_t reserved[32];                  /* 0, for later versions */
} crawl_engine_stats;

/* From any thread, at any time; see crawl_engine_stats. */
CRAWL_API void crawl_engine_stats_get(crawl_engine *engine, crawl_engine_stats *out);

/* With state.shared: who takes part in the crawl, and what each process has told, as crawl_frontier_shared_crew; and
 * the name of this one. Without it CRAWL_ESTATE, and an empty name. From any thread. */
CRAWL_API crawl_err crawl_engine_shared_crew(crawl_engine *engine, crawl_shared_crew *out);
CRAWL_API crawl_slice crawl_engine_shared_name(const crawl_engine *engine);

#ifdef __cplusplus
}
#endif
#endif
