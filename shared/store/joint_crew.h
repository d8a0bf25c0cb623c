/* The processes of a crawl as users see them. This process tells what it has done and does, at most once a second and
 * less often if nothing changes, and reads the reports of the others while somebody wants them. */
#pragma once

#include "shared/store/joint.h"

#define CW_JOINT_MOMENTS 11u /* the pace of the last ten seconds is computed from them */

typedef struct cw_joint_crew {
    /* Under the lock. */
    int64_t wanted_us; /* when somebody last wanted to know about the others; 0: never */
    crawl_shared_crew read;
    bool is_read;

    /* Belongs to the thread. */
    crawl_shared_report told;   /* the last one with an answer */
    crawl_shared_report sent;   /* the one under way, as sent */
    crawl_shared_report before; /* told before, and part of the sum of gone processes: not told again */
    bool has_told, was_idle;    /* as told last */
    bool is_telling, is_reading;
    bool is_ending, has_ended; /* the report under way is the last one; it was answered */
    int64_t began_us, told_us, read_us;
    struct {
        int64_t us;
        uint64_t pages;
    } moments[CW_JOINT_MOMENTS];
    size_t moment_count;
} cw_joint_crew;

/* On the thread. Tells news, and reads the reports of others if somebody wants them. */
void cw_joint_crew_turn(cw_joint *joint, int64_t now_us);
/* On the thread. Returns true if somebody looks at the crawl. */
bool cw_joint_crew_is_wanted(cw_joint *joint, int64_t now_us);
/* On the thread. Tells that this process ends. True: it is told, or need not be. */
bool cw_joint_crew_end(cw_joint *joint);
/* Under the lock. Copies the last crew that was read. CRAWL_AGAIN: nothing yet. CRAWL_ENOMEM. */
crawl_err cw_joint_crew_copy(cw_joint_crew *crew, crawl_shared_crew *out);
void cw_joint_crew_free(cw_joint_crew *crew);
