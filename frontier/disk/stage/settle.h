/* Settling: moves the requests of the stage under their keys in the queue, and deletes there what the log says is done,
 * sorted, some hundreds per write. Callers see no change. A thread does it beside the calls (settler.h), in steps:
 *
 *   begin    sets the boundary: later pushes fill the other stage, later ends another log    (frontier's lock)
 *   gather   reads from the stage on disk what is to be written, and sorts it                (no lock)
 *   write    writes it, and up to which name it is written                                   (guard)
 *   end      tells the database that stage and log up to the boundary are empty              (frontier's lock)
 *   tell     turns the requests in memory into those of their queues, a few hosts at a time  (frontier's lock)
 *
 * A request of the stage that ends as finished meanwhile stands in the new log as one of the queue, where it will be
 * when that log is settled. A request that comes back or is to be forgotten overtakes: its record is written at once,
 * and the settling skips it. leftover.c repairs the state after a crash at any point. */
#pragma once

#include "frontier/disk/stage/settling.h"

struct cw_disk;

/* Changes per write, and requests in memory updated at once: the most that a call may have to wait for. */
#define CW_DISK_SETTLE_AT_ONCE 512u

/* Sets the boundary. Call under the frontier's lock, while no settling is under way. CRAWL_ENOMEM: nothing was done.
 * CRAWL_EIO, CRAWL_ECORRUPT: recorded as the failure of the store. */
crawl_err cw_disk_settle_begin(crawl_frontier *frontier);

/* Continues the settling under way to its end or until *stop is set (NULL: to its end); unless stop is NULL, naps after
 * each tell step to leave the frontier's lock to others. Calls each_step (NULL: nothing) after every step. Call with
 * `work` held, without the frontier's lock. CRAWL_ENOMEM: the rest can be done later. CRAWL_EIO, CRAWL_ECORRUPT:
 * recorded as the failure of the store. */
crawl_err cw_disk_settle_on(crawl_frontier *frontier, const _Atomic bool *stop, void (*each_step)(void *user),
                            void *user);

/* Settles everything, without the frontier's lock. Errors as cw_disk_settle_on. */
crawl_err cw_disk_settle(crawl_frontier *frontier);

/* For the end of a lease, under the frontier's lock. overtake: removes the request, which is in a stage, from its stage
 * in the current batch; false: it is in the queue by now. hold and release enclose the batch and its commit; in between
 * nothing is settled. */
void cw_disk_settling_hold(struct cw_disk *disk);
bool cw_disk_settling_overtake(struct cw_disk *disk, cw_disk_queue_key name, const cw_frontier_item *item);
void cw_disk_settling_release(struct cw_disk *disk);
