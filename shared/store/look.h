/* Looks at the whole: what is queued anywhere, whether the crawl is at its end, and whether it is there still.
 *
 * Whoever wants the figures of the end waits for a last look: until this process has told all that it has to, and has
 * looked once more.
 *
 * A server that keeps nothing comes back empty, a node of a cluster gets slots without their keys, and another server
 * may have come to an address: that nothing is left there does not mean that this crawl is over, and what this process
 * has found does not belong there. Every script finds out before it does anything (shared/protocol/scripts/common.lua).
 * All that is read without one is read after the question which crawl it is, that is asked before all else whenever the
 * connection is made anew, and with each look. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_look {
    uint64_t wanted, had; /* under the lock: by callers who wait for joint->looked */

    /* The thread's. */
    int64_t looked_us;
    uint64_t accepted; /* when the one that is under way began */
    uint64_t serves;   /* so many of `wanted`, when it is answered */
    int64_t run_ms;    /* the date of the run in which it was asked what is due; 0: of none */
    bool is_out;
    bool is_asking_made; /* which crawl the server has */
    bool knows_crawl;    /* the connection's is the one that was joined */
} cw_joint_look;

bool cw_joint_look_create_condition(pthread_cond_t *condition);
/* The thread's: looks where it is time. */
void cw_joint_look_turn(cw_joint *joint, int64_t now_us);
/* The thread's. False: the connection is a new one, and it is not known yet whether the crawl is there; so nothing is
 * to be sent. */
bool cw_joint_look_knows_crawl(cw_joint *joint);
