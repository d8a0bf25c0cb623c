/* The thread of a joint frontier: so many times a second it has a turn, in which it brings to Redis what has gathered
 * since, takes hosts where some are wanted, keeps those that it has, and looks now and then whether anything is left
 * anywhere. */
#ifndef CW_JOINT_LOOP_H
#define CW_JOINT_LOOP_H

#include "shared/store/joint.h"

/* Makes the loop, in which nothing goes on yet. */
crawl_err cw_joint_loop_create(cw_joint *joint, crawl_error *error);
crawl_err cw_joint_loop_start(cw_joint *joint);
/* Waits until the thread has ended. how: its `closing` or `stopping`. */
void cw_joint_loop_end(cw_joint *joint, atomic_bool *how);
void cw_joint_loop_free(cw_joint_thread *thread);
/* One turn. */
void cw_joint_turn(cw_joint *joint);

#endif
