/* What follows when a server comes back that may lack something it had acknowledged. */
#ifndef CW_FRONTIER_COME_BACK_H
#define CW_FRONTIER_COME_BACK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cw_joint cw_joint;
typedef struct cw_joint_link cw_joint_link;

/* Seeds that this process brought. Under the frontier's lock. */
typedef struct cw_joint_seeds {
    cw_joint_link *first;
    size_t bytes;
    bool are_cut; /* they were too many to be kept */
} cw_joint_seeds;

/* Under the lock: keeps a copy, so that it can be brought again. */
void cw_joint_keep_seed(cw_joint *joint, const cw_joint_link *link);
/* The thread's: sees to what may have been lost with a server, if one came back. The user is told of that, and once of
 * a server that keeps no log. */
void cw_joint_come_back(cw_joint *joint);
void cw_joint_come_back_free(cw_joint *joint);

#endif
