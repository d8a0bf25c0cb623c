/* Decides whose requests a live view answers, and with which headers. resources.h has the things that can be looked
 * at, control.h those that can be changed. */
#ifndef CW_LIVE_ANSWERS_H
#define CW_LIVE_ANSWERS_H

#include "crawler/program/live/live_parts.h"

/* A request, for evhttp_set_gencb; user: the live view. */
void cw_live_on_request(struct evhttp_request *request, void *user);

#endif
