/* The invariants of what is in memory of a durable frontier, for tests: see tail.c. */
#ifndef CW_FRONTIER_DISK_CHECK_H
#define CW_FRONTIER_DISK_CHECK_H

#include "frontier/disk/disk.h"

/* The check of the store on disk (store.h). */
const char *cw_disk_check(crawl_frontier *frontier, uint64_t *bytes);

#endif
