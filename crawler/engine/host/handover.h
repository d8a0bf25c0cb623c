/* What a process of a shared crawl has found out of a host's pace, for the one that has the host next: failures in a
 * row, backoff, that it is given up, and the pause that follows its answer times. It stands in the host's note, before
 * what sites.c keeps there, and is written when the host is given back; so the record of the host can be forgotten. */
#ifndef CW_HANDOVER_H
#define CW_HANDOVER_H

#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>

/* The part of a host's note that is the site's (site_note.h). */
crawl_slice cw_host_handover_skip(crawl_slice note);

/* This process is about to give the host back: writes what there is to hand over. */
void cw_host_handover_give(crawl_engine *engine, cw_host_record *host);
/* Before the host is asked for the first time: takes over what stands there. False: nothing does, or more is known. */
bool cw_host_handover_take(crawl_engine *engine, cw_host_record *host);

#endif
