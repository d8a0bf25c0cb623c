/* The seeds that a process has brought. No page brings them again, should the server lose them. */
#ifndef CW_FRONTIER_SEEDS_H
#define CW_FRONTIER_SEEDS_H

#include "shared/protocol/shared.h"

typedef struct cw_joint cw_joint;
typedef struct cw_joint_link cw_joint_link;

/* Under the frontier's lock. */
typedef struct cw_joint_seeds {
    cw_joint_link *first;
    size_t bytes;
    bool are_cut; /* they were too many to be kept */

    /* The thread's. */
    uint64_t unfed;   /* workers that were lost while they had seeds, as is known */
    bool are_for_all; /* there were such when this process joined; and it has brought, or brings, all of its own */
} cw_joint_seeds;

/* NULL: no memory. */
cw_joint_link *cw_joint_link_copy(const cw_joint_link *link);
/* Under the lock: keeps a copy. */
void cw_joint_seed_keep(cw_joint *joint, const cw_joint_link *link);
void cw_joint_seeds_free(cw_joint *joint);

/* Not under the lock: this process has seeds that are not all offered yet, or has no more of them. */
void cw_joint_feed(cw_joint *joint, bool feeding);
/* Under the lock: what Redis is to be told when all are there. */
cw_shared_feeding cw_joint_seeds_done(const cw_joint *joint);
/* So many workers are known to have been lost while they had seeds: the user is told when they become more, and at the
 * end. The thread's. */
void cw_joint_seeds_note_unfed(cw_joint *joint, uint64_t unfed, bool is_end);

#endif
