/* The frontier: what to fetch next, and when.
 *
 * It holds requests, the set of requests seen, and a queue per host (an origin, as of crawl_url_origin) with its
 * pause, its limit of concurrent leases and its block. A request is ready, delayed, leased or done; a host is idle,
 * ready, waiting, busy or blocked. pop hands out a lease, which is exclusive until done ends it.
 *
 * The frontier knows when, never why: robots rules, retries and reasons reach it as a block, a date or an urgent
 * request. It reads no clock. now_ms comes from any clock that does not go back, the same for all calls. A now_ms
 * earlier than one given before, as threads may pass it, counts as that one; waits are computed from the caller's own.
 * The dates of a durable frontier outlive the process, so its clock must too (CLOCK_REALTIME).
 *
 * Two backends implement the same calls: in memory (crawl_frontier_create), and durable in a directory
 * (crawl_frontier_open).
 *
 * Thread-safe. on_ready is called with no lock held; the other callbacks are those of walks, within the call. Lock
 * order: the caller's locks, then the frontier's, then those of its store. A caller may hold a lock of its own during a
 * call if no callback takes it. A durable frontier may read and write files under its lock. */
#ifndef CRAWL_FRONTIER_H
#define CRAWL_FRONTIER_H

#include <crawl/bloom.h>
#include <crawl/fingerprint.h>
#include <crawl/url.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A date that never comes. */
#define CRAWL_FOREVER INT64_MAX

/* A queue of requests: what to fetch next, and when. */
typedef struct crawl_frontier crawl_frontier;

/* The order in which requests are handed out. */
typedef enum crawl_order {
    CRAWL_ORDER_BFS, /* by priority, then depth; then hosts take turns, and each host is first come, first served. A
                        durable frontier with more hosts than window_bytes / 4096 gives them sessions of up to 16 turns,
                        window_bytes / 4096 hosts at a time; hosts that have such requests and may be asked then differ
                        by at most 16 turns */
    CRAWL_ORDER_DFS, /* by priority, then the youngest batch first, in order within a batch: a branch is followed to its
                        end */
    CRAWL_ORDER_BEST /* by priority, then first come, first served */
} crawl_order;

/* When writes of a durable frontier reach the disk. A killed process loses nothing in any case. */
typedef enum crawl_sync {
    CRAWL_SYNC_INTERVAL, /* within sync_ms, by a thread of the frontier: a power failure may lose that much of the
                            latest writes */
    CRAWL_SYNC_ALWAYS,   /* before push, done and similar calls return; threads share the syncs */
    CRAWL_SYNC_NEVER     /* when the operating system decides */
} crawl_sync;

/* Number of depths that by_depth distinguishes. */
#define CRAWL_DEPTHS_MAX 64u

/* Options of a frontier; init has the defaults. */
typedef struct crawl_frontier_options {
    size_t size; /* sizeof(crawl_frontier_options): init sets it */
    crawl_order order;
    crawl_bloom_options seen; /* the set of requests seen */
    int64_t pause_ms;         /* minimum time between the starts of two requests to one host, 0 and up */
    unsigned per_host;        /* concurrent leases per host, 1 and up */
    bool confirm_start;  /* true: the pause runs from crawl_frontier_start, and a host gives no second lease while one
                            has not been started; false: the pause runs from pop */
    uint64_t max_queued; /* maximum number of queued requests, beyond which push returns CRAWL_FULL; 0: no limit. Urgent
                            requests and requests returned from a lease are queued all the same */
    uint64_t max_hosts;  /* maximum number of known hosts; push returns CRAWL_FULL for requests to further hosts, of
                            which wildcard DNS makes any number; 0: no limit */
    void (*on_ready)(void *user); /* something may be ready sooner than pop said; from any thread. May be NULL */
    void *user;
    /* For crawl_frontier_open only: */
    crawl_sync sync;
    uint32_t sync_ms;         /* 1 to 3,600,000 */
    uint64_t window_bytes;    /* memory for requests that will be leased soon, 1 MiB and up */
    uint64_t cache_bytes;     /* memory for blocks of the database, 1 MiB and up */
    const char *fingerprints; /* names how fingerprints are made: any text that changes when they do; NULL: "" */
    uint32_t sessions;  /* any frontier, bfs: hosts that take turns at a time, for up to 16 turns each, before others of
                           the same priority and depth; no host that may be asked waits while none of them may be. For
                           callers who keep something open for a host, such as a connection. 0: all hosts, or
                           window_bytes / 4096 of a durable frontier, which is also its maximum */
    uint32_t kept_open; /* with sessions: hosts for which the caller can keep something open. The end of a session is
                           reported only if more hosts than this have requests, so that the caller closes nothing
                           earlier. 0: sessions */
    bool by_depth; /* queues a request again if it comes again at less depth than before: for a crawl that is limited in
                      depth, which may find a page by a longer path first. Depths from CRAWL_DEPTHS_MAX on count as one.
                      Costs a lookup in the seen-set for each depth in use. For a durable frontier, fixed when its
                      directory is made; a later value is ignored. Not supported by a shared frontier */
    bool host_turns;     /* any frontier, bfs: hosts take turns regardless of the priority and depth of their requests,
                            which order only the requests of one host */
    uint64_t host_bytes; /* crawl_frontier_open: beyond this, hosts that nothing holds are on disk only */
} crawl_frontier_options;

/* Sets the defaults: bfs, scalable, 250 ms, 2; interval of 1000 ms, 256 MiB, 64 MiB, "", 256 MiB; else 0 and false. */
CRAWL_API void crawl_frontier_options_init(crawl_frontier_options *options, size_t size);

/* Creates a frontier in memory. CRAWL_EINVAL: an option out of range (error names it). CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_create(const crawl_frontier_options *options, crawl_frontier **out,
                                          crawl_error *error);
/* Frees the frontier; its outstanding leases end with it. A durable frontier is closed, regardless of what
 * crawl_frontier_close would return, and queues the requests of those leases when it is opened again. */
CRAWL_API void crawl_frontier_free(crawl_frontier *frontier);

/* Returns the maximum number of descriptors that the files of a durable frontier's queue take: 256, or a quarter of
 * RLIMIT_NOFILE. */
CRAWL_API unsigned crawl_frontier_files(void);

/* Opens a frontier in a directory, which is created if it does not exist. Everything that push accepted and done ended
 * is there in the next process, in the same order; so are the seen-set, the dates of requests, and the pause, block,
 * note and turn of hosts. Leases are not: requests that were leased when the process ended come again, with their
 * attempt unchanged. After an unclean shutdown every host waits for its pause from now_ms, and the turns of hosts begin
 * anew.
 *
 * order, seen and fingerprints are fixed when the directory is made; the other options are given at each open. Only one
 * process at a time can have a directory open, and only once.
 *
 * A build with CRAWL_DISK=OFF has no disk store: this and crawl_frontier_view_open return CRAWL_EINVAL, and error says
 * so.
 *
 * CRAWL_EINVAL: an option is out of range, or differs from the one the directory was made with (error names it).
 * CRAWL_ESTATE: open elsewhere. CRAWL_EIO: a file cannot be read or written. CRAWL_ECORRUPT: not a frontier's
 * directory, of another format, or damaged. CRAWL_ENOMEM. If RocksDB itself runs out of memory the process ends.
 * RocksDB's PerfContext is switched off in threads that call a durable frontier. */
CRAWL_API crawl_err crawl_frontier_open(const char *directory, const crawl_frontier_options *options, int64_t now_ms,
                                        crawl_frontier **out, crawl_error *error);

/* Writes everything to disk, with a snapshot of the seen-set and the position of every queue, so that opening is quick,
 * and frees the frontier. The frontier is gone whatever is returned: after CRAWL_EIO, CRAWL_ENOMEM or CRAWL_ECORRUPT
 * the directory is as a crash would have left it. */
CRAWL_API crawl_err crawl_frontier_close(crawl_frontier *frontier, crawl_error *error);

/* Durable: everything done before is on disk when this returns. In memory: does nothing. */
CRAWL_API crawl_err crawl_frontier_sync(crawl_frontier *frontier);

/* Reports whether a durable frontier has failed. One that cannot write or read its directory has failed for good: push,
 * push_urgent, pop, block, set_pause and notes return CRAWL_EIO or CRAWL_ECORRUPT and change nothing. done and start
 * still end and start leases; done returns the same error, and the request comes again. Nothing that was accepted is
 * lost: close the frontier and open it again once the cause is gone. CRAWL_OK: it has not failed; otherwise *error (may
 * be NULL) says why. */
CRAWL_API crawl_err crawl_frontier_failure(crawl_frontier *frontier, crawl_error *error);

/* A request to be queued. All slices are copied. */
typedef struct crawl_request {
    crawl_slice url; /* an http(s) URL as serialized by crawl_url_parse, without fragment: what is fetched */
    crawl_fingerprint fingerprint; /* of its canonical form */
    crawl_slice method;            /* empty: GET */
    crawl_slice headers;           /* "Name: value" lines, each ended by \n; empty: none */
    crawl_slice body;              /* empty: none */
    int32_t priority;              /* higher first */
    uint32_t depth;                /* links away from a seed */
    uint32_t tag;                  /* the caller's own; stored, never interpreted */
    crawl_slice memo;     /* the caller's own bytes, at most CRAWL_MEMO_MAX; stored, never interpreted; empty: none */
    bool revisit;         /* queue it even if seen; it is marked as seen all the same */
    bool any_depth;       /* with by_depth: ignores its depth; the request is marked as seen at depth 0 */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_request;

/* Maximum bytes of a memo. */
#define CRAWL_MEMO_MAX 4096u

/* The fate of a pushed request. */
typedef enum crawl_pushed {
    CRAWL_PUSHED_NEW = 0, /* queued */
    CRAWL_PUSHED_SEEN,    /* seen before; dropped */
    CRAWL_PUSHED_INVALID, /* not an http(s) URL, or a memo that is too long; dropped */
    CRAWL_PUSHED_FULL     /* max_queued or max_hosts; dropped, not marked seen */
} crawl_pushed;

/* Pushes a batch found on one page. parent (empty: none) is the URL of that page and is stored once for the batch.
 * results (NULL: not wanted) gets one crawl_pushed per request, *accepted (NULL: not wanted) the number queued; both
 * are written whatever is returned. CRAWL_FULL: some were dropped because of a maximum, see results. CRAWL_ENOMEM: some
 * may be queued, see results (the others are INVALID and not marked): push the rest again. CRAWL_EIO, CRAWL_ECORRUPT: a
 * durable frontier has failed, see crawl_frontier_failure; nothing is queued unless results says so, and with
 * CRAWL_SYNC_ALWAYS that need not be on disk. */
CRAWL_API crawl_err crawl_frontier_push(crawl_frontier *frontier, const crawl_request *requests, size_t count,
                                        crawl_slice parent, uint8_t *results, size_t *accepted, int64_t now_ms);

/* Counts this many requests as pushed and refused as seen. For callers who already know that they are. */
CRAWL_API void crawl_frontier_push_seen(crawl_frontier *frontier, uint64_t count);

/* Pushes a batch of URLs as written in a page or a list. Each is parsed, relative to parent if that is an http(s) URL,
 * and gets the fingerprint that crawl_fingerprint_request makes of its default canonical form. Everything else comes
 * from *like (NULL: all zeros), whose url and fingerprint are not read; fingerprints include the method and the body of
 * *like. fingerprinter is used only during the call. Results and errors as for crawl_frontier_push; a text that is not
 * an http(s) URL is CRAWL_PUSHED_INVALID. */
CRAWL_API crawl_err crawl_frontier_push_urls(crawl_frontier *frontier, crawl_fingerprinter *fingerprinter,
                                             const crawl_slice *urls, size_t count, const crawl_request *like,
                                             crawl_slice parent, uint8_t *results, size_t *accepted, int64_t now_ms);

/* Queues a request ahead of all others of its host, regardless of the seen-set and of a block of the host, but subject
 * to its pause and limit of leases: for what must come before anything else there, such as robots.txt. It is not marked
 * as seen. Urgent requests come by priority, then first come, first served. CRAWL_EINVAL: not an http(s) URL, or a memo
 * that is too long. CRAWL_ENOMEM. CRAWL_EIO, CRAWL_ECORRUPT: as push. */
CRAWL_API crawl_err crawl_frontier_push_urgent(crawl_frontier *frontier, const crawl_request *request, int64_t now_ms);

/* A request handed out by pop. Slices are borrowed until done. */
typedef struct crawl_lease {
    uint64_t id;
    crawl_slice url;
    crawl_slice origin;
    crawl_fingerprint fingerprint;
    crawl_slice method; /* never empty */
    crawl_slice headers;
    crawl_slice body;
    crawl_slice parent;
    int32_t priority;
    uint32_t depth;
    uint32_t tag;
    crawl_slice memo;
    uint32_t attempt; /* 1, plus 1 for each lease of this visit that ended in a retry; stops at 65536 */
    uint32_t visit;   /* 1, plus 1 for each crawl_frontier_done_again */
    bool urgent;
    bool session_ends; /* with options.sessions, if more hosts than kept_open have requests: other hosts come before the
                          next request of this one */
    bool nearer; /* with by_depth: the request, no revisit, was since queued again at less depth, so nothing need be
                    fetched: CRAWL_DONE_FORGET may follow at once, since the nearer one decides how long it is seen */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_lease;

/* Leases the best request of the hosts that may be asked now. CRAWL_AGAIN: none now; *wait_ms (NULL: not wanted) is the
 * time until one may be ready, CRAWL_FOREVER if only done, push or a lifted block can bring one. CRAWL_DRAINED: nothing
 * is queued or leased. CRAWL_ENOMEM: nothing changed. CRAWL_EIO, CRAWL_ECORRUPT: a durable frontier has failed. A
 * durable frontier may read a batch of requests of one host from disk here. */
CRAWL_API crawl_err crawl_frontier_pop(crawl_frontier *frontier, int64_t now_ms, crawl_lease *lease, int64_t *wait_ms);

/* Leases a request of one host, even if it is not that host's turn; origin as in crawl_lease. For callers who choose
 * the host themselves, or who take several requests of the host that pop gave. Pause, limit of leases and block apply
 * as in pop. CRAWL_AGAIN: as pop, for this host. CRAWL_DRAINED: the host is not known, or none of its requests is
 * queued or leased. */
CRAWL_API crawl_err crawl_frontier_pop_host(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms,
                                            crawl_lease *lease, int64_t *wait_ms);

/* Reports that the request of this lease now leaves for its host: the pause runs from here. Only with confirm_start.
 * CRAWL_ESTATE: no such lease, or already started. */
CRAWL_API crawl_err crawl_frontier_start(crawl_frontier *frontier, uint64_t lease, int64_t now_ms);

/* Parks a lease whose answer has arrived but takes long to process: the lease stays out, but no longer counts towards
 * the limit of its host. done ends it as usual. CRAWL_ESTATE: no such lease, not started, or already parked. */
CRAWL_API crawl_err crawl_frontier_park(crawl_frontier *frontier, uint64_t lease, int64_t now_ms);

/* How a lease ends. */
typedef enum crawl_outcome {
    CRAWL_DONE_FINISHED, /* fetched or refused for good */
    CRAWL_DONE_RETRY,    /* again at at_ms; counts as an attempt */
    CRAWL_DONE_RETURN,   /* back to its place, at at_ms; does not count as an attempt: the host was not asked */
    CRAWL_DONE_FORGET,   /* as finished, and removed from the seen-set at at_ms if that can forget (counting, table,
                            exact, digest): a link found from then on queues it again, an earlier one does not.
                            CRAWL_FOREVER: never. Counting and table keep what was seen before a revisit was pushed */
    CRAWL_DONE_LATER     /* as RETURN; in a shared crawl, for its next run (<crawl/sys/shared.h>) */
} crawl_outcome;

/* Ends a lease; never fails for lack of memory. at_ms is not read for FINISHED; a date in the past means now. A request
 * that comes back keeps its place in the order. CRAWL_ESTATE: no such lease. CRAWL_EINVAL: no such outcome.
 *
 * Each request that waits to be forgotten takes 40 to 50 bytes of memory; in a durable frontier 45 bytes on disk, where
 * it outlives the process. A push forgets everything due at its now_ms, other calls a bounded part of it. */
CRAWL_API crawl_err crawl_frontier_done(crawl_frontier *frontier, uint64_t lease, crawl_outcome outcome, int64_t at_ms,
                                        int64_t now_ms);

/* Ends a lease as FINISHED does and queues the request for its next visit, at at_ms: with the visit counted, attempts
 * from 1 again, and this memo (which may be the lease's own) in place of the old one. It stays seen: links to it found
 * meanwhile are dropped (a rotating set forgets by itself). It is placed behind all requests pushed before it that have
 * its priority and, breadth first, its depth; with CRAWL_ORDER_DFS it keeps its place. max_queued does not refuse it. A
 * date in the past means now. CRAWL_ESTATE: no such lease. CRAWL_EINVAL: memo is longer than CRAWL_MEMO_MAX, or the
 * request is urgent. CRAWL_ENOMEM. After these nothing has changed, and the lease is still out: crawl_frontier_done
 * ends it. CRAWL_EIO, CRAWL_ECORRUPT: as done. */
CRAWL_API crawl_err crawl_frontier_done_again(crawl_frontier *frontier, uint64_t lease, int64_t at_ms, crawl_slice memo,
                                              int64_t now_ms);

/* Blocks a host until until_ms (CRAWL_FOREVER: until set again; 0: unblocks it), except for urgent requests.
 *
 * This and the next two calls take an origin as in crawl_lease and make an unknown host known. CRAWL_EINVAL: not an
 * origin. CRAWL_ENOMEM: unchanged. */
CRAWL_API crawl_err crawl_frontier_block(crawl_frontier *frontier, crawl_slice origin, int64_t until_ms,
                                         int64_t now_ms);
/* Sets the pause of this host; negative: the frontier's again. */
CRAWL_API crawl_err crawl_frontier_set_pause(crawl_frontier *frontier, crawl_slice origin, int64_t pause_ms,
                                             int64_t now_ms);

/* Sets how many consecutive turns this host gets for each turn of a host whose share is 1, the default. Applies with
 * CRAWL_ORDER_BFS, among requests of one priority and depth of hosts that may be asked. CRAWL_EINVAL also: bad
 * share. */
CRAWL_API crawl_err crawl_frontier_set_share(crawl_frontier *frontier, crawl_slice origin, uint32_t share,
                                             int64_t now_ms);
#define CRAWL_SHARE_MAX 1000u

/* Stores the caller's own bytes under a name, as long as the frontier exists. The name is an origin, for something that
 * belongs to a host (such as the verdict of its robots.txt), empty, or any text that begins with "#". An empty note
 * removes it. The host need not be known, and does not become known. A durable frontier keeps notes on disk only.
 * CRAWL_EINVAL: no such name, or a name or note of more than CRAWL_NOTE_MAX bytes. CRAWL_ENOMEM: unchanged. */
CRAWL_API crawl_err crawl_frontier_note_set(crawl_frontier *frontier, crawl_slice name, crawl_slice note);

/* A note and its name. */
typedef struct crawl_note {
    crawl_slice name;
    crawl_slice note;
} crawl_note;

/* Stores many notes, in order. A durable frontier writes all or none; others keep those before a failure. */
CRAWL_API crawl_err crawl_frontier_notes_set(crawl_frontier *frontier, const crawl_note *notes, size_t count);
/* Appends the note. CRAWL_ABSENT: there is none. */
CRAWL_API crawl_err crawl_frontier_note_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note);
/* Calls each for every note whose name begins with prefix, until it returns false. A durable frontier passes the notes
 * as they were at the call, in the order of names, with no lock held. A frontier in memory passes them in no order,
 * under its lock, so `each` must not call it. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_notes(crawl_frontier *frontier, crawl_slice prefix,
                                         bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user);
/* As crawl_frontier_notes of a durable frontier, starting at the name after `after` in byte order; empty: at the first.
 * For walking over many notes in steps. CRAWL_ESTATE: the frontier is not durable, and `after` is not empty. */
CRAWL_API crawl_err crawl_frontier_notes_after(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after,
                                               bool (*each)(crawl_slice name, crawl_slice note, void *user),
                                               void *user);
#define CRAWL_NOTE_MAX (1u << 20)

/* The current figures of a frontier, unless said otherwise. */
typedef struct crawl_frontier_stats {
    uint64_t queued; /* ready or delayed, urgent ones included */
    uint64_t leased;
    uint64_t hosts;         /* known */
    uint64_t hosts_queued;  /* with something queued */
    uint64_t hosts_blocked; /* blocked, with something queued */
    uint64_t pushed;        /* offered to push, urgent ones excluded */
    uint64_t accepted;      /* queued by push */
    uint64_t seen;          /* refused as already seen */
    uint64_t full;          /* refused by max_queued or max_hosts */
    uint64_t finished;      /* leases ended by FINISHED, FORGET or done_again, urgent ones excluded */
    uint64_t again;         /* of these, by done_again */
    uint64_t revisits;   /* queued with a visit above 1. Equal to queued with nothing leased: only revisits are left */
    uint64_t forgetting; /* finished, to be forgotten at a date */
    uint64_t bytes;      /* memory held, the seen-set and the database's buffers excluded */
    uint64_t disk_bytes; /* durable: files of the database, its write-ahead log and the seen-set excluded */
    crawl_bloom_stats filter;
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_frontier_stats;

/* Returns the figures at this time. */
CRAWL_API void crawl_frontier_stats_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_stats *out);

/* The state of a host with queued requests. */
typedef enum crawl_standing {
    CRAWL_STANDING_READY,   /* may be asked now */
    CRAWL_STANDING_PAUSED,  /* its pause is not over */
    CRAWL_STANDING_BUSY,    /* has all the leases it may have, one not started, or one that will lift its block */
    CRAWL_STANDING_BLOCKED, /* by crawl_frontier_block */
    CRAWL_STANDING_DATED,   /* all its requests are for a later date */
    CRAWL_STANDING_COUNT
} crawl_standing;
/* Size of arrays indexed by crawl_standing in structs, with room for later values. */
#define CRAWL_STANDING_ROOM 8u

#define CRAWL_HELD_ORIGIN 272 /* no DNS name makes a longer origin */

/* A host and its standing. */
typedef struct crawl_held_host {
    char origin[CRAWL_HELD_ORIGIN]; /* NUL-terminated; truncated if longer */
    crawl_standing standing;
    uint64_t queued;
    int64_t opens_ms;     /* when it may be asked; CRAWL_FOREVER: not by time alone */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_held_host;

/* Maximum number of hosts named that are held and have most requests queued. */
#define CRAWL_HELD_HOSTS 3u

/* The reasons why the queue waits, as of the last pop. */
typedef struct crawl_frontier_binding {
    uint64_t queued;
    uint64_t leased;
    uint64_t hosts[CRAWL_STANDING_ROOM]; /* with something queued */
    int64_t due_ms;      /* the earliest time that changes something; CRAWL_FOREVER: time alone changes nothing */
    crawl_held_host due; /* the host that due_ms belongs to; zeros if there is none */
    /* The paused, busy and blocked hosts with most requests queued, most first. Exact for up to 16 such hosts; beyond
     * that, a host not examined since others shrank may be missing. */
    crawl_held_host most_queued[CRAWL_HELD_HOSTS];
    unsigned most_queued_count;
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_frontier_binding;

/* Returns the binding. Takes constant time, even with millions of hosts. */
CRAWL_API void crawl_frontier_binding_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_binding *out);

/* Calls each for up to 1024 hosts in memory, starting at *cursor (0 for the first), which it advances. Includes hosts
 * with nothing queued (standing is then CRAWL_STANDING_COUNT). Runs under the frontier's lock, so `each` must not call
 * the frontier. CRAWL_OK: there are more. CRAWL_DRAINED: that was the last host, or `each` returned false. A host may
 * be reported twice or be missing if hosts become known between two calls. */
CRAWL_API crawl_err crawl_frontier_hosts(crawl_frontier *frontier, int64_t now_ms, size_t *cursor,
                                         bool (*each)(const crawl_held_host *host, void *user), void *user);
/* Returns one host, also from disk. CRAWL_ABSENT: not known. CRAWL_ENOMEM, CRAWL_EIO, CRAWL_ECORRUPT. */
CRAWL_API crawl_err crawl_frontier_host_get(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms,
                                            crawl_held_host *out);

/* Asks `each`, under the rules of crawl_frontier_hosts, about every request of a host that waits for a further visit.
 * If it returns true, the request is due now, with *memo as its memo. *hastened (NULL: not wanted): their number.
 * CRAWL_ESTATE: a shared frontier. CRAWL_ENOMEM, CRAWL_EIO, CRAWL_ECORRUPT: the others are unchanged. */
CRAWL_API crawl_err crawl_frontier_hasten(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms,
                                          bool (*each)(const crawl_lease *request, crawl_slice *memo, void *user),
                                          void *user, uint64_t *hastened);

/* Maximum number of requests, and of hosts, for crawl_frontier_next_visit: more would hold the lock for too long. */
#define CRAWL_NEXT_VISIT_MAX 100000u

/* Finds the earliest due date of the requests queued with a visit above 1, as counted by crawl_frontier_stats; now_ms
 * if one is due. Examines each queued request. CRAWL_ABSENT: there is none. CRAWL_FULL: not known, since more than
 * CRAWL_NEXT_VISIT_MAX are queued, or some of them are on disk only. */
CRAWL_API crawl_err crawl_frontier_next_visit(crawl_frontier *frontier, int64_t now_ms, int64_t *due_ms);

/* A read-only view of a durable frontier's directory as it is now. Locks nobody out, and works while a process has the
 * directory open, whose later writes it does not see. CRAWL_EIO if that process drops files: open a new view. */
typedef struct crawl_frontier_view crawl_frontier_view;

/* Opens a view. CRAWL_EIO: cannot be read. CRAWL_ECORRUPT: not a frontier's directory, of another format, or damaged.
 * CRAWL_EINVAL: this build has no disk store. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_view_open(const char *directory, crawl_frontier_view **out, crawl_error *error);
CRAWL_API void crawl_frontier_view_free(crawl_frontier_view *view);

/* The whole crawl, as stored in its directory. */
typedef struct crawl_frontier_summary {
    crawl_order order;
    crawl_bloom_options seen;    /* as the directory was made with */
    crawl_slice fingerprints;    /* borrowed from the view */
    bool clean;                  /* it was closed, and no process has it open */
    uint64_t pushed, accepted;   /* as in crawl_frontier_stats, at the last push that took something */
    uint64_t seen_refused, full; /* crawl_frontier_stats.seen and .full */
    uint64_t again;              /* as in crawl_frontier_stats */
    uint64_t revisits;           /* queued with a visit above 1, leased ones included */
    uint64_t forgetting;         /* as in crawl_frontier_stats */
    uint64_t hosts;              /* with a record */
    uint64_t snapshot;           /* number of the last batch in the snapshot of the seen-set; 0: there is none */
    uint64_t bytes;              /* files of the database */
} crawl_frontier_summary;

/* Returns the summary, borrowed from the view. */
CRAWL_API const crawl_frontier_summary *crawl_frontier_view_summary(const crawl_frontier_view *view);

/* A host as stored on disk: dates are those of its last block, pause or close. */
typedef struct crawl_frontier_host {
    crawl_slice origin;
    int64_t pause_ms;   /* negative: the frontier's */
    int64_t blocked_ms; /* date; INT64_MIN: never blocked */
    int64_t started_ms; /* last recorded start; INT64_MIN: none */
    uint32_t share;
    uint64_t ready; /* requests, leased ones included */
    uint64_t delayed;
    uint64_t urgent; /* of both */
    bool has_note;
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_frontier_host;

/* Calls each for every host, in the order in which they became known. Counts by walking over all keys of the queue. A
 * callback that returns false ends the walk. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_view_hosts(crawl_frontier_view *view,
                                              bool (*each)(const crawl_frontier_host *host, void *user), void *user,
                                              crawl_error *error);

/* Returns one host without reading its queue: counts and has_note are 0, origin is the one given. CRAWL_ABSENT. */
CRAWL_API crawl_err crawl_frontier_view_host(crawl_frontier_view *view, crawl_slice origin, crawl_frontier_host *out,
                                             crawl_error *error);

/* Calls each for every queued request, host after host, in the order of each host: urgent ones, ready ones, then
 * delayed ones by date. The lease's id is 0; due_ms is INT64_MIN for ready requests. origin: of one host; empty: of
 * all. Slices are valid during the callback. */
CRAWL_API crawl_err crawl_frontier_view_requests(crawl_frontier_view *view, crawl_slice origin,
                                                 bool (*each)(const crawl_lease *request, int64_t due_ms, void *user),
                                                 void *user, crawl_error *error);

/* Calls for notes as crawl_frontier_notes does. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_view_notes(crawl_frontier_view *view, crawl_slice prefix,
                                              bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user,
                                              crawl_error *error);

/* Returns the figures of the seen-set. The first of these calls loads it from its snapshot and log and keeps it in
 * memory. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_view_filter(crawl_frontier_view *view, crawl_bloom_stats *out, crawl_error *error);
/* Looks up a fingerprint in the seen-set. Returns CRAWL_EXISTS, with the result of crawl_bloom_find in *where (NULL:
 * not wanted), or CRAWL_ABSENT; otherwise as crawl_frontier_view_filter. */
CRAWL_API crawl_err crawl_frontier_view_seen(crawl_frontier_view *view, const crawl_fingerprint *fingerprint,
                                             crawl_bloom_found *where, crawl_error *error);
/* Forgets in this view what the next run would forget at this time. Otherwise as crawl_frontier_view_filter. */
CRAWL_API crawl_err crawl_frontier_view_forget_due(crawl_frontier_view *view, int64_t now_ms, crawl_error *error);

/* Verifies the invariants, counts violations and reports a thousand of them: records can be read; each queued request
 * belongs to a host with a record, to its range by its origin, and has the right key; the figures agree; after a clean
 * shutdown, each host's record says how many requests are queued and where they begin; the seen-set's log has no gap;
 * each queued request is in the seen-set, except those pushed as revisits and those of a set that forgets by itself;
 * only revisits are queued twice. Holds the seen-set and 43 bytes per queued request. CRAWL_EIO as above. */
CRAWL_API crawl_err crawl_frontier_view_check(crawl_frontier_view *view,
                                              void (*report)(const char *violation, void *user), void *user,
                                              uint64_t *violations, crawl_error *error);

/* Looks up a fingerprint in the seen-set. Returns CRAWL_EXISTS or CRAWL_ABSENT. */
CRAWL_API crawl_err crawl_frontier_seen(crawl_frontier *frontier, const crawl_fingerprint *fingerprint);

/* Appends a line "NAME VERSION" for each library that a frontier uses: RocksDB, in the version of the build ("none:
 * ..." in a build without the disk store), and libcrypto and xxHash as loaded. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_libraries(crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif
