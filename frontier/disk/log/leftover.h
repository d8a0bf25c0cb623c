/* The remains, beside the queue, of a process that was not closed: the stage, and the log of what is done. Opening
 * settles it; a look into the directory sees through it. */
#pragma once

#include "frontier/disk/disk.h"

typedef struct cw_disk_leftover {
    uint64_t generation; /* of the log, or of the one that is settled */
    cw_disk_boundary boundary;
    cw_disk_done *gone; /* sorted: with CW_DONE_STAGED of the stage, without of the queue */
    size_t count;
    size_t logged[2]; /* records of the log, and of the one after it */
} cw_disk_leftover;

/* sequence: of the last write that the process left in the database. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_leftover_read(cw_disk_leftover *leftover, cw_disk_database *database, const char *directory,
                                uint64_t sequence, crawl_error *error);
void cw_disk_leftover_free(cw_disk_leftover *leftover);

/* Are the logs as long as they were? CRAWL_ECORRUPT: they are not. */
crawl_err cw_disk_leftover_testify(const cw_disk_leftover *leftover, const cw_disk_testimony *testimony,
                                   crawl_error *error);

/* Is a request that stands in the queue done? */
bool cw_disk_leftover_is_done(const cw_disk_leftover *leftover, cw_disk_queue_key name);

/* Calls for each request that is in the stage alone, in the order they came. CRAWL_EIO, CRAWL_ECORRUPT, or what a call
 * answers. */
crawl_err cw_disk_leftover_staged(const cw_disk_leftover *leftover, cw_disk_database *database, cw_each_staged *each,
                                  void *user, crawl_error *error);

/* Puts what is left into the queue, all in one write that is on the disk when this returns: stage and log are empty
 * then. *generation: the one to go on with. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_leftover_settle(cw_disk *disk, uint64_t *generation, crawl_error *error);

/* For a batch that ends a settling: the stage has no record beyond `settled` and up to `last` any more, and this is the
 * generation of the log. */
void cw_disk_leftover_end(cw_disk *disk, uint64_t settled, uint64_t last, uint64_t generation);
