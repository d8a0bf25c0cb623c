/* The records that a push writes. */
#ifndef CW_FRONTIER_DISK_PUT_H
#define CW_FRONTIER_DISK_PUT_H

#include "frontier/disk/disk.h"
#include "frontier/push/push.h"

/* For store.h: reserve_batch and put. */
crawl_err cw_disk_put_reserve(crawl_frontier *frontier, cw_frontier_batch *batch);
crawl_err cw_disk_put_batch(crawl_frontier *frontier, cw_frontier_batch *batch, int64_t now);

#endif
