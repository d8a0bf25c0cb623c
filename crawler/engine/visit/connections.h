/* The connections of one worker: how many requests it may have on their way at once, and which. */
#ifndef CW_CONNECTIONS_H
#define CW_CONNECTIONS_H

#include "crawler/engine/visit/visit.h"

/* Is there a connection for a host that is slow? Finds out first which requests have become slow (lane.h). */
bool cw_connections_have_room(cw_worker *worker);
/* All connections are taken: those that take others' place go back to the frontier. How long, in milliseconds, until
 * that is to be looked at again. */
int64_t cw_connections_yield(cw_worker *worker);

#endif
