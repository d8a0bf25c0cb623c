/* The visit of a robots.txt. Its request goes through the frontier as an urgent one, so that it keeps to the host's
 * pause like any other; until its answer is there the host is blocked for everything else.
 *
 * The request tells which site it is about also to a later process, which finds it in a durable frontier: that is the
 * site it goes to or, after a redirect to another host, the one that its body names. The body is not sent. */
#ifndef CW_VISIT_ROBOTS_VISIT_H
#define CW_VISIT_ROBOTS_VISIT_H

#include "crawler/engine/visit/maker.h"

/* Has the robots.txt of the visit's site asked for, and ends the visit, which comes again after that. */
void cw_visit_robots_ask(cw_visit *visit);
/* Begins the visit of a robots.txt. It ends its lease, sooner or later. */
void cw_visit_robots_begin(cw_visit *visit);

#endif
