/* What a live view answers: who may ask, which paths there are, and the headers that each answer has. */
#ifndef CW_LIVE_ANSWERS_H
#define CW_LIVE_ANSWERS_H

#include "crawler/program/live/parts.h"

/* Reads the engine's figures, unless they were read a moment ago. */
void cw_live_refresh(cw_live *live);

/* The JSON of /stats.json, appended. CRAWL_ENOMEM. */
crawl_err cw_live_figures(cw_live *live, crawl_buf *out);

/* A request, for evhttp_set_gencb; user: the live view. */
void cw_live_on_request(struct evhttp_request *request, void *user);

#endif
