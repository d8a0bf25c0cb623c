/* The connections of a visitor: how many requests it may have on their way at once, and which. */
#ifndef CW_CONNECTIONS_H
#define CW_CONNECTIONS_H

#include "crawler/engine/visit/visitor.h"

/* As many as there may be now, a few more after a while where there were too many. */
unsigned cw_connections_allowed(cw_visitor *visitor);
/* There was no socket for a request, words say why: the visitor makes do with fewer for a while. */
void cw_connections_squeeze(cw_visitor *visitor, const char *words);

void cw_connections_began(cw_visit *visit);
/* Its connection is no longer watched; the end of its transfer is yet to be told. */
void cw_connections_leave(cw_visit *visit);
/* Tells visitor->on_ended. */
void cw_connections_ended(cw_visitor *visitor);

/* Is there a connection for a host that is slow? Finds out first which requests have become slow (lane.h). */
bool cw_connections_have_room(cw_visitor *visitor);
/* All connections are taken: those that take others' place go back to the frontier. How long, in milliseconds, until
 * that is to be looked at again. */
int64_t cw_connections_yield(cw_visitor *visitor);

#endif
