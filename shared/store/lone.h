/* Lone requests: those that this process has still while their host goes on without them.
 *
 * A lease that is parked (crawl_frontier_park), as that of a page in the browser, may last for minutes, and keeps its
 * host no longer than other requests do. When the session of the host is over, or its window is, such a request is put
 * off in Redis to a date, by the last letter that the session has of it. Before that date this process puts it off
 * anew, by itself, and says in the end what came of it. Where the process dies, the date comes, a lease later. */
#pragma once

#include "shared/store/hold.h"

/* Under the lock, but what is the thread's. */
typedef struct cw_joint_lone {
    struct cw_joint_lone *next;
    cw_joint *joint;
    uint64_t lease;
    cw_joint_hold *hold; /* which has not told Redis yet; NULL: it has */
    size_t change;       /* the one of that hold's changes which does */
    int64_t from_ms, to_ms;
    bool is_closed; /* nothing is to be said any more: its end was, or it is somebody else's */
    bool is_over;   /* the lease has ended, with this end of this epoch; the bytes are its own */
    cw_shared_change end;
    uint64_t epoch;

    /* The thread's. */
    int64_t told_us; /* when it was put off last */
    bool speaks, is_out;
    bool said_end; /* with what is out */
    size_t origin_size;
    char origin[];
} cw_joint_lone;

/* Only the thread takes one out. */
typedef struct cw_joint_lones {
    cw_joint_lone *first;
} cw_joint_lones;

/* Under the lock, the thread's: the session or the window of this hold, of which nothing else is leased, is over. Where
 * there is no memory, the request goes back with the session, and is asked twice. */
void cw_joint_lone_leave(cw_joint_hold *hold);
/* Under the lock: Redis has heard more of this hold, or the hold is gone and is to be freed. */
void cw_joint_lone_heard(cw_joint_hold *hold);
/* Under the lock: the lease of such a request ends so. The bytes are its own from then on. */
void cw_joint_lone_end(cw_joint *joint, uint64_t lease, const cw_shared_change *end);
/* The thread's: says what there is to say. */
void cw_joint_lones_turn(cw_joint *joint, int64_t now_us);
/* The thread's: those of partitions whose data came back are given up. */
void cw_joint_lones_give_up(cw_joint *joint);
/* The thread's: is all said? */
bool cw_joint_lones_are_told(cw_joint *joint);
void cw_joint_lones_free(cw_joint_lones *lones);
