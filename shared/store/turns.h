/* Turns at places, an address or a group of hosts, that one process alone may ask at a time, so that it keeps their
 * pauses and limits as if nobody else were there. A process keeps a turn for as long as it asks there and nobody waits
 * for it; where somebody does, for a moment, and until its requests there are over. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_turns {
    cw_map *map;                    /* under the lock, as is what follows; NULL: none was asked for */
    struct cw_joint_turn_at *to_do; /* those that this process has or wants, or of which Redis has not heard all */
    int64_t quiet_us;               /* the thread's: none is taken before, since others may have theirs */
    size_t count;                   /* the thread's: of a call that is under way; 0: there is none */
    cw_shared_turn asked[CW_SHARED_TURNS_MAX];
    struct cw_joint_turn_at *of[CW_SHARED_TURNS_MAX];
} cw_joint_turns;

/* The thread's: takes turns that are wanted, and gives back those that others wait for or nobody uses. */
void cw_joint_turns_tell(cw_joint *joint, int64_t now_us);
/* The thread's: the server may lack what it had acknowledged. All turns are given up, and none is taken before. */
void cw_joint_turns_drop(cw_joint *joint, int64_t quiet_us);
/* Has Redis every turn back? */
bool cw_joint_turns_are_told(cw_joint *joint);
void cw_joint_turns_free(cw_joint_turns *turns);
