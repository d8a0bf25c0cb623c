/* What the frontier calls of its store, under its lock: it puts things down for the thread, and never waits. */
#ifndef CW_JOINT_STORE_H
#define CW_JOINT_STORE_H

#include "shared/store/joint.h"

/* All of the frontier's store but its close, stop and free, which are those of whoever opens it. */
void cw_joint_store(crawl_frontier *frontier, cw_joint *joint);

#endif
