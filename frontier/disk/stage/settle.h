/* Settling: what is in the stage goes under its keys in the queue, and what the log says is done is deleted there,
 * sorted, some hundreds in a write. Nothing changes for who asks. A thread does it beside the calls (settler.h), in
 * steps:
 *
 *   begin    the boundary: from here on pushes fill the other stage, and ends another log     (frontier's lock)
 *   gather   what is to be written is read from the stage on disk and sorted                  (no lock)
 *   write    it is written, with the name up to which this is done                            (guard)
 *   end      the database is told that stage and log up to the boundary are empty             (frontier's lock)
 *   tell     the requests in memory are those of their queues, a few hosts at a time          (frontier's lock)
 *
 * A request of the stage that ends meanwhile as finished stands in the new log as one of the queue, where it will be
 * when that log is settled. One that comes back or is to be forgotten overtakes: its record is written at once, and the
 * settling passes it by. A crash at any point leaves what leftover.c puts in order. */
#pragma once

#include "frontier/disk/stage/settling.h"

struct cw_disk;

/* Changes in one write, and requests in memory told in one go: what a call may have to wait for. */
#define CW_DISK_SETTLE_AT_ONCE 512u

/* Draws the boundary, where no settling is under way, under the frontier's lock. CRAWL_ENOMEM: nothing was done.
 * CRAWL_EIO, CRAWL_ECORRUPT: noted as the failure of the store. */
crawl_err cw_disk_settle_begin(crawl_frontier *frontier);

/* The settling under way, to its end or until *stop is set (NULL: to its end), with a nap after each step that holds
 * the frontier's lock; each_step (NULL: nothing) is called after every step. With `work` held, without the frontier's
 * lock. CRAWL_ENOMEM: the rest can be done later. CRAWL_EIO, CRAWL_ECORRUPT: noted as the failure of the store. */
crawl_err cw_disk_settle_on(crawl_frontier *frontier, const _Atomic bool *stop, void (*each_step)(void *user),
                            void *user);

/* All there is, without the frontier's lock. As cw_disk_settle_on. */
crawl_err cw_disk_settle(crawl_frontier *frontier);

/* For the end of a lease, under the frontier's lock: the request, which is in a stage, is in the batch under way no
 * more in its stage; false: it is in the queue by now. Between the two calls, which stand around the batch and its
 * commit, nothing of it is settled. */
void cw_disk_settling_hold(struct cw_disk *disk);
bool cw_disk_settling_overtake(struct cw_disk *disk, cw_disk_queue_key name, const cw_frontier_item *item);
void cw_disk_settling_release(struct cw_disk *disk);
