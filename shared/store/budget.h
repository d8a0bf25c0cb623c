/* The means that all processes share. The thread takes tickets for pages ahead of their use, tells how many are
 * used up and how many bytes were fetched, and finds out when all of it is over.
 *
 * A process that has no ticket and cannot have one gives its hosts back: another one may have tickets and no host. */
#pragma once

#include "shared/store/joint.h"

/* The thread's. */
typedef struct cw_joint_budget {
    crawl_shared_budget known;
    cw_shared_wish told; /* to Redis last, at told_us; 0: nothing, or in vain */
    int64_t told_us;
    uint64_t left; /* tickets that are nobody's, by the last answer */
    uint64_t ahead;
    bool is_telling;
    bool is_spent; /* under the lock: there is no ticket for a page, neither here nor in Redis */
} cw_joint_budget;

void cw_joint_budget_open(cw_joint_budget *budget);
void cw_joint_budget_tell(cw_joint *joint, int64_t now_us);
/* Does Redis know all, and has every ticket back that was not taken? */
bool cw_joint_budget_is_told(const cw_joint *joint);
