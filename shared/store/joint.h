/* The store of a frontier whose crawl other processes share, called joint here. This header has what all files of the
 * folder share. Each part has a struct and a header of its own, so that the includes of a file tell which parts it may
 * touch. From the top down:
 *
 *   joint_open.c      open and close; joint_join.c waits for the crawl, and follows its runs
 *   joint_loop.c      the thread: brings pending data to Redis at intervals, and takes hosts
 *   joint_store.c     calls by the frontier, under its lock: ends of leases, pauses, blocks, figures
 *   joint_sessions.c  what the thread sends and hears about hosts; joint_renew.c has the heartbeat
 *   come_back.c       recovery when a server comes back that may lack data
 *   offer.c           pushed requests until the thread takes them, and whether there is room for them
 *   look.c            looks at the whole: the queue, the end, whether it is still the crawl that was joined
 *   joint_cookies.c   the crawl's cookies
 *   jars.c            the cookies of a host, and which of them must be sent
 *   joint_notes.c     the crawl's notes
 *   joint_seeds.c     seeds, and what Redis is told of them
 *   joint_crew.c      reports of this process and of others
 *   spread.c          hosts that this process leaves to others that have none
 *   stray.c           hosts that this process does not have: seeks those with urgent requests, forgets the others
 *   lone.c            requests that this process still has while their host goes on without them
 *   hold.c            hosts that this process has for a session
 *   partitions.c      what is known of partitions; how idle processes hear of new requests
 *   budget.c          limits of all processes together
 *   places.c          limits on the pages of a host or a domain
 *   turns.c           places that only one process at a time may ask
 *   joint_bodies.c    pages whose body another page had before
 *   joint_clock.c     the three clocks
 *   joint_bytes.c     requests and records of hosts, as bytes
 *   joint_find.c      one request and its host, seen from outside
 *
 * Only the thread speaks to Redis, and it sends nothing under the frontier's lock. The lock guards what the thread
 * shares with callers.
 *
 * Order. Pushes are numbered by turns of the thread (epochs). When a lease ends in an epoch, Redis is told once every
 * push of that epoch and of earlier ones is acknowledged: the links of its page are among these. */
#pragma once

#include "frontier/state.h"
#include "shared/protocol/shared.h"

#include <crawl/sys/shared.h>
#include <stdatomic.h>

struct event;
struct event_base;

/* The thread, and the flags that end it. */
typedef struct cw_joint_thread {
    pthread_t id;
    bool has_begun;
    int wake_fd;
    atomic_bool closing;  /* give everything back, then end */
    atomic_bool stopping; /* end */

    /* The thread's own. */
    struct event_base *base;
    struct event *tick, *wake;
    int64_t close_us; /* when closing gives up waiting */
    bool gave_back;   /* nothing is left to send */
} cw_joint_thread;

/* The first failure, and what the user was told. */
typedef struct cw_joint_faults {
    atomic_int failed; /* crawl_err; `failure` is written before */
    crawl_error failure;
    bool is_new;                                /* the thread's, as are the next: sleepers do not know yet */
    bool was_short, was_warned, refuses_writes; /* told to the user already */
} cw_joint_faults;

/* The progress of pushes. */
typedef struct cw_joint_order {
    uint64_t epoch;        /* under the lock: the epoch of new pushes */
    uint64_t pushed;       /* the thread's: the pushes of all epochs up to this one are acknowledged */
    uint64_t acknowledged; /* the thread's: all epochs up to this one are acknowledged as a whole */
} cw_joint_order;

/* The figures of the whole crawl, as far as known. Under the lock. */
typedef struct cw_joint_counts {
    crawl_shared_counts all;       /* by the last look */
    uint64_t accepted_before_look; /* when that look was sent */
    uint64_t accepted, seen;       /* by pushes that were acknowledged */
    bool is_drained;
} cw_joint_counts;

typedef struct cw_joint {
    crawl_frontier *frontier;
    crawl_shared_options options; /* texts are NULL */
    char *name, *worker;
    cw_joint_thread thread;
    cw_joint_faults faults;
    cw_joint_order order;
    cw_joint_counts counts;
    bool is_up;            /* under the lock */
    pthread_cond_t looked; /* there are new figures, or none are to be expected for now */

    /* The thread's. */
    crawl_redis *redis;
    cw_shared *shared;

    /* The parts, each in the header of its name. */
    struct cw_joint_clock *clock;
    struct cw_joint_holds *holds;
    struct cw_joint_partitions *partitions;
    struct cw_joint_pushes *pushes; /* offer.h */
    struct cw_joint_seeds *seeds;
    struct cw_joint_strays *strays;
    struct cw_joint_lones *lones; /* lone.h */
    struct cw_joint_places *places;
    struct cw_joint_turns *turns;
    struct cw_joint_body *bodies; /* questions not asked yet; under the lock */
    struct cw_joint_jars *jars;   /* NULL: this crawl has no cookies */
    struct cw_joint_notes *notes;
    struct cw_joint_budget *budget;
    struct cw_joint_runs *runs; /* joint_join.h */
    struct cw_joint_crew *crew;
    struct cw_joint_spread *spread;
    struct cw_joint_renewal *renewal; /* joint_sessions.h */
    struct cw_joint_look *look;
    struct cw_joint_joining *joining; /* joint_join.h */
} cw_joint;

static inline cw_joint *cw_joint_of(const crawl_frontier *frontier)
{
    return frontier->store.self;
}

extern const char cw_joint_kind[]; /* of its stores */

/* NULL: the frontier's store is of another kind. */
static inline cw_joint *cw_joint_shared(const crawl_frontier *frontier)
{
    return frontier->store.kind == cw_joint_kind ? frontier->store.self : NULL;
}

/* Returns how often an idle process looks for what nobody reports, such as the death of a process. */
int64_t cw_joint_rest_ms(const cw_joint *joint);
/* The same for a process that has work. */
int64_t cw_joint_lost_ms(const cw_joint *joint);

/* Records a failure; the first one is kept. The thread's, under the lock or not. */
void cw_joint_fail(cw_joint *joint, crawl_err err, const char *words);
/* Wakes sleepers after a failure, so that they find out. The thread's. */
void cw_joint_wake(cw_joint *joint);
/* Fails since the crawl is gone. where: the keys concerned; empty: all. The thread's. */
void cw_joint_lose(cw_joint *joint, cw_shared_loss loss, crawl_slice where);
/* Handles a fault of a call that may be repeated, by whether the fault is temporary. The thread's. */
void cw_joint_fault(cw_joint *joint, crawl_redis_fault fault, const char *words);
/* Returns true if the server takes no writes for now. words: as it said them, or those of the outbox after a WAIT. */
bool cw_joint_is_refused_write(crawl_redis_fault fault, const char *words);
/* Records that the server has carried out a write. The thread's. */
void cw_joint_takes_writes(cw_joint *joint);
/* Passes words to the user, if it asked for any. The thread's. */
void cw_joint_say(const cw_joint *joint, const char *words);

/* Recovers what may have been lost if a server came back. Tells the user of that, and once of a server that keeps no
 * log. The thread's. */
void cw_joint_come_back(cw_joint *joint);

/* Asks Redis which page had a body first. The thread's. */
void cw_joint_bodies_ask(cw_joint *joint);
void cw_joint_bodies_free(cw_joint *joint);

/* Fills in the frontier's store except close, stop and free, which its opener sets. */
void cw_joint_store(crawl_frontier *frontier, cw_joint *joint);

/* The thread of a joint frontier. In each of its turns, many a second, it sends pending data to Redis, takes hosts
 * if some are wanted, keeps those that it has, and looks from time to time whether anything is left anywhere. */

/* Makes the loop, which does nothing yet. */
crawl_err cw_joint_loop_create(cw_joint *joint, crawl_error *error);
crawl_err cw_joint_loop_start(cw_joint *joint);
/* Waits until the thread has ended. how: its `closing` or `stopping`. */
void cw_joint_loop_end(cw_joint *joint, atomic_bool *how);
void cw_joint_loop_free(cw_joint_thread *thread);
/* One turn. */
void cw_joint_turn(cw_joint *joint);
