/* The beginning of each visit: may its request be sent? If not, the visit ends with a refusal, comes again later, or
 * has robots.txt asked for first. */
#ifndef CW_VISIT_BEGIN_H
#define CW_VISIT_BEGIN_H

#include "crawler/engine/visit/maker.h"

/* Begins a visit that has its lease, or sends the lease to the worker that has the host's connection (home.h). The
 * visit ends the lease, whatever becomes of it. */
void cw_visit_begin(cw_visit *visit);
/* The same of a lease that was sent here, with its host. */
void cw_visit_begin_at_home(cw_visit *visit);

#endif
