/* Asking for robots.txt. The request goes through the frontier as an urgent one, so that it keeps to the host's pause
 * like any other; until its answer is there the host is blocked for everything else.
 *
 * The request carries whose robots.txt it is about, for a process that finds it in a durable frontier: the site is the
 * one it goes to, or, after a redirect to another, the one named by its body, which is not sent. */
#ifndef CW_VISIT_ROBOTS_VISIT_H
#define CW_VISIT_ROBOTS_VISIT_H

#include "crawler/engine/visit/maker.h"

/* The visit's site is unknown: asks for its robots.txt first, and ends the visit, which comes again. */
void cw_visit_robots_ask(cw_visit *visit);
/* Takes the lease over. */
void cw_visit_robots_begin(cw_visit *visit);

#endif
