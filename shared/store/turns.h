/* Turns at places, an address or a group of hosts. Only the process with the turn may ask a place, so that it keeps
 * pauses and limits as if it were alone. A process keeps a turn while it asks there and nobody else waits. If somebody
 * waits, it keeps it for a moment, and until its requests there are over. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_turns {
    cw_map *map;                    /* under the lock, like the rest; NULL: no turn was asked for */
    struct cw_joint_turn_at *to_do; /* turns that this process has or wants, or of which Redis does not know all */
    int64_t quiet_us;               /* the thread's: no turn is taken before, since others may have theirs */
    size_t count;                   /* the thread's: turns in the call under way; 0: none */
    cw_shared_turn asked[CW_SHARED_TURNS_MAX];
    struct cw_joint_turn_at *of[CW_SHARED_TURNS_MAX];
} cw_joint_turns;

/* On the thread. Takes wanted turns, and gives back those that others wait for or nobody uses. */
void cw_joint_turns_tell(cw_joint *joint, int64_t now_us);
/* On the thread. The server may lack acknowledged data: gives up all turns, and takes none before quiet_us. */
void cw_joint_turns_drop(cw_joint *joint, int64_t quiet_us);
/* Returns true if Redis has every turn back. */
bool cw_joint_turns_are_told(cw_joint *joint);
void cw_joint_turns_free(cw_joint_turns *turns);
