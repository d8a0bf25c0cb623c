/* The state of a settling (settle.h), and the queries allowed while it is under way. */
#pragma once

#include "frontier/disk/database.h"
#include "frontier/disk/disk_record.h"
#include "frontier/disk/stage/changes.h"

#include <pthread.h>
#include <stdatomic.h>

/* The database's record of a settling under way: the last stage record it settles, and the last name already written.
 * Absent otherwise. */

typedef struct cw_disk_boundary {
    uint64_t batch;   /* number of the last stage record that is settled */
    uint64_t records; /* records of the done log that are settled */
    bool there;
    bool begun; /* everything up to and including this name is in the queue: */
    cw_disk_queue_key last;
} cw_disk_boundary;

/* Add the change to a batch. */
void cw_disk_boundary_write(const cw_disk_boundary *boundary, cw_disk_database *database, rocksdb_writebatch_t *batch);
void cw_disk_boundary_delete(cw_disk_database *database, rocksdb_writebatch_t *batch);

/* All zero if there is none. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_boundary_read(cw_disk_database *database, cw_disk_boundary *out, crawl_error *error);

typedef enum cw_disk_settling_phase {
    CW_SETTLING_NONE,
    CW_SETTLING_BEGUN,
    CW_SETTLING_WRITING,
    CW_SETTLING_WRITTEN
} cw_disk_settling_phase;

typedef struct cw_disk_settling {
    pthread_mutex_t work;  /* held by the thread that settles; before the frontier's lock */
    pthread_mutex_t guard; /* held while changes are written or overtaken; after the frontier's lock */
    _Atomic int phase;     /* changed under the frontier's lock */
    cw_disk_boundary boundary;
    cw_disk_changes changes;
    _Atomic size_t all;     /* number of changes; 0: not gathered yet */
    _Atomic size_t written; /* of these */
    _Atomic size_t told;    /* changes whose hosts are fully updated in memory */
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

/* Returns true if this record of the queue belongs to a request that is in memory as one of the stage. For refills,
 * under the frontier's lock. */
bool cw_disk_settling_has(const cw_disk_settling *settling, cw_disk_queue_key name);
