/* Fills a window (tail.h) with the requests that come next on disk, and makes delayed requests ready when they are
 * due. */
#ifndef CW_DISK_REFILL_H
#define CW_DISK_REFILL_H

#include "frontier/disk/stage/tail.h"

/* Reads requests of a lane whose first one is on disk only. CRAWL_ENOMEM: unchanged. CRAWL_EIO, CRAWL_ECORRUPT:
 * noted as the failure of the store. */
crawl_err cw_disk_tail_refill(cw_frontier_queue *queue, int lane);

/* Makes the delayed requests ready that are due, on disk and in memory. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some
 * are still delayed; noted as the failure of the store. */
crawl_err cw_disk_tail_ripen(cw_frontier_queue *queue, crawl_order order, int64_t now);

#endif
