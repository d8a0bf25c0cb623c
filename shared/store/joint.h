/* The store of a frontier whose crawl other processes share, called joint here. This header has what all files of the
 * room share; each part has a struct and a header of its own, so that the includes of a file tell which parts it may
 * touch. From the top down:
 *
 *   joint_open.c      the beginning and the end; joint_join.c has the wait for the crawl between them
 *   joint_loop.c      the thread: every so often it brings what has gathered to Redis, and takes hosts
 *   joint_store.c     what the frontier calls, under its lock: ends of leases, pauses, blocks, figures
 *   joint_sessions.c  what the thread sends and hears of hosts; joint_renew.c has the heartbeat
 *   come_back.c       what follows when a server comes back that may lack something
 *   offer.c           what is pushed, until the thread takes it; and whether there is room for it
 *   look.c            looks at the whole: what is queued, the end, whether it is still the crawl that was joined
 *   joint_cookies.c   the crawl's cookies
 *   jars.c            those of a host, and what of them is to be told
 *   joint_notes.c     the crawl's notes
 *   joint_seeds.c     seeds, and what Redis is told of them
 *   joint_crew.c      what this process tells of itself, and what others have told
 *   spread.c          hosts that this process leaves to others that have none
 *   runs.c            what is due, by one date for all that are there at once
 *   stray.c           hosts that this process does not have: urgent requests of some; the others are forgotten
 *   lone.c            requests that this process has still while their host goes on without them
 *   hold.c            hosts that this process has for a time
 *   partitions.c      what is known of partitions; how those who have nothing to do hear of what others bring
 *   budget.c          what all processes together may use up
 *   places.c          the same of the pages of a host or a domain
 *   turns.c           places that one process alone may ask at a time
 *   joint_bodies.c    pages whose body another page had before
 *   joint_clock.c     the three clocks
 *   joint_bytes.c     requests, and what is kept of hosts, as bytes
 *   joint_find.c      one request and its host, seen from outside
 *
 * The thread alone speaks to Redis, and sends nothing under the frontier's lock. That lock guards what they share.
 *
 * Order. Pushes are numbered by turns of the thread (epochs). A lease that ends in an epoch is told to Redis when every
 * push of that epoch and of those before is acknowledged: the links of its page are among these. */
#pragma once

#include "frontier/state.h"
#include "shared/protocol/shared.h"

#include <crawl/sys/shared.h>
#include <stdatomic.h>

struct event;
struct event_base;

/* The thread, and how it is told to end. */
typedef struct cw_joint_thread {
    pthread_t id;
    bool has_begun;
    int wake_fd;
    atomic_bool closing;  /* give all back, and end */
    atomic_bool stopping; /* end */

    /* Its own. */
    struct event_base *base;
    struct event *tick, *wake;
    int64_t close_us; /* when the end has waited enough */
    bool gave_back;   /* nothing is left to be said */
} cw_joint_thread;

/* The first failure. */
typedef struct cw_joint_faults {
    atomic_int failed; /* crawl_err; `failure` is written before */
    crawl_error failure;
    bool was_short, was_warned, refuses_writes; /* the thread's: which is told once */
} cw_joint_faults;

/* How far pushes are. */
typedef struct cw_joint_order {
    uint64_t epoch;        /* under the lock: the one that pushes are of now */
    uint64_t pushed;       /* the thread's: all epochs up to this one are acknowledged, as far as pushes go, */
    uint64_t acknowledged; /* and as a whole */
} cw_joint_order;

/* The whole crawl, as far as it is known. Under the lock. */
typedef struct cw_joint_counts {
    crawl_shared_counts all;       /* by the last look */
    uint64_t accepted_before_look; /* when that was asked for */
    uint64_t accepted, seen;       /* of pushes that were acknowledged */
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
    pthread_cond_t looked; /* there are new figures, or there will be none for now */

    /* The thread's. */
    crawl_redis *redis;
    cw_shared *shared;

    /* The parts, each by the header of its name. */
    struct cw_joint_clock *clock;
    struct cw_joint_holds *holds;
    struct cw_joint_partitions *partitions;
    struct cw_joint_pushes *pushes; /* offer.h */
    struct cw_joint_seeds *seeds;
    struct cw_joint_strays *strays;
    struct cw_joint_lones *lones; /* lone.h */
    struct cw_joint_places *places;
    struct cw_joint_turns *turns;
    struct cw_joint_body *bodies; /* to be asked about, under the lock */
    struct cw_joint_jars *jars;   /* NULL: this crawl has no cookies */
    struct cw_joint_notes *notes;
    struct cw_joint_budget *budget;
    struct cw_joint_runs *runs;
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

/* NULL: the frontier's store is another one. */
static inline cw_joint *cw_joint_shared(const crawl_frontier *frontier)
{
    return frontier->store.kind == cw_joint_kind ? frontier->store.self : NULL;
}

/* How often what nobody tells of, as that somebody died, is looked for by who has nothing to do, */
int64_t cw_joint_rest_ms(const cw_joint *joint);
/* and by who has something. */
int64_t cw_joint_lost_ms(const cw_joint *joint);

/* The first failure is kept. Under the lock. */
void cw_joint_fail(cw_joint *joint, crawl_err err, const char *words);
/* Not under the lock, from the thread; wakes those who sleep. */
void cw_joint_break(cw_joint *joint, crawl_err err, const char *words);
/* The crawl is not there any more. where: the keys that are meant; empty: all. The thread's. */
void cw_joint_lose(cw_joint *joint, cw_shared_loss loss, crawl_slice where);
/* A fault of a call that may go again: whether it passes decides what follows. The thread's. */
void cw_joint_fault(cw_joint *joint, crawl_redis_fault fault, const char *words);
/* The server has carried out what writes. The thread's. */
void cw_joint_takes_writes(cw_joint *joint);
/* Tells the user, who may have asked for no words. The thread's. */
void cw_joint_say(const cw_joint *joint, const char *words);

/* The thread's: sees to what may have been lost with a server, if one came back. The user is told of that, and once of
 * a server that keeps no log. */
void cw_joint_come_back(cw_joint *joint);

/* Bodies of pages, of which Redis says who had them first. The thread's. */
void cw_joint_bodies_ask(cw_joint *joint);
void cw_joint_bodies_free(cw_joint *joint);

/* All of the frontier's store but its close, stop and free, which are those of whoever opens it. */
void cw_joint_store(crawl_frontier *frontier, cw_joint *joint);

/* The thread of a joint frontier: so many times a second it has a turn, in which it brings to Redis what has gathered
 * since, takes hosts where some are wanted, keeps those that it has, and looks now and then whether anything is left
 * anywhere. */

/* Makes the loop, in which nothing goes on yet. */
crawl_err cw_joint_loop_create(cw_joint *joint, crawl_error *error);
crawl_err cw_joint_loop_start(cw_joint *joint);
/* Waits until the thread has ended. how: its `closing` or `stopping`. */
void cw_joint_loop_end(cw_joint *joint, atomic_bool *how);
void cw_joint_loop_free(cw_joint_thread *thread);
/* One turn. */
void cw_joint_turn(cw_joint *joint);
