/* The beginning of each visit: may its request be sent, and what is sent in its place if not. */
#ifndef CW_BEGIN_H
#define CW_BEGIN_H

#include "crawler/engine/visit/visitor.h"

/* Takes the lease over. */
void cw_visit_begin(cw_visit *visit);

#endif
