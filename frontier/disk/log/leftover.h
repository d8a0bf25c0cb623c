/* The data that a process leaves beside the queue if it was not closed: the stage, and the log of done requests.
 * Opening settles it; a view of the directory merges it in while reading. */
#pragma once

#include "frontier/disk/disk.h"

typedef struct cw_disk_leftover {
    uint64_t generation; /* of the log, or of the one being settled */
    cw_disk_boundary boundary;
    cw_disk_done *gone; /* sorted; CW_DONE_STAGED marks those of the stage, the others are in the queue */
    size_t count;
    size_t logged[2]; /* records of the log, and of the one after it */
} cw_disk_leftover;

/* sequence: of the last write that the process left in the database. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_leftover_read(cw_disk_leftover *leftover, cw_disk_database *database, const char *directory,
                                uint64_t sequence, crawl_error *error);
void cw_disk_leftover_free(cw_disk_leftover *leftover);

/* Checks that the logs are as long as they were. CRAWL_ECORRUPT: they are not. */
crawl_err cw_disk_leftover_testify(const cw_disk_leftover *leftover, const cw_disk_testimony *testimony,
                                   crawl_error *error);

/* Returns true if a request in the queue is done. */
bool cw_disk_leftover_is_done(const cw_disk_leftover *leftover, cw_disk_queue_key name);

/* Calls each for every request that is only in the stage, in order of arrival. CRAWL_EIO, CRAWL_ECORRUPT, or a call's
 * error. */
crawl_err cw_disk_leftover_staged(const cw_disk_leftover *leftover, cw_disk_database *database, cw_each_staged *each,
                                  void *user, crawl_error *error);

/* Moves what is left into the queue, in one write that is on disk when this returns: stage and log are then empty.
 * *generation: the one to continue with. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_leftover_settle(cw_disk *disk, uint64_t *generation, crawl_error *error);

/* Adds to the batch that ends a settling: deletes the stage's records beyond `settled` up to `last`, and sets the log's
 * generation. */
void cw_disk_leftover_end(cw_disk *disk, uint64_t settled, uint64_t last, uint64_t generation);
