/* Looks at the whole crawl: the queued requests of all partitions, whether the crawl is at its end, and whether it
 * still exists.
 *
 * A caller that wants the final figures waits for a last look: until this process has told everything, and has looked
 * once more.
 *
 * A server without persistence comes back empty, a cluster node gets slots without their keys, or another server takes
 * over an address. If nothing is queued there, this crawl is not over, and the finds of this process do not belong
 * there. So every script checks that first (shared/protocol/scripts/common.lua). Reads without a script follow a
 * question which crawl it is, asked first on each new connection and with each look. */
#pragma once

#include "shared/store/joint.h"

typedef struct cw_joint_look {
    uint64_t wanted, had; /* under the lock: looks for callers that wait for joint->looked */

    /* Belongs to the thread. */
    int64_t looked_us;
    uint64_t accepted; /* joint->counts.accepted when the look under way began */
    uint64_t serves;   /* this many of `wanted` are served by its answer */
    int64_t run_ms;    /* date of the run for which the due requests were asked; 0: none */
    bool is_out;
    bool is_asking_made; /* asking which crawl the server has */
    bool knows_crawl;    /* the connection's crawl is the one that was joined */
} cw_joint_look;

/* On the thread. Looks if it is time. */
void cw_joint_look_turn(cw_joint *joint, int64_t now_us);
/* On the thread. False: the connection is new, and it is not known yet whether the crawl exists, so nothing must be
 * sent. */
bool cw_joint_look_knows_crawl(cw_joint *joint);
