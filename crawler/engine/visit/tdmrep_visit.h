/* The visit of a tdmrep.json (TDMRep, 7.1), with politeness.respect: once for each host, after its robots.txt and as
 * that is asked for (robots_visit.h): as an urgent request, in the host's pause, while the host is blocked for
 * everything else. It obeys robots.txt. Whatever is no such file says nothing. */
#ifndef CW_VISIT_TDMREP_VISIT_H
#define CW_VISIT_TDMREP_VISIT_H

#include "crawler/engine/visit/maker.h"

/* Has the tdmrep.json of the visit's host asked for, and ends the visit, which comes again after that. */
void cw_visit_tdmrep_ask(cw_visit *visit);
/* Begins the visit of a tdmrep.json. It ends its lease, sooner or later. */
void cw_visit_tdmrep_begin(cw_visit *visit);

#endif
