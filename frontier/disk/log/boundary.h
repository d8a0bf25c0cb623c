/* What the database says of a settling that is under way: up to which record the stage is settled, and up to which name
 * that is done. There is none where no settling is under way. */
#ifndef CW_FRONTIER_BOUNDARY_H
#define CW_FRONTIER_BOUNDARY_H

#include "frontier/disk/database.h"
#include "frontier/disk/disk_record.h"

typedef struct cw_disk_boundary {
    uint64_t batch;   /* number of the last record of the stage that is settled */
    uint64_t records; /* of the log of what is done that is settled */
    bool there;
    bool begun; /* all up to this name, with it, stands in the queue: */
    cw_disk_queue_key last;
} cw_disk_boundary;

/* Into a batch. */
void cw_disk_boundary_write(const cw_disk_boundary *boundary, cw_disk_database *database, rocksdb_writebatch_t *batch);
void cw_disk_boundary_delete(cw_disk_database *database, rocksdb_writebatch_t *batch);

/* All zero where there is none. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_boundary_read(cw_disk_database *database, cw_disk_boundary *out, crawl_error *error);

#endif
