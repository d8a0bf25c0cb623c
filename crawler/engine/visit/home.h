/* The home of a host: the worker that asked it last, and that may still have its connection open. A lease that another
 * worker took from the frontier is sent there, so that a host that is asked time and again costs one connection and one
 * handshake, however many workers there are. It stays where it is
 *
 * - when a request to the host is under way: the next one needs a connection of its own anyway;
 * - when its home has no room for a transfer, or clearly more to do than this worker. So hosts move from workers that
 *   have too much to do to those that have little, which become their homes. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* Leases may come from now on. On the maker's thread, as the two below. */
void cw_visit_home_open(cw_visit_maker *maker);
/* Leases that have come go back to the frontier: they are not begun now. */
void cw_visit_home_return(cw_visit_maker *maker);
/* Likewise, and no more come. */
void cw_visit_home_close(cw_visit_maker *maker);

/* The maker is the host's home from now on. */
void cw_visit_home_settle(cw_visit *visit);
/* Sends the lease of a visit that has not begun, with its host, to the host's home. True: the visit is over here.
 * False: it is to be begun here. */
bool cw_visit_home_send(cw_visit *visit);
/* Takes a lease that was sent here, and its host, into a visit without one. False: there is none. */
bool cw_visit_home_take(cw_visit *visit);
