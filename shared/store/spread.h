/* Hosts are spread over the processes: where one has none and wants one, those that have several give some of theirs
 * back, and nobody takes many at once. Who has none is told with what each tells of itself (joint_crew.h). All of it is
 * the thread's. */
#pragma once

#include "shared/store/hold.h"

typedef struct cw_joint_spread {
    bool is_hungry;  /* this process wants hosts; */
    bool is_idle;    /* and has none */
    uint64_t idle;   /* other processes that are so, when this one asked last */
    int64_t took_us; /* a host, last */
    int64_t gave_us; /* likewise, for those that are idle, */
    unsigned gifts;  /* so often in a row, and somebody was idle still */
} cw_joint_spread;

/* So many processes are alive, and so many others have no host. Gives some back where that helps. */
void cw_joint_spread_heard(cw_joint *joint, uint64_t alive, uint64_t idle);
/* How many hosts may be taken now of those that there is room for; is_hungry: some are wanted. */
size_t cw_joint_spread_room(cw_joint *joint, bool is_hungry, size_t room, int64_t now_us);
/* For so long a host that may be taken is left to others that have none. */
int64_t cw_joint_spread_patience_us(const cw_joint *joint);
/* Does this process take hosts of which it knows, since it wants some, and nobody else does that has none? */
bool cw_joint_spread_takes(const cw_joint *joint);
/* Another process seeks the host of this hold, by name: it goes when nothing of it is leased any more. Under the lock.
 */
void cw_joint_spread_sought(cw_joint_hold *hold, int64_t now);
/* The session of a hold has ended, which others may want to have. Under the lock. */
void cw_joint_spread_left(const cw_joint_hold *hold);
