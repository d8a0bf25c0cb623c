/* Dates to forget at, on disk: each a record of its own, which goes in the write that adds to the log of the seen-set
 * when it has come due. frontier->forgets is a window on the first ones. */
#ifndef CW_FRONTIER_DISK_DATES_H
#define CW_FRONTIER_DISK_DATES_H

#include "frontier/disk/disk.h"

/* Into the batch under way, of a lease that ends: it is forgotten now or at a date, where it can be. true: the log of
 * the seen-set is one batch longer. */
bool cw_disk_dates_end(crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at, int64_t now);

/* For store.h: add, read and forgotten. */
void cw_disk_dates_add(crawl_frontier *frontier, cw_frontier_forget entry);
bool cw_disk_dates_read(crawl_frontier *frontier);
crawl_err cw_disk_dates_forgotten(crawl_frontier *frontier, const cw_frontier_forget *gone, size_t count);

#endif
