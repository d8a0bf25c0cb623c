/* How the crawl is joined, on the thread of the caller, who waits for it; and how a run of it is, by the thread.
 *
 * A process takes part in a run from its first turn to its last, and says so again before its lease is over, so that
 * whoever comes meanwhile has the same date. Requests that were left for a later run than the one before, and with
 * options.by_runs further visits, are taken as others are where they are due by that date; those that are due later
 * stay in Redis, and nobody waits for them. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_joining {
    crawl_err err;
    crawl_error error;
    char words[200]; /* of the connection */
    bool is_loading; /* the server is there, and reads its data */
    bool was_patient;
    bool made; /* the crawl is a new one */
} cw_joint_joining;

/* Waits until the crawl is joined. CRAWL_EINVAL: user, password or an option will not do; other errors: the server
 * will not. error says why. */
crawl_err cw_joint_join_wait(cw_joint *joint, crawl_error *error);
/* Until then: the connection stands, or is lost. */
void cw_joint_join_on_state(cw_joint *joint, crawl_redis_fault fault, const char *words);

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
