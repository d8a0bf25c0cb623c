/* Bodies of pages, of which Redis says who had them first. The thread's. */
#ifndef CW_JOINT_BODIES_H
#define CW_JOINT_BODIES_H

#include "shared/store/joint.h"

void cw_joint_bodies_ask(cw_joint *joint);
void cw_joint_bodies_free(cw_joint *joint);

#endif
