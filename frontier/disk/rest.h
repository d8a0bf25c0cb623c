/* Hosts that rest: where more are known than there is memory for, those of which nothing is leased, in memory or in the
 * stage leave it, and come back from their records when something is pushed for them or they are to be asked. The
 * record of a host that rests says what of it is queued. */
#pragma once

#include "frontier/disk/disk_record.h"

/* Memory of a host with a few requests, its places in table and heaps included. */
#define CW_DISK_HOST_BYTES 400u

typedef struct cw_disk_rest {
    uint64_t most; /* hosts in memory from which on others leave it */
    size_t hand;   /* the slot of hosts in memory that is looked at next, and so in turn */
    cw_disk_kill kill;
    crawl_buf record; /* of the host that was looked for last */
} cw_disk_rest;

/* Lets hosts of an open frontier rest. */
void cw_disk_rest_join(crawl_frontier *frontier);
/* Lets hosts rest, if there are too many, where so many others may become known. Nobody may hold a host without
 * leases. An error is noted as the failure. */
crawl_err cw_disk_rest_some(crawl_frontier *frontier, size_t others);
/* For store.h. */
crawl_err cw_disk_rest_wake(crawl_frontier *frontier, const uint32_t *numbers, size_t count);

/* For the opening: the requests of the record become those of a host that has none; how a host stands that was found
 * to have them then, of which nothing is in memory. */
crawl_err cw_disk_rest_fill(crawl_frontier *frontier, cw_frontier_host *host, const cw_disk_host_record *record);
crawl_standing cw_disk_rest_standing(const crawl_frontier *frontier, const cw_frontier_host *host, int64_t asked);
