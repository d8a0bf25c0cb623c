/* The thread's sessions with hosts: takes, seeks, renews, writes and gives back. */
#pragma once

#include "shared/store/hold.h"

/* Belongs to the thread. */
typedef struct cw_joint_renewal {
    cw_shared_hold *asked; /* under way; NULL: none */
    cw_joint_hold **of;
    size_t count;
    int64_t asked_us;
} cw_joint_renewal;

void cw_joint_write_hosts(cw_joint *joint);
void cw_joint_free_gone(cw_joint *joint);
/* Asks Redis for hosts that are sought because of their urgent requests. */
void cw_joint_seek_hosts(cw_joint *joint, int64_t now_us);
void cw_joint_take_hosts(cw_joint *joint, int64_t now_us);
void cw_joint_renew_hosts(cw_joint *joint, int64_t now_us);
