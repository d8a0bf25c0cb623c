/* Which host is asked next, and when: the scheduling side of the frontier. It knows hosts by the key of their head
 * request and by times; it does not know what a request is.
 *
 * Two heaps: hosts that may be asked now, best head first; and hosts for which only time changes something, soonest
 * first.
 *
 * Sessions. A durable frontier reads a host's requests from disk a few at a time. If more hosts take turns than memory
 * can hold such a batch for, each turn would be a read; and if more do than connections are kept, each turn would be a
 * connection. Then hosts take turns in sessions: CW_FRONTIER_SESSION turns each, a bounded number of hosts at once.
 * Priority and depth come before sessions: these decide among hosts whose heads are equal in both, and a host in a
 * session goes first once the maximum number of sessions is reached. */
#pragma once

#include "frontier/hosts/dormant.h"
#include "frontier/hosts/hosts.h"

/* The waits of hosts with something queued: how many have each standing, and which of the held ones have most queued.
 * Updated with each placing of a host, so that reading it costs nothing, however many hosts there are. */

/* Held hosts that are watched for having most queued. A host enters when it is placed with more than the least of them.
 * A host that was not placed since others shrank may be missing: it enters with its next turn. */
#define CW_FRONTIER_WATCHED 16u

typedef struct cw_frontier_binding {
    uint64_t hosts[CRAWL_STANDING_COUNT];
    cw_frontier_host *watched[CW_FRONTIER_WATCHED]; /* in no order */
    unsigned watched_count;
} cw_frontier_binding;

static inline bool cw_frontier_standing_is_held(unsigned standing)
{
    return standing == CRAWL_STANDING_PAUSED || standing == CRAWL_STANDING_BUSY || standing == CRAWL_STANDING_BLOCKED;
}

#define CW_FRONTIER_SESSION 16u /* turns, of a lease each unless the host has a share */

typedef struct cw_frontier_schedule {
    cw_frontier_index ready;    /* in no session */
    cw_frontier_index sessions; /* ready as well, in one */
    cw_frontier_index waiting;
    uint64_t in_session;   /* hosts, ready or not */
    uint64_t sessions_max; /* hosts that take turns lease by lease; 0: all */
    uint64_t level;        /* bits of a key's upper half by which heads of hosts are compared: all, or urgent only */
    crawl_order order;
    int64_t pause; /* of hosts without one of their own */
    uint32_t per_host;
    bool confirm_start;
    uint64_t leases; /* counted in turns so far */
    cw_frontier_binding binding;
    cw_frontier_dormant dormant; /* resting hosts with requests; counted in binding */
} cw_frontier_schedule;

void cw_frontier_schedule_init(cw_frontier_schedule *schedule, const crawl_frontier_options *options);
void cw_frontier_schedule_free(cw_frontier_schedule *schedule);

/* Makes room for `live` hosts that have requests. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_schedule_reserve(cw_frontier_schedule *schedule, cw_frontier_memory *memory, uint64_t live);

/* Returns the time from which this host may be asked; any time up to now: now. CRAWL_FOREVER: time alone does not open
 * it. */
int64_t cw_frontier_schedule_opens(const cw_frontier_schedule *schedule, const cw_frontier_host *host);

/* Returns the standing of a host that opens then. CRAWL_STANDING_COUNT: nothing of it is queued. */
crawl_standing cw_frontier_schedule_standing(const cw_frontier_schedule *schedule, const cw_frontier_host *host,
                                             int64_t opens, int64_t now);

/* Describes the host as it was placed last. */
void cw_frontier_schedule_describe(const cw_frontier_schedule *schedule, const cw_frontier_host *host,
                                   crawl_held_host *out);

/* Prefetches the part of the heap that placing this ready host will read. */
void cw_frontier_schedule_expect(cw_frontier_schedule *schedule, const cw_frontier_host *host);

/* Puts a host where it belongs, after any change to it. A host whose delayed requests cannot be made ready is removed
 * from both heaps: the store has then failed, and nothing is leased any more. */
void cw_frontier_schedule_place(cw_frontier_schedule *schedule, cw_frontier_host *host, int64_t now);

/* Places the hosts whose time has come. */
void cw_frontier_schedule_wake(cw_frontier_schedule *schedule, int64_t now);

/* Returns the host in memory to ask now. NULL: none. Call after a wake. */
cw_frontier_host *cw_frontier_schedule_best(const cw_frontier_schedule *schedule);

/* Returns true if a host in memory is ready. */
static inline bool cw_frontier_schedule_is_ready(const cw_frontier_schedule *schedule)
{
    return schedule->ready.count || schedule->sessions.count;
}

/* Returns true if hosts with these keys at their heads take turns. Upper halves of keys. */
static inline bool cw_frontier_schedule_level(const cw_frontier_schedule *schedule, uint64_t a, uint64_t b)
{
    return !((a ^ b) & schedule->level);
}

/* Returns the queue whose head is the next request of a ready host. */
static inline cw_frontier_queue *cw_frontier_schedule_head(cw_frontier_host *host)
{
    return &host->queues[cw_frontier_queue_has_ready(&host->queues[CW_URGENT]) ? CW_URGENT : CW_NORMAL];
}

/* Counts a lease of this host in its session, which begins, goes on or ends; `queued` hosts have requests. The request
 * was already taken from its queue and counted as served. true: the session ends with it. */
bool cw_frontier_schedule_count_session(cw_frontier_schedule *schedule, cw_frontier_memory *memory,
                                        cw_frontier_host *host, cw_heap_key key, uint64_t queued);

/* Ends the host's session, if it has one, since the host goes. */
void cw_frontier_schedule_leave(cw_frontier_schedule *schedule, cw_frontier_host *host);

/* Record that a lease of this host was given now, or that one given earlier was started now. Place the host
 * afterwards. A lease counts for the host's turn when it starts (without confirm_start: when it is given), unless it is
 * urgent; one that never started, when it ends, if is_turn says so. */
void cw_frontier_schedule_served(cw_frontier_schedule *schedule, cw_frontier_host *host, bool urgent, int64_t now);
void cw_frontier_schedule_started(cw_frontier_schedule *schedule, cw_frontier_host *host, bool urgent, int64_t now);
void cw_frontier_schedule_unstarted(cw_frontier_schedule *schedule, cw_frontier_host *host, bool is_turn);

/* Returns when there is something to pop, as far as is known: now if something is ready, CRAWL_FOREVER if time alone
 * brings nothing. */
int64_t cw_frontier_schedule_next(const cw_frontier_schedule *schedule, int64_t now);

/* ---- resting hosts with requests ---- */

/* Returns true if the schedule allows this host, of which something is queued, to rest: it may be asked now, or waits
 * for a date, and nothing else holds it. */
bool cw_frontier_schedule_may_rest(const cw_frontier_schedule *schedule, const cw_frontier_host *host);

/* Keeps the place of a host that goes to rest with this standing; it must be in neither heap. A paused host has the
 * frontier's pause, and may be asked from dormant.held_until on like all others that do, or waits for a date of its
 * own. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_schedule_lay(cw_frontier_schedule *schedule, cw_frontier_memory *memory, cw_frontier_host *host,
                                   crawl_standing standing);

/* Restores the place of a host that woke, with this standing. The heaps must have room. */
void cw_frontier_schedule_rise(cw_frontier_schedule *schedule, cw_frontier_memory *memory, cw_frontier_host *host,
                               crawl_standing standing);

/* Returns true if a resting host goes before cw_frontier_schedule_best. */
bool cw_frontier_schedule_lacks_best(const cw_frontier_schedule *schedule);
/* Returns true if the soonest time that changes something, as far as is known, is that of a resting host. *number: its
 * number. */
bool cw_frontier_schedule_lacks_date(const cw_frontier_schedule *schedule, uint32_t *number);
