/* The parts that make a frontier durable: the directory, its database, the log of the seen-set, and the failure that
 * ends it all.
 *
 *   lock       held by the process that works here, its number in it
 *   db/        RocksDB: requests, hosts, the log of the seen-set since the last snapshot
 *   done-N     requests that are done and not deleted in the database yet
 *   seen-N     the seen-set as it was after batch N of its log
 *   written    how much of all this there must be
 *
 * A call of the frontier gathers its changes in one batch between cw_disk_begin and cw_disk_commit, under the
 * frontier's lock; they are on disk all or none. The first write that fails is the end: everything is refused from then
 * on, and what is on disk stays as it is, to be opened again. */
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
    uint64_t found;              /* and the sequence number of its last write that is there */
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
    bool running;          /* the threads of sync and settler are */
    pthread_mutex_t guard; /* of failure: it is set and read from any thread */
    crawl_error failure;   /* code CRAWL_OK: none */
} cw_disk;

static inline cw_disk *cw_disk_of(const crawl_frontier *frontier)
{
    return frontier->store.self;
}

/* Makes the directory if there is none, locks it and opens what is in it. CRAWL_ESTATE: another process works there.
 * CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_open(const char *directory, uint64_t cache_bytes, cw_disk **out, crawl_error *error);
/* Without writing anything. */
void cw_disk_close(cw_disk *disk);

/* Notes the failure, if it is the first one; returns the first one's code. From any thread. */
crawl_err cw_disk_fail(cw_disk *disk, const crawl_error *error);
/* The first failure's code; CRAWL_OK: none. *error (NULL: not wanted) gets its words. */
crawl_err cw_disk_why(cw_disk *disk, crawl_error *error);
static inline crawl_err cw_disk_failure(cw_disk *disk)
{
    return cw_disk_why(disk, NULL);
}

/* Room for a record of this many bytes, so that what writes it cannot fail. CRAWL_ENOMEM. */
crawl_err cw_disk_reserve(cw_disk *disk, size_t bytes);

void cw_disk_begin(cw_disk *disk);
void cw_disk_put(cw_disk *disk, cw_disk_family family, crawl_slice key, crawl_slice value);
/* A request under its key in the order, or under the date until which it is delayed and its sequence. */
void cw_disk_put_ready(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);
void cw_disk_put_delayed(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);
void cw_disk_drop_ready(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);
void cw_disk_drop_delayed(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);
/* Deletes a request that is done. moved: its record may have been written more than once. */
void cw_disk_drop(cw_disk *disk, cw_disk_queue_key name, bool moved);
/* The name of a ready request. */
cw_disk_queue_key cw_disk_name_of(const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item);

/* The next record of the stage. */
void cw_disk_put_stage(cw_disk *disk, crawl_slice record);
/* Notes that a ready request is in the stage no more. */
void cw_disk_put_gone(cw_disk *disk, cw_disk_queue_key name);
void cw_disk_put_host(cw_disk *disk, const cw_frontier_host *host);
void cw_disk_put_host_record(cw_disk *disk, uint32_t number, const cw_disk_host_record *record);
/* The next batch of the seen-set's log, of so many bytes of scratch. */
void cw_disk_put_log(cw_disk *disk, size_t record_size);
/* CRAWL_EIO, CRAWL_ECORRUPT: noted as the failure. CRAWL_ENOMEM: no room for a record; nothing was written. */
crawl_err cw_disk_commit(cw_disk *disk);

/* Bytes of the files of the database, the write-ahead log excluded. */
uint64_t cw_disk_bytes(cw_disk *disk);

/* The check of the store on disk (store.h). */
const char *cw_disk_check(crawl_frontier *frontier, uint64_t *bytes);

/* Makes an open disk the store of a frontier that has nothing in it yet. */
void cw_disk_join(cw_disk *disk, crawl_frontier *frontier);
