/* Pages of places, a host's or a domain's, which all processes together count: tickets as in budget.h, for each place
 * its own, in the partition of its name. A process has few of them ahead, and gives them back soon when nobody takes
 * them, so that others need not wait. */
#pragma once

#include "shared/store/joint.h"

/* Under the lock. */
typedef struct cw_joint_places {
    cw_map *map;                  /* of tickets; NULL: none was asked for */
    struct cw_joint_place *to_do; /* of these, those that Redis has not heard all of */
} cw_joint_places;

/* The thread's: takes tickets where they are wanted, and gives back those that nobody takes. */
void cw_joint_places_tell(cw_joint *joint, int64_t now_us);
/* Does Redis know all, and has every ticket back that was not taken? */
bool cw_joint_places_are_told(cw_joint *joint);
void cw_joint_places_free(cw_joint_places *places);
