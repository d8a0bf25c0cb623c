/* The home of a host: the worker that asked it last, and that may still have its connection open. A lease that another
 * worker took from the frontier is sent there, so that a host that is asked repeatedly costs one connection and one
 * handshake, whatever the number of workers. A lease stays with its worker
 *
 * - if a request to the host is under way: the next one needs a connection of its own anyway;
 * - if its home has no room for a transfer, or clearly more work than this worker. So hosts move from workers with too
 *   much work to workers with little, which become their homes. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* Lets leases come from now on. Call this and the next two on the maker's thread. */
void cw_visit_home_open(cw_visit_maker *maker);
/* Returns the leases received to the frontier: they are not begun now. */
void cw_visit_home_return(cw_visit_maker *maker);
/* Likewise, and lets no more come. */
void cw_visit_home_close(cw_visit_maker *maker);

/* Makes the maker the host's home. */
void cw_visit_home_settle(cw_visit *visit);
/* Sends the lease of a visit that has not begun, with its host, to the host's home. True: the visit is over here.
 * False: the caller begins it. */
bool cw_visit_home_send(cw_visit *visit);
/* Takes a lease that was sent here, with its host, into a visit without one. False: there is none. */
bool cw_visit_home_take(cw_visit *visit);
