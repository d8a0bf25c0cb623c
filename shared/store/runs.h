/* Runs: a process takes part in one from its first turn to its last, and says so again before its lease is over, so
 * that whoever comes meanwhile has the same date. Requests that were left for a later run than the one before, and
 * with options.by_runs further visits, are taken as others are where they are due by that date; those that are due
 * later stay in Redis, and nobody waits for them. */
#ifndef CW_JOINT_RUNS_H
#define CW_JOINT_RUNS_H

#include "shared/store/joint.h"

/* The thread's. */
typedef struct cw_joint_runs {
    int64_t date_ms; /* of the run, for callers; 0: none yet. Written under the lock */
    int64_t told_us; /* when this process said last that it takes part in a run; 0: never, or in vain */
    bool takes_part; /* it has said so, and not the reverse */
    bool is_telling;
} cw_joint_runs;

/* Takes part in a run as long as this process goes on. */
void cw_joint_runs_tell(cw_joint *joint, int64_t now_us);
/* Is it known what is due? */
bool cw_joint_runs_are_known(const cw_joint *joint);
/* Does Redis know that this process takes part no more? */
bool cw_joint_runs_are_left(const cw_joint *joint);

#endif
