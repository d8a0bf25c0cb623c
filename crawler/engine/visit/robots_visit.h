/* Asking for robots.txt. */
#ifndef CW_ROBOTS_VISIT_H
#define CW_ROBOTS_VISIT_H

#include "crawler/engine/visit/visit.h"

void cw_robots_visit_begin(cw_visit *visit); /* takes the lease over */
void cw_robots_visit_ask(cw_visit *visit);   /* the visit's site is unknown: asks for its robots.txt first */

#endif
