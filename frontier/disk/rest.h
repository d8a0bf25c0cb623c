/* Resting hosts. If more hosts are known than there is memory for, hosts with nothing leased, in memory or in the stage
 * leave memory; they come back from their records when something is pushed for them or they are to be asked. A resting
 * host's record says what it has queued. */
#pragma once

#include "frontier/disk/disk_record.h"

/* Memory of a host with a few requests, including its places in table and heaps. */
#define CW_DISK_HOST_BYTES 400u

typedef struct cw_disk_rest {
    uint64_t most; /* hosts in memory beyond which some leave it */
    size_t hand;   /* slot of the hosts in memory that is examined next, in turn */
    unsigned vain; /* sweeps in a row that found nothing, up to a bound: the more, the shorter the next one */
    cw_disk_kill kill;
    crawl_buf record; /* of the host looked up last */
} cw_disk_rest;

/* Enables resting for the hosts of an open frontier. */
void cw_disk_rest_join(crawl_frontier *frontier);
/* Lets hosts rest if there are too many, to make room for `others` new ones. No caller may hold a host without leases.
 * An error is recorded as the failure. */
crawl_err cw_disk_rest_some(crawl_frontier *frontier, size_t others);
/* For store.h. */
crawl_err cw_disk_rest_wake(crawl_frontier *frontier, const uint32_t *numbers, size_t count);

/* For opening. fill: gives the requests of the record to a host that has none. standing: returns how a host stands that
 * was found to have them, while none is in memory. */
crawl_err cw_disk_rest_fill(crawl_frontier *frontier, cw_frontier_host *host, const cw_disk_host_record *record);
crawl_standing cw_disk_rest_standing(const crawl_frontier *frontier, const cw_frontier_host *host, int64_t asked);
