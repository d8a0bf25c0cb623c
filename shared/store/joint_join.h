/* Joins the crawl on the thread of the caller, who waits for it. The thread then follows the runs of the crawl.
 *
 * A process takes part in a run from its first turn to its last, and says so again before its lease is over, so that
 * processes that come meanwhile get the same date. Requests left for a later run, and with options.by_runs further
 * visits, are taken like others if they are due by that date. Requests due later stay in Redis, and nobody waits for
 * them. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_joining {
    crawl_err err;
    crawl_error error;
    char words[200]; /* what keeps the connection from being used; "": nothing */
    bool was_there;  /* the server has answered, if only that it reads its data */
    bool was_patient;
    unsigned ticks; /* left of the wait */
    bool made;      /* the crawl is new */
} cw_joint_joining;

/* Waits until the crawl is joined. CRAWL_EINVAL: user, password or an option is refused; other errors: the server
 * fails. error says why. */
crawl_err cw_joint_join_wait(cw_joint *joint, crawl_error *error);
/* Takes the state of the connection until the crawl is joined. */
void cw_joint_join_on_state(cw_joint *joint, crawl_redis_fault fault, const char *words);

/* Belongs to the thread. */
typedef struct cw_joint_runs {
    int64_t date_ms; /* date of the run, for callers; 0: none yet. Written under the lock */
    int64_t told_us; /* when this process last said that it takes part in a run; 0: never, or in vain */
    bool takes_part; /* it has said so, and has not left */
    bool is_telling;
} cw_joint_runs;

/* Takes part in a run while this process goes on. */
void cw_joint_runs_tell(cw_joint *joint, int64_t now_us);
/* Returns true if it is known which requests are due. */
bool cw_joint_runs_are_known(const cw_joint *joint);
/* Returns true if Redis knows that this process no longer takes part. */
bool cw_joint_runs_are_left(const cw_joint *joint);
