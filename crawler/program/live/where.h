/* Tells whoever runs the crawl where its live page is, and the token by which the page controls the crawl. */
#ifndef CW_LIVE_WHERE_H
#define CW_LIVE_WHERE_H

#include "crawler/program/live/live.h"

/* listen: the value of --listen. Where it leaves the port to the system, the URL is told also with --quiet, for nobody
 * could guess it. */
void cw_live_say_where(const cw_live *live, const char *listen);

#endif
