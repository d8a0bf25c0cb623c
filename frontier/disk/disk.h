/* The parts that make a frontier durable: the directory, its database, the log of the seen-set, and the failure that
 * stops everything.
 *
 *   lock       locked by the process that uses the directory; contains its process id
 *   db/        RocksDB: requests, hosts, the log of the seen-set since the last snapshot
 *   done-N     requests that are done but not yet deleted from the database
 *   seen-N     the seen-set as of batch N of its log
 *   written    how much of all this must exist
 *
 * A call of the frontier gathers its changes in one batch between cw_disk_begin and cw_disk_commit, under the
 * frontier's lock; all of them reach the disk or none. The first failed write is final: every later call is refused,
 * and the data on disk stays as it is, to be opened again. */
#pragma once

#include "frontier/disk/disk_record.h"
#include "frontier/disk/log/donelog.h"
#include "frontier/disk/log/journal.h"
#include "frontier/disk/log/witness.h"
#include "frontier/disk/rest.h"
#include "frontier/disk/stage/settler.h"
#include "frontier/disk/stage/settling.h"
#include "frontier/disk/stage/tail.h"
#include "frontier/disk/sync.h"

typedef struct cw_disk {
    cw_disk_database database;
    cw_disk_journal journal;
    cw_disk_donelog donelog;
    cw_disk_witness witness;
    cw_disk_testimony testimony; /* of the process before, */
    uint64_t found;              /* and the sequence number of its last write that survived */
    cw_disk_sync sync;
    cw_disk_settling settling;
    cw_disk_settler settler;
    cw_disk_windows windows;
    cw_disk_rest rest;
    char *directory;
    int lock;
    rocksdb_writebatch_t *batch;
    crawl_buf scratch; /* for one record */
    crawl_err batch_error;
    bool running;          /* the threads of sync and settler are running */
    pthread_mutex_t guard; /* of failure, which is set and read from any thread */
    crawl_error failure;   /* code CRAWL_OK: none */
} cw_disk;

static inline cw_disk *cw_disk_of(const crawl_frontier *frontier)
{
    return frontier->store.self;
}

/* Creates the directory if it is missing, locks it and opens its contents. CRAWL_ESTATE: another process uses it.
 * CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_open(const char *directory, uint64_t cache_bytes, cw_disk **out, crawl_error *error);
/* Closes without writing anything. */
void cw_disk_close(cw_disk *disk);

/* Records the failure if it is the first one; returns the first one's code. From any thread. */
crawl_err cw_disk_fail(cw_disk *disk, const crawl_error *error);
/* Returns the first failure's code, CRAWL_OK: none. *error (NULL: not wanted) gets its message. */
crawl_err cw_disk_why(cw_disk *disk, crawl_error *error);
static inline crawl_err cw_disk_failure(cw_disk *disk)
{
    return cw_disk_why(disk, NULL);
}

/* Makes room for a record of `bytes`, so that writing it cannot fail. CRAWL_ENOMEM. */
crawl_err cw_disk_reserve(cw_disk *disk, size_t bytes);

void cw_disk_begin(cw_disk *disk);
void cw_disk_put(cw_disk *disk, cw_disk_family family, crawl_slice key, crawl_slice value);
/* Put or delete a request: ready under its key in the order, delayed under its date and its sequence. */
void cw_disk_put_ready(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);
void cw_disk_put_delayed(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);
void cw_disk_drop_ready(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);
void cw_disk_drop_delayed(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);
/* Deletes a finished request. moved: its record may have been written more than once. */
void cw_disk_drop(cw_disk *disk, cw_disk_queue_key name, bool moved);
/* Returns the name of a ready request. */
cw_disk_queue_key cw_disk_name_of(const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);

/* Adds the next record of the stage. */
void cw_disk_put_stage(cw_disk *disk, crawl_slice record);
/* Records that a ready request is no longer in the stage. */
void cw_disk_put_gone(cw_disk *disk, cw_disk_queue_key name);
void cw_disk_put_host(cw_disk *disk, const cw_frontier_host *host);
void cw_disk_put_host_record(cw_disk *disk, uint32_t number, const cw_disk_host_record *record);
/* Adds the next batch of the seen-set's log, from the first record_size bytes of scratch. */
void cw_disk_put_log(cw_disk *disk, size_t record_size);
/* CRAWL_EIO, CRAWL_ECORRUPT: recorded as the failure. CRAWL_ENOMEM: no room for a record; nothing was written. */
crawl_err cw_disk_commit(cw_disk *disk);

/* Returns the bytes of the database's files, without the write-ahead log. */
uint64_t cw_disk_bytes(cw_disk *disk);

/* Makes an open disk the store of a frontier that is still empty. */
void cw_disk_join(cw_disk *disk, crawl_frontier *frontier);
