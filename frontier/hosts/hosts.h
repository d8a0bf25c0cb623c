/* The hosts: an origin each, found by name, with the queues of its requests and what politeness needs to know of it.
 *
 * The state of a host is not stored; it follows from the rest:
 *   busy     per_host leases are out, or one that was not started (confirm_start)
 *   idle     nothing queued
 *   blocked  until a date, and nothing urgent ready
 *   ready    may be asked now
 *   waiting  for the end of its pause, or for a delayed request's date */
#pragma once

#include "base/map.h"
#include "frontier/hosts/awake.h"
#include "frontier/hosts/queue.h"
#include "frontier/hosts/resting.h"
#include "frontier/memory/arena.h"

enum { CW_NORMAL, CW_URGENT, CW_QUEUES };

typedef struct cw_frontier_host {
    int64_t last_start; /* CW_FRONTIER_NEVER: none yet */
    int64_t pause;      /* negative: the frontier's */
    int64_t blocked;    /* until; CW_FRONTIER_NEVER: not */
    uint64_t turn;      /* lower: a turn ended longer ago; see cw_frontier_schedule_started */
    cw_frontier_queue queues[CW_QUEUES];
    uint32_t at_ready; /* places in the heaps; 0: not in it */
    uint32_t at_waiting;
    uint32_t at_blocked;
    uint32_t leased; /* without parked ones */
    uint32_t leases; /* of a durable frontier, its leases: index + 1 of the first; 0: none */
    uint32_t number; /* in the order of becoming known */
    uint32_t origin_size;
    uint16_t session;     /* turns left of its session; 0: in none; see schedule.h */
    uint16_t share;       /* leases in a row that make one turn, */
    uint16_t taken;       /* and those it already had in the present turn */
    uint8_t standing;     /* crawl_standing when it was placed; CRAWL_STANDING_COUNT: nothing queued */
    bool watched;         /* see cw_frontier_binding */
    bool stored;          /* durable: it has a record, */
    bool changed;         /* and the record is outdated */
    bool unstarted;       /* one of the leases was not started (confirm_start) */
    bool live;            /* counted in cw_frontier_hosts.live, */
    bool counted_queued;  /* in .queued, */
    bool counted_blocked; /* in .blocked_queued */
    bool touched;         /* by the batch being pushed */
    bool away;            /* another process may have it: nothing of it is leased here, see cw_frontier_hosts */
    bool leaving;         /* to be forgotten once nothing here needs it */
    char origin[];
} cw_frontier_host;

typedef struct cw_frontier_hosts {
    cw_map *map;
    cw_frontier_index blocked; /* by the end of the block */
    cw_frontier_memory *memory;
    cw_frontier_arena arena; /* the hosts themselves */
    cw_frontier_awake awake; /* hosts in memory by number, if `indexed` */
    bool indexed;            /* set before the first host is known; each host is its own allocation, not in the arena */
    bool away; /* likewise; hosts become known as away, until the store has taken them, and may be forgotten: each is
                  its own allocation, too */
    cw_frontier_resting resting; /* only in the store; none if `recall` is NULL */
    /* Makes the resting host of this origin known again. CRAWL_ABSENT: there is none. CRAWL_ENOMEM, or the store's
     * error. */
    crawl_err (*recall)(void *user, crawl_slice origin, cw_frontier_host **out);
    void *user;       /* of recall */
    uint64_t numbers; /* given so far, without reused ones */
    uint32_t *spare;  /* numbers of forgotten hosts, to be reused */
    size_t spare_count, spare_room;
    uint64_t live;           /* with a request queued, leased or about to be */
    uint64_t queued;         /* with a request queued */
    uint64_t blocked_queued; /* blocked, with a request queued */
} cw_frontier_hosts;

/* Where the requests of a host stand on disk: four ranges. */
enum { CW_RANGE_URGENT, CW_RANGE_NORMAL, CW_RANGE_URGENT_DELAYED, CW_RANGE_NORMAL_DELAYED, CW_RANGES };

static inline unsigned cw_frontier_range_of(const cw_frontier_host *host, const cw_frontier_queue *queue, int lane)
{
    unsigned normal = queue == &host->queues[CW_NORMAL];
    return lane == CW_LANE_READY ? CW_RANGE_URGENT + normal : CW_RANGE_URGENT_DELAYED + normal;
}

static inline int cw_frontier_range_queue(unsigned range)
{
    return range == CW_RANGE_NORMAL || range == CW_RANGE_NORMAL_DELAYED ? CW_NORMAL : CW_URGENT;
}

static inline int cw_frontier_range_lane(unsigned range)
{
    return range >= CW_RANGE_URGENT_DELAYED ? CW_LANE_DELAYED : CW_LANE_READY;
}

/* CRAWL_ENOMEM. */
crawl_err cw_frontier_hosts_init(cw_frontier_hosts *hosts, cw_frontier_memory *memory);
/* Frees the hosts and their requests. */
void cw_frontier_hosts_free(cw_frontier_hosts *hosts);

/* Returns true if each host is its own allocation, since it may go. Otherwise all are in the arena. */
static inline bool cw_frontier_hosts_stand_alone(const cw_frontier_hosts *hosts)
{
    return hosts->away || hosts->indexed;
}

/* Returns how many hosts are known, including resting ones. */
static inline uint64_t cw_frontier_hosts_count(const cw_frontier_hosts *hosts)
{
    return cw_map_count(hosts->map) + hosts->resting.count;
}

/* Returns the host of this origin. NULL: it is not known, or rests. */
static inline cw_frontier_host *cw_frontier_hosts_find(const cw_frontier_hosts *hosts, crawl_slice origin)
{
    return cw_map_get(hosts->map, origin);
}

/* Returns the host of this number. NULL: there is none, it rests, or hosts are not indexed. */
static inline cw_frontier_host *cw_frontier_hosts_at(const cw_frontier_hosts *hosts, uint64_t number)
{
    return cw_frontier_awake_find(&hosts->awake, number);
}

/* Finds the host of this origin, and wakes it if it rests. CRAWL_ABSENT: it is not known. CRAWL_ENOMEM, or the store's
 * error. */
crawl_err cw_frontier_hosts_look(cw_frontier_hosts *hosts, crawl_slice origin, cw_frontier_host **out);

/* Finds the host of this origin, or makes it known. CRAWL_ENOMEM, or the store's error. */
crawl_err cw_frontier_hosts_get(cw_frontier_hosts *hosts, crawl_slice origin, cw_frontier_host **out);

/* The same with a limit of max known hosts (0: none). CRAWL_FULL: it would be one more. */
crawl_err cw_frontier_hosts_get_within(cw_frontier_hosts *hosts, crawl_slice origin, uint64_t max,
                                       cw_frontier_host **out);

/* Makes a host known under a number that was given before. NULL: out of memory. */
cw_frontier_host *cw_frontier_hosts_restore(cw_frontier_hosts *hosts, crawl_slice origin, uint32_t number);

/* Removes a host without requests and leases from memory; nothing may refer to it any more. The store still knows it,
 * or it was never to be known. */
void cw_frontier_hosts_drop(cw_frontier_hosts *hosts, cw_frontier_host *host);

/* Returns true if this host, of which nothing is queued or leased, may rest. */
bool cw_frontier_hosts_may_rest(const cw_frontier_host *host);
/* Makes the host rest: it must be in the store, and there must be room among the resting ones. */
void cw_frontier_hosts_rest(cw_frontier_hosts *hosts, cw_frontier_host *host);

/* Forgets a host of which nothing is queued or leased; its block ends. Only if hosts are away. Nothing may refer to it
 * any more. */
void cw_frontier_hosts_forget(cw_frontier_hosts *hosts, cw_frontier_host *host);

static inline crawl_slice cw_frontier_host_origin(const cw_frontier_host *host)
{
    return crawl_slice_of(host->origin, host->origin_size);
}

static inline uint64_t cw_frontier_host_queued(const cw_frontier_host *host)
{
    return cw_frontier_queue_count(&host->queues[CW_NORMAL]) + cw_frontier_queue_count(&host->queues[CW_URGENT]);
}

/* Returns the requests queued, plus the room kept for those leased or about to be put. */
static inline uint64_t cw_frontier_host_load(const cw_frontier_host *host)
{
    return cw_frontier_host_queued(host) + host->queues[CW_NORMAL].kept + host->queues[CW_URGENT].kept;
}

static inline cw_frontier_queue *cw_frontier_host_queue_of(cw_frontier_host *host, const cw_frontier_item *item)
{
    return &host->queues[item->flags & CW_ITEM_URGENT ? CW_URGENT : CW_NORMAL];
}

/* Returns true if this is an origin as crawl_url_origin writes it. */
bool cw_frontier_is_origin(crawl_slice origin);

/* Blocks until a time, or lifts the block (CW_FRONTIER_NEVER). CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_hosts_block(cw_frontier_hosts *hosts, cw_frontier_host *host, int64_t until);

/* Lifts expired blocks, so that host->blocked is either CW_FRONTIER_NEVER or in the future. */
void cw_frontier_hosts_expire(cw_frontier_hosts *hosts, int64_t now);

/* Recounts a host and gives back unneeded room. Call after its queues changed. */
void cw_frontier_hosts_recount(cw_frontier_hosts *hosts, cw_frontier_host *host);
