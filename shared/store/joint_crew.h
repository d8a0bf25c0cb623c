/* The processes of a crawl as people see them: this one tells what it has done and does, once a second at most and the
 * more rarely where nothing changes, and reads what others have told, while somebody wants to know. */
#pragma once

#include "shared/store/joint.h"

#define CW_JOINT_MOMENTS 11u /* of which the pace of the last ten seconds is reckoned */

typedef struct cw_joint_crew {
    /* Under the lock. */
    int64_t wanted_us; /* when somebody wanted to know of the others last; 0: nobody did */
    crawl_shared_crew read;
    bool is_read;

    /* The thread's. */
    crawl_shared_report told;   /* last, and with an answer */
    crawl_shared_report sent;   /* what is under way, as it is sent */
    crawl_shared_report before; /* what was told and is added up with what others did: it is told no more */
    bool has_told, was_idle;    /* as it told last */
    bool is_telling, is_reading;
    bool is_ending, has_ended; /* what is under way is its last word; that was answered */
    int64_t began_us, told_us, read_us;
    struct {
        int64_t us;
        uint64_t pages;
    } moments[CW_JOINT_MOMENTS];
    size_t moment_count;
} cw_joint_crew;

/* The thread's: tells, where there is something new, and reads what others have told, where somebody wants to know. */
void cw_joint_crew_turn(cw_joint *joint, int64_t now_us);
/* The thread's: does somebody look at the crawl? */
bool cw_joint_crew_is_wanted(cw_joint *joint, int64_t now_us);
/* The thread's: tells that this process ends. True: it is told, or is not to be. */
bool cw_joint_crew_end(cw_joint *joint);
/* Under the lock: what was read last. CRAWL_AGAIN: nothing yet. CRAWL_ENOMEM. */
crawl_err cw_joint_crew_copy(cw_joint_crew *crew, crawl_shared_crew *out);
void cw_joint_crew_free(cw_joint_crew *crew);
