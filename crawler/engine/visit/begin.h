/* The beginning of each visit: may its request be sent, and what is sent in its place if not. */
#ifndef CW_VISIT_BEGIN_H
#define CW_VISIT_BEGIN_H

#include "crawler/engine/visit/maker.h"

/* Takes the lease over, or sends it to the worker that has the host's connection (home.h). */
void cw_visit_begin(cw_visit *visit);
/* The same of a lease that was sent here, with its host. */
void cw_visit_begin_at_home(cw_visit *visit);

#endif
