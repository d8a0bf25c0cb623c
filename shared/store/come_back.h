/* What follows when a server comes back that may lack something it had acknowledged. */
#ifndef CW_JOINT_COME_BACK_H
#define CW_JOINT_COME_BACK_H

#include "shared/store/joint.h"

/* The thread's: sees to what may have been lost with a server, if one came back. The user is told of that, and once of
 * a server that keeps no log. */
void cw_joint_come_back(cw_joint *joint);

#endif
