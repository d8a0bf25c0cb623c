/* The thread's sessions with hosts: they are taken, sought, renewed, written to, and given back. */
#pragma once

#include "shared/store/hold.h"

/* The thread's. */
typedef struct cw_joint_renewal {
    cw_shared_hold *asked; /* under way; NULL: none are */
    cw_joint_hold **of;
    size_t count;
    int64_t asked_us;
} cw_joint_renewal;

void cw_joint_write_hosts(cw_joint *joint);
void cw_joint_free_gone(cw_joint *joint);
/* Asks Redis for hosts that are sought for their urgent requests. */
void cw_joint_seek_hosts(cw_joint *joint, int64_t now_us);
void cw_joint_take_hosts(cw_joint *joint, int64_t now_us);
void cw_joint_renew_hosts(cw_joint *joint, int64_t now_us);
