/* Making requests due that wait for a date, where they stand: on disk. */
#ifndef CW_FRONTIER_DISK_HASTEN_H
#define CW_FRONTIER_DISK_HASTEN_H

#include "frontier/disk/stage/tail.h"

/* The store's part of crawl_frontier_hasten. CRAWL_ENOMEM, CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_tail_hasten(crawl_frontier *frontier, cw_frontier_queue *queue,
                              struct cw_frontier_hastening *hastening);

#endif
