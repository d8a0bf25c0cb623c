/* Lone requests: requests that this process still has while their host goes on without them.
 *
 * A parked lease (crawl_frontier_park), such as that of a page in the browser, may last for minutes, and keeps its
 * host no longer than other requests do. When the session of the host or its window is over, the session's last
 * letter about the request puts it off in Redis to a date. Before that date this process puts it off again by
 * itself, and in the end reports what came of it. If the process dies, the request becomes due at that date, a lease
 * later. */
#pragma once

#include "shared/store/hold.h"

/* Under the lock, unless marked as the thread's. */
typedef struct cw_joint_lone {
    struct cw_joint_lone *next;
    cw_joint *joint;
    uint64_t lease;
    cw_joint_hold *hold; /* the hold that has not told Redis yet; NULL: Redis knows */
    size_t change;       /* index among that hold's changes */
    int64_t from_ms, to_ms;
    bool is_closed; /* nothing more to report: its end was reported, or it is another process's */
    bool is_over;   /* the lease has ended, with `end`, in `epoch`; owns the bytes */
    cw_shared_change end;
    uint64_t epoch;

    /* The thread's. */
    int64_t told_us; /* when it was last put off */
    bool speaks, is_out;
    bool said_end; /* the report under way has the end */
    size_t origin_size;
    char origin[];
} cw_joint_lone;

/* Only the thread removes one. */
typedef struct cw_joint_lones {
    cw_joint_lone *first;
} cw_joint_lones;

/* Makes the parked requests of this hold lone. Call when its session or window is over and nothing else of it is
 * leased. Without memory for it, a request goes back with the session, and is fetched twice. Under the lock, from the
 * thread. */
void cw_joint_lone_leave(cw_joint_hold *hold);
/* Call when Redis has heard more of this hold, or before the hold is freed. Under the lock. */
void cw_joint_lone_heard(cw_joint_hold *hold);
/* Records how the lease of a lone request has ended. Takes ownership of the bytes. Under the lock. */
void cw_joint_lone_end(cw_joint *joint, uint64_t lease, const cw_shared_change *end);
/* Reports what there is to report. The thread's. */
void cw_joint_lones_turn(cw_joint *joint, int64_t now_us);
/* Gives up the lone requests of partitions whose data came back. The thread's. */
void cw_joint_lones_give_up(cw_joint *joint);
/* Returns true if everything was reported. The thread's. */
bool cw_joint_lones_are_told(cw_joint *joint);
void cw_joint_lones_free(cw_joint_lones *lones);
