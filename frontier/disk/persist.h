/* The writes of a durable frontier's calls, under its lock: each in one batch, which reaches the disk completely or not
 * at all. */
#pragma once

#include "frontier/disk/disk.h"
#include "frontier/push/push.h"

/* Adds a request that becomes ready, with its host if that has no record yet. Between cw_disk_begin and
 * cw_disk_commit. */
void cw_disk_persist_new(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                         const cw_frontier_item *item);
/* Adds the host's record, if there is none yet. */
void cw_disk_persist_host_of(crawl_frontier *frontier, cw_frontier_host *host);

/* Writes an urgent request alone. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_persist_urgent(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                                 const cw_frontier_item *item);
/* Writes the end of a lease with this outcome; the attempt is counted already. CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_persist_done(crawl_frontier *frontier, cw_frontier_lease *lease, crawl_outcome outcome, int64_t at,
                               int64_t now);
/* Writes the end of a lease in a further visit: `next` is queued in place of its request, with this sequence. There
 * must be room for the record. CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_persist_again(crawl_frontier *frontier, cw_frontier_lease *lease, cw_frontier_item *next,
                                uint64_t sequence, int64_t at, int64_t now);
/* Writes the state of a host that is kept beside its requests. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_persist_host(crawl_frontier *frontier, cw_frontier_host *host);

/* Writes all that a clean shutdown leaves: hosts with the places of their queues, figures, a snapshot, and the mark. */
crawl_err cw_disk_persist_end(crawl_frontier *frontier, crawl_error *error);

/* Dates to forget at, on disk: each is a record of its own, deleted by the write that adds the removal to the log of
 * the seen-set when it is due. frontier->forgets is a window on the first ones. */

/* Adds to the current batch, for a lease that ends, the forgetting of its request, now or at a date, if it can be
 * forgotten. true: the log of the seen-set is one batch longer. */
bool cw_disk_dates_end(crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at, int64_t now);

/* For store.h: add, read and forgotten. */
void cw_disk_dates_add(crawl_frontier *frontier, cw_frontier_forget entry);
bool cw_disk_dates_read(crawl_frontier *frontier);
crawl_err cw_disk_dates_forgotten(crawl_frontier *frontier, const cw_frontier_forget *gone, size_t count);

/* For store.h: reserve_batch and put. */
crawl_err cw_disk_put_reserve(crawl_frontier *frontier, cw_frontier_batch *batch);
crawl_err cw_disk_put_batch(crawl_frontier *frontier, cw_frontier_batch *batch, int64_t now);
