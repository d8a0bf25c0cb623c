/* The state of a settling (settle.h), and the questions that others may ask while it is under way. */
#pragma once

#include "frontier/disk/database.h"
#include "frontier/disk/disk_record.h"
#include "frontier/disk/stage/changes.h"

#include <pthread.h>
#include <stdatomic.h>

/* The database's record of a settling that is under way: up to which record the stage is settled, and up to which name
 * that is done. There is none where no settling is under way. */

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

typedef enum cw_disk_settling_phase {
    CW_SETTLING_NONE,
    CW_SETTLING_BEGUN,
    CW_SETTLING_WRITING,
    CW_SETTLING_WRITTEN
} cw_disk_settling_phase;

typedef struct cw_disk_settling {
    pthread_mutex_t work;  /* held by the one who settles; before the frontier's lock */
    pthread_mutex_t guard; /* held while changes are written or overtaken; after the frontier's lock */
    _Atomic int phase;     /* changed under the frontier's lock */
    cw_disk_boundary boundary;
    cw_disk_changes changes;
    _Atomic size_t all;     /* changes there are; 0: they are not gathered yet */
    _Atomic size_t written; /* of these */
    _Atomic size_t told;    /* changes of whose hosts all that is in memory is told */
    rocksdb_writebatch_t *batch;
    crawl_buf scratch; /* for one record */
} cw_disk_settling;

/* CRAWL_ENOMEM. */
crawl_err cw_disk_settling_open(cw_disk_settling *settling);
void cw_disk_settling_close(cw_disk_settling *settling);

static inline bool cw_disk_settling_is_under_way(const cw_disk_settling *settling)
{
    return atomic_load(&settling->phase) != CW_SETTLING_NONE;
}

/* For refills, under the frontier's lock: does this record of the queue belong to a request that is in memory, as one
 * of the stage? */
bool cw_disk_settling_has(const cw_disk_settling *settling, cw_disk_queue_key name);
