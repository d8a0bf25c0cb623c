/* The store of a durable frontier, as store.h wants it. */
#ifndef CW_FRONTIER_DISK_STORE_H
#define CW_FRONTIER_DISK_STORE_H

#include "frontier/disk/disk.h"

/* Makes an open disk the store of a frontier that has nothing in it yet. */
void cw_disk_join(cw_disk *disk, crawl_frontier *frontier);

#endif
