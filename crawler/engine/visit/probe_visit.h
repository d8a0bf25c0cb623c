/* The visit of a page that cannot be there (probing.h): an urgent request, in the host's pause, that obeys robots.txt
 * and makes no record. */
#ifndef CW_VISIT_PROBE_VISIT_H
#define CW_VISIT_PROBE_VISIT_H

#include "crawler/engine/visit/maker.h"

/* Is the visit one? */
bool cw_visit_probe_is(const cw_visit *visit);
/* Asks. */
void cw_visit_probe_ask(cw_visit *visit);

#endif
