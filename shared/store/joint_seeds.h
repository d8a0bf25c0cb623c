/* The seeds that a process has brought, which no page brings again, should the server lose them; and what Redis is told
 * of them: as long as a process may have more, nobody takes the crawl to be at its end. */
#pragma once

#include "shared/store/joint.h"
#include "shared/store/joint_bytes.h"

typedef struct cw_joint_seeds {
    /* Under the lock. */
    cw_joint_link *first; /* copies */
    size_t bytes;
    bool are_cut;       /* they were too many to be kept */
    bool feeding;       /* there may be more */
    uint64_t fed_epoch; /* that there are no more is not to be told before it is acknowledged */

    /* The thread's. */
    int fed;          /* what Redis was told last: 1 it has some, 0 it has none, -1 nothing */
    bool is_telling;  /* that */
    uint64_t unfed;   /* workers that were lost while they had seeds, as is known */
    bool are_for_all; /* there were such when this process joined; and it has brought, or brings, all of its own */
} cw_joint_seeds;

/* Under the lock: keeps a copy. */
void cw_joint_seed_keep(cw_joint_seeds *seeds, const cw_joint_link *link);
/* Not under the lock: this process has seeds that are not all offered yet, or has no more of them. */
void cw_joint_feed(cw_joint *joint, bool feeding);
/* The thread's. That this process has something to push is said anew when it is time, as long as it has; that it has
 * nothing any more, when all of it is acknowledged. */
void cw_joint_seeds_tell(cw_joint *joint, bool is_time);
/* The thread's. So many workers are known to have been lost while they had seeds: the user is told when they become
 * more, and at the end. */
void cw_joint_seeds_note_unfed(cw_joint *joint, uint64_t unfed, bool is_end);
