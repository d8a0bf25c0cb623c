/* Limits of pages per place, a host or a domain, which all processes share: tickets as in budget.h, for each place, in
 * the partition of its name. A process has few tickets ahead, and gives unused ones back soon, so that others need not
 * wait. */
#pragma once

#include "shared/store/joint.h"

/* Under the lock. */
typedef struct cw_joint_places {
    cw_map *map;                  /* by place; NULL: none was asked for */
    struct cw_joint_place *to_do; /* places of which Redis does not know all yet */
} cw_joint_places;

/* On the thread. Takes wanted tickets, and gives unused ones back. */
void cw_joint_places_tell(cw_joint *joint, int64_t now_us);
/* Returns true if Redis knows all and has every unused ticket back. */
bool cw_joint_places_are_told(cw_joint *joint);
void cw_joint_places_free(cw_joint_places *places);
