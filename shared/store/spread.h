/* Spreads hosts over the processes: if a process has none and wants one, those that have several give some back, and
 * no process takes many at once. A process says that it has none in its report (joint_crew.h). All of this is the
 * thread's. */
#pragma once

#include "shared/store/hold.h"

typedef struct cw_joint_spread {
    bool is_hungry;  /* this process wants hosts */
    bool is_idle;    /* and has none */
    uint64_t idle;   /* other idle processes, by the last answer */
    int64_t took_us; /* when it last took a host */
    int64_t gave_us; /* when it last gave some to idle processes */
    unsigned gifts;  /* times it gave some in a row while another process was still idle */
} cw_joint_spread;

/* Takes note of how many processes are alive, and how many others have no host. Gives some back if that helps. */
void cw_joint_spread_heard(cw_joint *joint, uint64_t alive, uint64_t idle);
/* Returns how many of `room` hosts may be taken now; is_hungry: some are wanted. */
size_t cw_joint_spread_room(cw_joint *joint, bool is_hungry, size_t room, int64_t now_us);
/* Returns how long a host that may be taken is left to processes that have none. */
int64_t cw_joint_spread_patience_us(const cw_joint *joint);
/* Returns true if this process takes hosts that it knows of: it wants some, and no other process is idle. */
bool cw_joint_spread_takes(const cw_joint *joint);
/* Makes a hold yield since another process seeks its host by name: it goes when none of its requests is leased any
 * more. Under the lock. */
void cw_joint_spread_sought(cw_joint_hold *hold, int64_t now);
/* Records that the session of a hold has ended, which others may want. Under the lock. */
void cw_joint_spread_left(const cw_joint_hold *hold);
