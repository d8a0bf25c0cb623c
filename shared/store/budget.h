/* The limits that all processes share. The thread takes tickets for pages ahead of their use, tells how many tickets
 * and bytes are used up, and finds out when the limits are reached.
 *
 * A process without a ticket, which cannot get one, gives its hosts back: another process may have tickets and no
 * host. */
#pragma once

#include "shared/store/joint.h"

/* Belongs to the thread. */
typedef struct cw_joint_budget {
    crawl_shared_budget known;
    cw_shared_wish told; /* last told to Redis, at told_us; 0: nothing, or in vain */
    int64_t told_us;
    uint64_t left; /* free tickets by the last answer */
    uint64_t ahead;
    bool is_telling;
    bool is_spent; /* under the lock: there is no ticket for a page, here or in Redis */
} cw_joint_budget;

void cw_joint_budget_open(cw_joint_budget *budget);
void cw_joint_budget_tell(cw_joint *joint, int64_t now_us);
/* Returns true if Redis knows all and has every unused ticket back. */
bool cw_joint_budget_is_told(const cw_joint *joint);
