/* The connections of a maker: how many requests it may have under way at once, and for which hosts. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* How many connections the maker may use now. After there were too many for the system, the number rises again little
 * by little. */
unsigned cw_visit_connections_allowed(cw_visit_maker *maker);
/* Allows the maker so many connections from now on. May be called from any thread. */
void cw_visit_connections_set(cw_visit_maker *maker, unsigned capacity);
/* To be called when there was no socket for a request; words say why. The maker uses fewer connections for a while. */
void cw_visit_connections_squeeze(cw_visit_maker *maker, const char *words);

/* The visit's transfer has begun. */
void cw_visit_connections_began(cw_visit *visit);
/* Stops to watch whether the visit's request is slow. That its transfer has ended is told by the next call. */
void cw_visit_connections_leave(cw_visit *visit);
/* A visit whose connection was counted as ended is under way again: its answer is read. */
void cw_visit_connections_resumed(cw_visit_maker *maker);
/* One of the maker's transfers has ended: tells maker->on_ended. */
void cw_visit_connections_ended(cw_visit_maker *maker);

/* May the visit have a connection to its host now? CW_ADMIT_WAIT: the visit was ended, and comes again.
 * CW_ADMIT_REFUSE: visit->pass.words says why not. */
cw_host_admission cw_visit_connections_admit(cw_visit *visit);
/* To be called while all connections are taken: slow requests that other hosts wait for go back to the frontier
 * (lane.h). Returns the milliseconds until this must be called again. */
int64_t cw_visit_connections_yield(cw_visit_maker *maker);
