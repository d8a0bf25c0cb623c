/* Hosts that rest: where more are known than there is memory for, those with nothing queued or leased leave it, and
 * come back from their records when something is pushed for them. */
#ifndef CW_FRONTIER_DISK_REST_H
#define CW_FRONTIER_DISK_REST_H

#include "frontier/disk/disk_record.h"

/* Memory of a host with a few requests, its places in table and heaps included. */
#define CW_DISK_HOST_BYTES 400u

typedef struct cw_disk_rest {
    uint64_t most;    /* hosts in memory from which on others leave it */
    size_t hand;      /* the number that is looked at next, and so in turn */
    int64_t asked;    /* when stale ones count as asked: at the opening */
    crawl_buf record; /* of the host that was looked for last */
} cw_disk_rest;

/* Lets hosts of an open frontier rest. */
void cw_disk_rest_join(crawl_frontier *frontier);
/* Lets some hosts rest, if there are too many. Nobody may hold a host that has neither requests nor leases. An error is
 * noted as the failure. */
crawl_err cw_disk_rest_some(crawl_frontier *frontier);
/* The stale host of this number, made known again. CRAWL_ABSENT: there is no record of it. CRAWL_ENOMEM,
 * CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_rest_recall_number(crawl_frontier *frontier, uint32_t number, cw_frontier_host **out,
                                     crawl_error *error);

#endif
