/* The seeds that a process has brought. No page brings them again, should the server lose them. */
#ifndef CW_FRONTIER_SEEDS_H
#define CW_FRONTIER_SEEDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cw_joint cw_joint;
typedef struct cw_joint_link cw_joint_link;

/* Under the frontier's lock. */
typedef struct cw_joint_seeds {
    cw_joint_link *first;
    size_t bytes;
    bool are_cut; /* they were too many to be kept */
} cw_joint_seeds;

/* NULL: no memory. */
cw_joint_link *cw_joint_link_copy(const cw_joint_link *link);
/* Under the lock: keeps a copy. */
void cw_joint_seed_keep(cw_joint *joint, const cw_joint_link *link);
void cw_joint_seeds_free(cw_joint *joint);

#endif
