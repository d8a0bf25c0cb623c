/* The connections of a maker of visits: how many requests it may have on their way at once, and which. */
#ifndef CW_VISIT_CONNECTIONS_H
#define CW_VISIT_CONNECTIONS_H

#include "crawler/engine/visit/maker.h"

/* How many connections the maker may use now. After there were too many for the system, the number rises again little
 * by little. */
unsigned cw_visit_connections_allowed(cw_visit_maker *maker);
/* There may be so many from now on. From any thread. */
void cw_visit_connections_set(cw_visit_maker *maker, unsigned capacity);
/* There was no socket for a request, words say why: the maker makes do with fewer for a while. */
void cw_visit_connections_squeeze(cw_visit_maker *maker, const char *words);

void cw_visit_connections_began(cw_visit *visit);
/* The visit's connection is no longer watched; the end of its transfer is yet to be told. */
void cw_visit_connections_leave(cw_visit *visit);
/* Tells maker->on_ended. */
void cw_visit_connections_ended(cw_visit_maker *maker);

/* May the visit have a connection to its host now? CW_ADMIT_WAIT: the visit was ended, and comes again.
 * CW_ADMIT_REFUSE: visit->pass.words says why not. */
cw_host_admission cw_visit_connections_admit(cw_visit *visit);
/* All connections are taken: requests that take the place of others go back to the frontier. Returns the milliseconds
 * until this must be looked at again. */
int64_t cw_visit_connections_yield(cw_visit_maker *maker);

#endif
