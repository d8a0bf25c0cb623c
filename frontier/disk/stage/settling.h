/* What a settling (settle.h) has of its own, and what others may ask of it while it is under way. */
#ifndef CW_FRONTIER_SETTLING_H
#define CW_FRONTIER_SETTLING_H

#include "frontier/disk/log/boundary.h"
#include "frontier/disk/stage/changes.h"

#include <pthread.h>
#include <stdatomic.h>

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

#endif
