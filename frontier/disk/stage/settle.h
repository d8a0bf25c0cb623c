/* Settling: what is in the stage goes under its keys in the queue, and what the log says is done is deleted there: all
 * in one write, sorted. Nothing changes for who asks. */
#ifndef CW_FRONTIER_SETTLE_H
#define CW_FRONTIER_SETTLE_H

#include "frontier/state.h"

/* CRAWL_ENOMEM: nothing was done. CRAWL_EIO, CRAWL_ECORRUPT: noted as the failure of the store. */
crawl_err cw_disk_settle(crawl_frontier *frontier);

/* After a push: settles if there is as much as there may be. What there is no memory for is tried again. */
void cw_disk_settle_if_due(crawl_frontier *frontier);

#endif
