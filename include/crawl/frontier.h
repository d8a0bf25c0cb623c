/* The frontier: what to fetch next, and when.
 *
 * It holds requests, the set of those seen, and a queue per host (an origin, "scheme://host:port") with the host's
 * pause, its limit at once and its block. A request is ready, delayed, leased or done; a host is idle, ready, waiting,
 * busy or blocked. pop hands out a lease; the lease is exclusive until done ends it.
 *
 * The frontier knows when, never why: robots rules, retries and reasons reach it as a block, a date or an urgent
 * request. It reads no clock: now_ms is any clock that does not go back, the same for all calls. A now_ms earlier than
 * one given before, as threads may pass it, is taken as that one; waits are told from the caller's own. Of a durable
 * frontier, dates outlive the process: its clock must be one that does too (CLOCK_REALTIME).
 *
 * Two backends behind the same calls: in memory (crawl_frontier_create), and durable in a directory
 * (crawl_frontier_open).
 *
 * Thread-safe. on_ready is called with no lock held; the other callbacks are those of walks, within the call. Any lock
 * of a caller's comes before the frontier's, and the frontier's before those of its store: a call may be made under a
 * lock of one's own that no callback takes. One of a durable frontier may read and write files under the frontier's
 * lock. */
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

/* The queue of a crawl: what to fetch next, and when. */
typedef struct crawl_frontier crawl_frontier;

/* In which order requests come. */
typedef enum crawl_order {
    CRAWL_ORDER_BFS, /* by priority, then depth; then hosts take turns, and within a host first come first served. A
                        durable frontier with more hosts than window_bytes / 4096 has them take turns in sessions of up
                        to 16 turns, window_bytes / 4096 hosts at once; hosts that have such requests and may be asked
                        then differ by 16 turns at most */
    CRAWL_ORDER_DFS, /* by priority, then the youngest batch first, within it in its order: a branch is followed to its
                        end */
    CRAWL_ORDER_BEST /* by priority, then first come first served */
} crawl_order;

/* When what a durable frontier wrote reaches the disk. A process that is killed loses nothing in any case. */
typedef enum crawl_sync {
    CRAWL_SYNC_INTERVAL, /* within sync_ms, by a thread of the frontier's: so much may be lost at a power cut, from its
                            end */
    CRAWL_SYNC_ALWAYS,   /* before push, done and their like return; threads share the syncs */
    CRAWL_SYNC_NEVER     /* when the system pleases */
} crawl_sync;

/* Depths that are told apart with by_depth. */
#define CRAWL_DEPTHS_MAX 64u

/* Options of a frontier; init has the defaults. */
typedef struct crawl_frontier_options {
    size_t size; /* sizeof(crawl_frontier_options): init sets it */
    crawl_order order;
    crawl_bloom_options seen; /* the set of requests seen */
    int64_t pause_ms;         /* least time between the starts of two requests to one host, 0 and up */
    unsigned per_host;        /* leases at once of one host, 1 and up */
    bool confirm_start;  /* true: the pause runs from crawl_frontier_start, and a host gives no second lease while one
                            has not been started; false: the pause runs from pop */
    uint64_t max_queued; /* requests in the queue; beyond it push answers CRAWL_FULL; 0: no limit. Urgent ones and those
                            that come back from a lease are queued all the same */
    uint64_t max_hosts;  /* hosts known; push answers CRAWL_FULL for requests of further ones, which wildcard names
                            make without end; 0: no limit */
    void (*on_ready)(void *user); /* something may be poppable sooner than pop said; from any thread. May be NULL */
    void *user;
    /* For crawl_frontier_open alone: */
    crawl_sync sync;
    uint32_t sync_ms;         /* 1 to 3,600,000 */
    uint64_t window_bytes;    /* memory for requests that are about to be leased, 1 MiB and up */
    uint64_t cache_bytes;     /* memory for blocks of the database, 1 MiB and up */
    const char *fingerprints; /* what fingerprints are made of: any text that changes when they do; NULL: "" */
    uint32_t sessions; /* of any frontier, bfs: hosts that take turns at once, for up to 16 turns each, before others of
                          the same priority and depth; no host that may be asked waits while none of them may be. For
                          callers who keep something open for a host, as a connection. 0: all hosts, but of a durable
                          frontier window_bytes / 4096, and never more */
    uint32_t kept_open; /* with sessions: hosts for which the caller can keep something open. A session that is over is
                           told of only where more have requests: the caller is to close nothing before. 0: sessions */
    bool by_depth;   /* a request that comes again at less depth than before is queued again: for a crawl that ends at
                        a depth, since it may find a page by a longer way first. Depths from CRAWL_DEPTHS_MAX on are
                        one. Costs a look into the seen-set for each depth above that of a request. Of a durable
                        frontier, decided when its directory is made, and kept whatever is given later. A shared one
                        does not */
    bool host_turns; /* of any frontier, bfs: hosts take turns whatever the priority and depth of what they have: these
                        order the requests of one host alone */
    uint64_t host_bytes; /* of crawl_frontier_open: beyond it, hosts that nothing holds are on disk alone */
} crawl_frontier_options;

/* bfs, scalable, 250 ms, 2; interval of 1000 ms, 256 MiB, 64 MiB, "", 256 MiB; else 0 and false. */
CRAWL_API void crawl_frontier_options_init(crawl_frontier_options *options, size_t size);

/* CRAWL_EINVAL: an option out of its range (error names it). CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_create(const crawl_frontier_options *options, crawl_frontier **out,
                                          crawl_error *error);
/* Leases that are out die with it; of a durable frontier, their requests are queued when it is opened again. A durable
 * one is closed, whatever crawl_frontier_close would answer. */
CRAWL_API void crawl_frontier_free(crawl_frontier *frontier);

/* Descriptors that the files of a durable frontier's queue take at most: 256, or a quarter of RLIMIT_NOFILE. */
CRAWL_API unsigned crawl_frontier_files(void);

/* The same frontier in a directory, which is made if it is not there: a new one, or the one kept there. All that push
 * accepted and done ended is there in the next process, in the same order; so are the seen-set, the dates of
 * requests, and of hosts the pause, block, note and turn. Leases are not: what was out when the process ended comes
 * again, with the attempt it had. After a process that did not close the frontier, every host is asked at its pause
 * from now_ms at the soonest, and turns of hosts begin anew.
 *
 * order, seen and fingerprints are decided when the directory is made, the other options whenever it is opened. One
 * process at a time can have a directory open, once.
 *
 * A build with CRAWL_DISK=OFF has no disk store: this and crawl_frontier_view_open answer CRAWL_EINVAL, and error says
 * so.
 *
 * CRAWL_EINVAL: an option out of its range, or another than the directory was made with (error names it). CRAWL_ESTATE:
 * open elsewhere. CRAWL_EIO: a file cannot be read or written. CRAWL_ECORRUPT: not a frontier's directory, of another
 * format, or damaged. CRAWL_ENOMEM. Where RocksDB itself finds no memory the process ends. Threads that call a durable
 * frontier have RocksDB's PerfContext switched off. */
CRAWL_API crawl_err crawl_frontier_open(const char *directory, const crawl_frontier_options *options, int64_t now_ms,
                                        crawl_frontier **out, crawl_error *error);

/* Brings all to the disk, with a snapshot of the seen-set and the place of every queue, so that opening is quick; and
 * frees. The frontier is gone whatever is answered: after CRAWL_EIO, CRAWL_ENOMEM or CRAWL_ECORRUPT the directory is as
 * a crash would have left it. */
CRAWL_API crawl_err crawl_frontier_close(crawl_frontier *frontier, crawl_error *error);

/* Durable: all that was done before is on the disk when this returns. In memory: does nothing. */
CRAWL_API crawl_err crawl_frontier_sync(crawl_frontier *frontier);

/* A durable frontier that cannot write or read its directory has failed for good: push, push_urgent, pop, block,
 * set_pause and notes answer CRAWL_EIO or CRAWL_ECORRUPT and change nothing. done and start still end and start leases,
 * done with the same answer: the request comes again. Nothing that was accepted is lost: close it and open it again
 * when the reason is gone. CRAWL_OK: it has not failed; otherwise *error (may be NULL) says why. */
CRAWL_API crawl_err crawl_frontier_failure(crawl_frontier *frontier, crawl_error *error);

/* A request to be queued. All slices are copied. */
typedef struct crawl_request {
    crawl_slice url;               /* what is fetched: an http(s) URL serialized by crawl_url_parse, without fragment */
    crawl_fingerprint fingerprint; /* of its canonical form */
    crawl_slice method;            /* empty: GET */
    crawl_slice headers;           /* "Name: value" lines, each ended by \n; empty: none */
    crawl_slice body;              /* empty: none */
    int32_t priority;              /* higher first */
    uint32_t depth;                /* links away from a seed */
    uint32_t tag;                  /* the caller's own; carried, never read */
    crawl_slice memo;     /* bytes of the caller's own, at most CRAWL_MEMO_MAX; carried, never read; empty: none */
    bool revisit;         /* queue it even if seen; it is marked seen all the same */
    bool any_depth;       /* with by_depth: its depth does not count; it is seen as if it were found at depth 0 */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_request;

/* The most bytes of a memo. */
#define CRAWL_MEMO_MAX 4096u

/* The fate of a request that was pushed. */
typedef enum crawl_pushed {
    CRAWL_PUSHED_NEW = 0, /* queued */
    CRAWL_PUSHED_SEEN,    /* seen before; dropped */
    CRAWL_PUSHED_INVALID, /* not an http(s) URL, or a memo that is too long; dropped */
    CRAWL_PUSHED_FULL     /* max_queued or max_hosts; dropped, not marked seen */
} crawl_pushed;

/* Pushes a batch, all found on one page: parent (empty: none) is that page's URL and is stored once for all of them.
 * results (NULL: not wanted) gets one crawl_pushed per request, *accepted (NULL: not wanted) the number queued; both
 * are written whatever is returned. CRAWL_FULL: some were dropped for a maximum, as results say. CRAWL_ENOMEM: some may
 * be in, as results say (the others INVALID, and not marked): push again what is left. CRAWL_EIO, CRAWL_ECORRUPT: a
 * durable frontier that has failed, see crawl_frontier_failure; nothing is in unless results say so, which with
 * CRAWL_SYNC_ALWAYS need not be on the disk. */
CRAWL_API crawl_err crawl_frontier_push(crawl_frontier *frontier, const crawl_request *requests, size_t count,
                                        crawl_slice parent, uint8_t *results, size_t *accepted, int64_t now_ms);

/* Counts so many requests as pushed and refused as seen, of which the caller knows already that they are. */
CRAWL_API void crawl_frontier_push_seen(crawl_frontier *frontier, uint64_t count);

/* Pushes a batch of URLs as they stand in a page or a list: each is parsed, relative to parent where that is an http(s)
 * URL, and its fingerprint is that of crawl_fingerprint_request over its default canonical form. All else of the
 * requests is as in *like (NULL: all zeros), whose url and fingerprint are not read; a fingerprint counts the method
 * and the body of *like. fingerprinter is used within the call. Results and errors as of crawl_frontier_push; a text
 * that is no http(s) URL is CRAWL_PUSHED_INVALID. */
CRAWL_API crawl_err crawl_frontier_push_urls(crawl_frontier *frontier, crawl_fingerprinter *fingerprinter,
                                             const crawl_slice *urls, size_t count, const crawl_request *like,
                                             crawl_slice parent, uint8_t *results, size_t *accepted, int64_t now_ms);

/* Queues a request ahead of all others of its host, past the seen-set and past a block of the host, but within its
 * pause and limit at once: for what must come before anything else there, as robots.txt does. It is not marked seen.
 * Among urgent requests: by priority, then first come first served. CRAWL_EINVAL: not an http(s) URL, or a memo that is
 * too long. CRAWL_ENOMEM. CRAWL_EIO, CRAWL_ECORRUPT: as push. */
CRAWL_API crawl_err crawl_frontier_push_urgent(crawl_frontier *frontier, const crawl_request *request, int64_t now_ms);

/* A request that pop hands out. Slices are borrowed until done. */
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
    uint32_t attempt; /* 1, and 1 more for each lease of this visit that ended in a retry; stops at 65536 */
    uint32_t visit;   /* 1, and 1 more for each crawl_frontier_done_again */
    bool urgent;
    bool session_ends;    /* with options.sessions and where more hosts than kept_open have requests: other hosts come
                             before the next request of this one */
    bool nearer;          /* with by_depth: since it was queued it was queued again at less depth, so that nothing need
                             be fetched here; done may follow at once */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_lease;

/* The best request among the hosts that may be asked now. CRAWL_OK: *lease. CRAWL_AGAIN: none now; *wait_ms (NULL: not
 * wanted) is the time until one may be, at most CRAWL_FOREVER when only done, push or a lifted block can bring one.
 * CRAWL_DRAINED: nothing is queued or leased. CRAWL_ENOMEM: nothing changed. CRAWL_EIO, CRAWL_ECORRUPT: a durable
 * frontier that has failed. A durable one may read from its disk here, a batch of requests of one host. */
CRAWL_API crawl_err crawl_frontier_pop(crawl_frontier *frontier, int64_t now_ms, crawl_lease *lease, int64_t *wait_ms);

/* The same of one host alone, whose turn it need not be; origin as in crawl_lease. For callers who choose the host
 * themselves, or who take several requests of the host that pop gave. Pause, limit at once and block hold as in pop.
 * CRAWL_AGAIN: as pop, of this host. CRAWL_DRAINED: the host is not known, or nothing of it is queued or leased. */
CRAWL_API crawl_err crawl_frontier_pop_host(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms,
                                            crawl_lease *lease, int64_t *wait_ms);

/* The request of this lease is leaving for its host now: the pause runs from here. Only with confirm_start.
 * CRAWL_ESTATE: no such lease, or started before. */
CRAWL_API crawl_err crawl_frontier_start(crawl_frontier *frontier, uint64_t lease, int64_t now_ms);

/* The answer to this lease is there, and takes long to be worked on: the lease stays out, but no longer counts among
 * those of its host at once. done ends it as any. CRAWL_ESTATE: no such lease, not started, or parked before. */
CRAWL_API crawl_err crawl_frontier_park(crawl_frontier *frontier, uint64_t lease, int64_t now_ms);

/* How a lease ends. */
typedef enum crawl_outcome {
    CRAWL_DONE_FINISHED, /* fetched or refused for good */
    CRAWL_DONE_RETRY,    /* again at at_ms; counts as an attempt */
    CRAWL_DONE_RETURN,   /* back to where it was, at at_ms; does not count: it was not asked */
    CRAWL_DONE_FORGET,   /* as finished, and at at_ms taken out of the seen-set where that can forget (counting, table,
                            exact, digest): a link found again from then on brings it back, none before. CRAWL_FOREVER:
                            never. Counting and table keep what was seen before a revisit was pushed */
    CRAWL_DONE_LATER     /* as RETURN; in a crawl that processes share, for its next run (<crawl/sys/shared.h>) */
} crawl_outcome;

/* Ends a lease; never fails for want of memory. at_ms is not read for FINISHED; a date in the past means now. A
 * request that comes back keeps its place in the order. CRAWL_ESTATE: no such lease. CRAWL_EINVAL: no such outcome.
 *
 * A request that waits to be forgotten takes 40 to 50 bytes in memory each; of a durable frontier 45 on disk, where it
 * outlives the process. A push forgets all that is due at its now_ms, other calls a bounded part of it. */
CRAWL_API crawl_err crawl_frontier_done(crawl_frontier *frontier, uint64_t lease, crawl_outcome outcome, int64_t at_ms,
                                        int64_t now_ms);

/* Ends a lease as FINISHED does and queues the request for its next visit, at at_ms: with the visit counted, attempts
 * from 1 on, and this memo (which may be the lease's own) in place of the one before. It stays seen: links found to it
 * meanwhile are dropped (a rotating set forgets by itself). Its place is behind all that were pushed before it, of its
 * priority and, breadth first, depth; under CRAWL_ORDER_DFS the one it had. max_queued does not refuse it. A date in
 * the past means now. CRAWL_ESTATE: no such lease. CRAWL_EINVAL: memo is longer than CRAWL_MEMO_MAX, or the lease is of
 * an urgent request. CRAWL_ENOMEM. After these nothing has changed, and the lease is still out: crawl_frontier_done
 * ends it. CRAWL_EIO, CRAWL_ECORRUPT: as done. */
CRAWL_API crawl_err crawl_frontier_done_again(crawl_frontier *frontier, uint64_t lease, int64_t at_ms, crawl_slice memo,
                                              int64_t now_ms);

/* Per host; origin as in crawl_lease. A host not known yet is made known. CRAWL_EINVAL: no origin. CRAWL_ENOMEM:
 * unchanged.
 *
 * No lease before until_ms (CRAWL_FOREVER: until set again; 0: lifted), urgent requests excepted. */
CRAWL_API crawl_err crawl_frontier_block(crawl_frontier *frontier, crawl_slice origin, int64_t until_ms,
                                         int64_t now_ms);
/* The pause of this host alone; negative: the frontier's again. */
CRAWL_API crawl_err crawl_frontier_set_pause(crawl_frontier *frontier, crawl_slice origin, int64_t pause_ms,
                                             int64_t now_ms);

/* How many turns this host gets, one after the other, for one of a host whose share is 1; 1 unless set. It holds under
 * CRAWL_ORDER_BFS, among requests of one priority and depth of hosts that may be asked. CRAWL_EINVAL also: no share. */
CRAWL_API crawl_err crawl_frontier_set_share(crawl_frontier *frontier, crawl_slice origin, uint32_t share,
                                             int64_t now_ms);
#define CRAWL_SHARE_MAX 1000u

/* Bytes of the caller's own that are kept under a name, as long as the frontier is. The name is an origin, for what
 * belongs to a host (the verdict of its robots.txt, say), empty, or any text that begins with "#". An empty note: none.
 * The host need not be known, and does not become so. A durable frontier keeps them on disk alone. CRAWL_EINVAL: no
 * such name, or name or note of more than CRAWL_NOTE_MAX bytes. CRAWL_ENOMEM: unchanged. */
CRAWL_API crawl_err crawl_frontier_note_set(crawl_frontier *frontier, crawl_slice name, crawl_slice note);

/* A note, and the name that it is kept under. */
typedef struct crawl_note {
    crawl_slice name;
    crawl_slice note;
} crawl_note;

/* The same of many at once, in their order, which a durable frontier writes as one: all or none. In other frontiers
 * those before a failure stand. */
CRAWL_API crawl_err crawl_frontier_notes_set(crawl_frontier *frontier, const crawl_note *notes, size_t count);
/* Appends it. CRAWL_ABSENT: there is none. */
CRAWL_API crawl_err crawl_frontier_note_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note);
/* Calls for each note whose name begins with prefix, until one call answers false. A durable frontier gives them as
 * they are when it is called, in the order of names, with no lock held; one in memory in no order, under its lock:
 * `each` must not call it then. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_notes(crawl_frontier *frontier, crawl_slice prefix,
                                         bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user);
/* The same of a durable frontier, from the name behind `after` on in the order of bytes; empty: from the first. For a
 * walk over many in steps. CRAWL_ESTATE: the frontier is not durable, and `after` is not empty. */
CRAWL_API crawl_err crawl_frontier_notes_after(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after,
                                               bool (*each)(crawl_slice name, crawl_slice note, void *user),
                                               void *user);
#define CRAWL_NOTE_MAX (1u << 20)

/* The figures of a frontier, as of now unless said otherwise. */
typedef struct crawl_frontier_stats {
    uint64_t queued; /* ready or delayed, urgent ones included */
    uint64_t leased;
    uint64_t hosts;         /* known */
    uint64_t hosts_queued;  /* with something queued */
    uint64_t hosts_blocked; /* blocked, with something queued */
    uint64_t pushed;        /* offered to push, urgent ones excluded */
    uint64_t accepted;      /* queued by push */
    uint64_t seen;          /* refused as seen */
    uint64_t full;          /* refused by max_queued or max_hosts */
    uint64_t finished;      /* leases ended by FINISHED, FORGET or done_again, urgent ones excluded */
    uint64_t again;         /* of these, by done_again */
    uint64_t revisits; /* queued with a visit above 1. Equal to queued while nothing is leased: only further visits are
                          left */
    uint64_t forgetting; /* finished, to be forgotten at a date */
    uint64_t bytes;      /* memory held, the seen-set and the database's buffers excluded */
    uint64_t disk_bytes; /* durable: files of the database, its write-ahead log and the seen-set excluded */
    crawl_bloom_stats filter;
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_frontier_stats;

/* Its figures at this time. */
CRAWL_API void crawl_frontier_stats_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_stats *out);

/* Where a host stands of which something is queued. */
typedef enum crawl_standing {
    CRAWL_STANDING_READY,   /* may be asked now */
    CRAWL_STANDING_PAUSED,  /* its pause is not over */
    CRAWL_STANDING_BUSY,    /* its leases are as many as it may have, are not started, or will lift its block */
    CRAWL_STANDING_BLOCKED, /* by crawl_frontier_block */
    CRAWL_STANDING_DATED,   /* all it has is for a later date */
    CRAWL_STANDING_COUNT
} crawl_standing;
/* Elements of arrays by it in structs: more than there are, so that structs keep their size when there are further
 * ones. */
#define CRAWL_STANDING_ROOM 8u

#define CRAWL_HELD_ORIGIN 272 /* no name of the DNS makes an origin longer */

/* A host of which something is queued, and where it stands. */
typedef struct crawl_held_host {
    char origin[CRAWL_HELD_ORIGIN]; /* ended by 0; cut where it is longer */
    crawl_standing standing;
    uint64_t queued;
    int64_t opens_ms;     /* when it may be asked; CRAWL_FOREVER: time alone does not bring it */
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_held_host;

/* How many hosts are named at most that are held and have most queued. */
#define CRAWL_HELD_HOSTS 3u

/* The reasons why the queue waits, as of the last pop. */
typedef struct crawl_frontier_binding {
    uint64_t queued;
    uint64_t leased;
    uint64_t hosts[CRAWL_STANDING_ROOM]; /* with something queued */
    int64_t due_ms;      /* the soonest time that changes something; CRAWL_FOREVER: time alone does not */
    crawl_held_host due; /* the host for which it does; where there is none, zeros */
    /* The hosts with most queued among the paused, busy and blocked ones, most first. Exact up to 16 such hosts;
     * beyond, one that has not been looked at since others shrank may be left out. */
    crawl_held_host most_queued[CRAWL_HELD_HOSTS];
    unsigned most_queued_count;
    uint64_t reserved[8]; /* 0, for later versions */
} crawl_frontier_binding;

/* Takes no longer with millions of hosts than with one. */
CRAWL_API void crawl_frontier_binding_get(crawl_frontier *frontier, int64_t now_ms, crawl_frontier_binding *out);

/* Calls for up to 1024 hosts in memory, whether something of them is queued or not (standing is CRAWL_STANDING_COUNT
 * then), from *cursor on, 0 for the first, which it moves; under the frontier's lock, so that `each` must call nothing
 * of the frontier. CRAWL_OK: there are more. CRAWL_DRAINED: that was the last one, or `each` answered false. Where
 * hosts become known between two calls, one may be told of twice, or be left out. */
CRAWL_API crawl_err crawl_frontier_hosts(crawl_frontier *frontier, int64_t now_ms, size_t *cursor,
                                         bool (*each)(const crawl_held_host *host, void *user), void *user);
/* One host, also on disk. CRAWL_ABSENT: it is not known. CRAWL_ENOMEM, CRAWL_EIO, CRAWL_ECORRUPT. */
CRAWL_API crawl_err crawl_frontier_host_get(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms,
                                            crawl_held_host *out);

/* Asks `each`, as crawl_frontier_hosts does, of every request of a host that waits for a further visit: where it
 * answers true, the request is due now, with *memo in place of its memo. *hastened (NULL: not wanted): how many.
 * CRAWL_ESTATE: a shared frontier. CRAWL_ENOMEM, CRAWL_EIO, CRAWL_ECORRUPT: the others are as they were. */
CRAWL_API crawl_err crawl_frontier_hasten(crawl_frontier *frontier, crawl_slice origin, int64_t now_ms,
                                          bool (*each)(const crawl_lease *request, crawl_slice *memo, void *user),
                                          void *user, uint64_t *hastened);

/* Requests, and hosts, up to which crawl_frontier_next_visit walks: over more it would keep the lock for too long. */
#define CRAWL_NEXT_VISIT_MAX 100000u

/* When the first of the requests is due that are queued with a visit above 1, as crawl_frontier_stats counts them;
 * now_ms if one is. It looks at each request that is queued. CRAWL_ABSENT: there is none. CRAWL_FULL: not known, since
 * more than CRAWL_NEXT_VISIT_MAX are queued, or some of them stand on disk alone. */
CRAWL_API crawl_err crawl_frontier_next_visit(crawl_frontier *frontier, int64_t now_ms, int64_t *due_ms);

/* A look into the directory of a durable frontier, as it is now, that changes nothing there and locks nobody out: also
 * while a process has it open (what that one writes later is not seen; CRAWL_EIO if it drops files: look again). */
typedef struct crawl_frontier_view crawl_frontier_view;

/* CRAWL_EIO: cannot be read. CRAWL_ECORRUPT: not a frontier's directory, of another format, or damaged. CRAWL_EINVAL:
 * this build has no disk store. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_view_open(const char *directory, crawl_frontier_view **out, crawl_error *error);
CRAWL_API void crawl_frontier_view_free(crawl_frontier_view *view);

/* The whole crawl, as its directory has it. */
typedef struct crawl_frontier_summary {
    crawl_order order;
    crawl_bloom_options seen;    /* as the directory was made with */
    crawl_slice fingerprints;    /* borrowed from the view */
    bool clean;                  /* it was closed, and nobody has it open */
    uint64_t pushed, accepted;   /* as in crawl_frontier_stats, with the last push that took something */
    uint64_t seen_refused, full; /* the two of crawl_frontier_stats named seen and full */
    uint64_t again;              /* as in crawl_frontier_stats */
    uint64_t revisits;           /* queued with a visit above 1, those in flight included */
    uint64_t forgetting;         /* as in crawl_frontier_stats */
    uint64_t hosts;              /* with a record */
    uint64_t snapshot;           /* number of the batch that the snapshot of the seen-set ends with; 0: there is none */
    uint64_t bytes;              /* files of the database */
} crawl_frontier_summary;

/* Borrowed from the view. */
CRAWL_API const crawl_frontier_summary *crawl_frontier_view_summary(const crawl_frontier_view *view);

/* A host as it stands on disk: dates as of its last block, pause or close. */
typedef struct crawl_frontier_host {
    crawl_slice origin;
    int64_t pause_ms;   /* negative: the frontier's */
    int64_t blocked_ms; /* until; INT64_MIN: never was */
    int64_t started_ms; /* last start that is recorded; INT64_MIN: none */
    uint32_t share;
    uint64_t ready; /* requests, those in flight included */
    uint64_t delayed;
    uint64_t urgent; /* of both */
    bool has_note;
    uint64_t reserved[4]; /* 0, for later versions */
} crawl_frontier_host;

/* Calls for each host, in the order of becoming known; counts are taken by walking over all keys of the queue. A
 * callback that answers false ends it. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_view_hosts(crawl_frontier_view *view,
                                              bool (*each)(const crawl_frontier_host *host, void *user), void *user,
                                              crawl_error *error);

/* One host, without looking into its queue: the counts and has_note are 0, its origin is the one given. CRAWL_ABSENT.
 */
CRAWL_API crawl_err crawl_frontier_view_host(crawl_frontier_view *view, crawl_slice origin, crawl_frontier_host *out,
                                             crawl_error *error);

/* Calls for each queued request, host after host, in the order of each: urgent ones, ready ones, then delayed ones by
 * date. Of the lease, id is 0; due_ms is INT64_MIN for ready ones. origin: of one host; empty: of all. Slices are good
 * within the callback. */
CRAWL_API crawl_err crawl_frontier_view_requests(crawl_frontier_view *view, crawl_slice origin,
                                                 bool (*each)(const crawl_lease *request, int64_t due_ms, void *user),
                                                 void *user, crawl_error *error);

/* Calls for notes as crawl_frontier_notes does. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_view_notes(crawl_frontier_view *view, crawl_slice prefix,
                                              bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user,
                                              crawl_error *error);

/* Figures of the seen-set, which is made from its snapshot and log at the first of these calls, and held in memory from
 * then on. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_view_filter(crawl_frontier_view *view, crawl_bloom_stats *out, crawl_error *error);
/* Is this fingerprint in the seen-set? CRAWL_EXISTS, with what crawl_bloom_find says of it in *where (NULL: not
 * wanted), or CRAWL_ABSENT; or as crawl_frontier_view_filter. */
CRAWL_API crawl_err crawl_frontier_view_seen(crawl_frontier_view *view, const crawl_fingerprint *fingerprint,
                                             crawl_bloom_found *where, crawl_error *error);

/* Verifies what must hold and calls `report` with the text of each violation (a thousand at most): records can be read;
 * each queued request belongs to a host with a record, to its range by its origin, and has the key that it must have;
 * the figures agree; after a clean end, each host's record says how many are queued and where they begin; the
 * seen-set's log has no gap; each queued request is in the seen-set, but those pushed as revisits and those of a set
 * that forgets by itself; none but a revisit is queued twice. Holds the seen-set and 43 bytes per queued request in
 * memory. *violations: how many. */
CRAWL_API crawl_err crawl_frontier_view_check(crawl_frontier_view *view,
                                              void (*report)(const char *violation, void *user), void *user,
                                              uint64_t *violations, crawl_error *error);

/* Is this fingerprint in the seen-set? CRAWL_EXISTS or CRAWL_ABSENT. */
CRAWL_API crawl_err crawl_frontier_seen(crawl_frontier *frontier, const crawl_fingerprint *fingerprint);

/* Appends a line "NAME VERSION" for each library that a frontier goes through: RocksDB, of the version it was built
 * with ("none: ..." in a build without the disk store), and libcrypto and xxHash as they are loaded. CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_frontier_libraries(crawl_buf *out);

#ifdef __cplusplus
}
#endif
#endif
