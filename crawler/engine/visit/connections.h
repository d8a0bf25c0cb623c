/* The connections of a maker: how many requests it may have under way at once, and for which hosts. */
#pragma once

#include "crawler/engine/visit/maker.h"

/* Returns how many connections the maker may use now. After a shortage in the system, the number rises again
 * gradually. */
unsigned cw_visit_connections_allowed(cw_visit_maker *maker);
/* Sets how many connections the maker may have. May be called from any thread. */
void cw_visit_connections_set(cw_visit_maker *maker, unsigned capacity);
/* Makes the maker use fewer connections for a while. Call when there was no socket for a request; words say why. */
void cw_visit_connections_squeeze(cw_visit_maker *maker, const char *words);

/* The visit's transfer has begun. */
void cw_visit_connections_began(cw_visit *visit);
/* Stops watching whether the visit's request is slow. The end of its transfer is reported by
 * cw_visit_connections_ended. */
void cw_visit_connections_leave(cw_visit *visit);
/* A visit whose connection was counted as ended is under way again, to have its answer read. */
void cw_visit_connections_resumed(cw_visit_maker *maker);
/* One of the maker's transfers has ended: tells maker->on_ended. */
void cw_visit_connections_ended(cw_visit_maker *maker);

/* Tells whether the visit may have a connection to its host now. CW_ADMIT_WAIT: the visit was ended, and comes again.
 * CW_ADMIT_REFUSE: visit->pass.words says why. */
cw_host_admission cw_visit_connections_admit(cw_visit *visit);
/* Returns slow requests to the frontier if other hosts wait for their connections (lane.h). Call while all connections
 * are taken. Returns the milliseconds until the next call is due. */
int64_t cw_visit_connections_yield(cw_visit_maker *maker);
