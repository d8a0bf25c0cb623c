/* The beginning of each visit: may its request be sent, and what is sent in its place if not. */
#ifndef CW_VISIT_BEGIN_H
#define CW_VISIT_BEGIN_H

#include "crawler/engine/visit/maker.h"

/* Takes the lease over. */
void cw_visit_begin(cw_visit *visit);

#endif
