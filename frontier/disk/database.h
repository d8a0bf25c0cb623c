/* RocksDB as the durable frontier uses it: one database of four column families, writes of whole batches, and cursors
 * over ranges of keys. Nothing outside of database.c knows how RocksDB is tuned; nothing in it knows what the keys
 * mean.
 *
 * RocksDB has its own answer to a want of memory: it ends the process. */
#pragma once

#include "frontier/disk/rocksdb_calls.h"

#include <crawl/base.h>

typedef enum cw_disk_family {
    CW_FAMILY_META,  /* what there is one of, and the hosts */
    CW_FAMILY_QUEUE, /* requests; written once, deleted from the front */
    CW_FAMILY_STAGE, /* requests as they came; appended to, dropped all at once */
    CW_FAMILY_SEEN,  /* the log of the seen-set; appended to, dropped from the front */
    CW_FAMILIES
} cw_disk_family;

typedef struct cw_disk_database {
    rocksdb_t *db;
    rocksdb_options_t *options[CW_FAMILIES];
    rocksdb_column_family_handle_t *families[CW_FAMILIES];
    rocksdb_cache_t *cache;
    rocksdb_writeoptions_t *write;
    rocksdb_writeoptions_t *write_sync;
    rocksdb_readoptions_t *read;
} cw_disk_database;

typedef enum cw_disk_database_mode {
    CW_DATABASE_NEW,      /* made if it is not there, or in part */
    CW_DATABASE_THERE,    /* all of it must be there */
    CW_DATABASE_READ_ONLY /* likewise; it may be open elsewhere at the same time and shows what was there when it was
                             opened */
} cw_disk_database_mode;

/* cache_bytes: blocks kept in memory. CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_database_open(cw_disk_database *database, const char *path, cw_disk_database_mode mode,
                                size_t cache_bytes, crawl_error *error);
void cw_disk_database_close(cw_disk_database *database);

/* All of the batch or nothing. sync: it is on the disk when this returns; otherwise with the operating system. */
crawl_err cw_disk_database_write(cw_disk_database *database, rocksdb_writebatch_t *batch, bool sync,
                                 crawl_error *error);
/* Brings all that was written to the disk. From any thread. */
crawl_err cw_disk_database_sync(cw_disk_database *database, crawl_error *error);

/* Appends the value to *out. CRAWL_ABSENT: there is none. */
crawl_err cw_disk_database_get(cw_disk_database *database, cw_disk_family family, crawl_slice key, crawl_buf *out,
                               crawl_error *error);

static inline void cw_disk_database_put(cw_disk_database *database, rocksdb_writebatch_t *batch, cw_disk_family family,
                                        crawl_slice key, crawl_slice value)
{
    cw_disk_rocksdb.writebatch_put_cf(batch, database->families[family], key.data, key.size, value.data, value.size);
}

static inline void cw_disk_database_delete(cw_disk_database *database, rocksdb_writebatch_t *batch,
                                           cw_disk_family family, crawl_slice key)
{
    cw_disk_rocksdb.writebatch_delete_cf(batch, database->families[family], key.data, key.size);
}

/* Cheaper, for a key that was put exactly once and was never deleted. */
static inline void cw_disk_database_delete_single(cw_disk_database *database, rocksdb_writebatch_t *batch,
                                                  cw_disk_family family, crawl_slice key)
{
    cw_disk_rocksdb.writebatch_singledelete_cf(batch, database->families[family], key.data, key.size);
}

/* All keys from `from` up to, without, `to`. */
static inline void cw_disk_database_delete_range(cw_disk_database *database, rocksdb_writebatch_t *batch,
                                                 cw_disk_family family, crawl_slice from, crawl_slice to)
{
    cw_disk_rocksdb.writebatch_delete_range_cf(batch, database->families[family], from.data, from.size, to.data,
                                               to.size);
}

/* Begins to write what a family has in memory to a file, and does not wait for it. */
void cw_disk_database_flush(cw_disk_database *database, cw_disk_family family);

/* Gives back the disk space of files that hold nothing but keys from `from` up to, without, `to`: after they were
 * deleted. */
void cw_disk_database_drop_files(cw_disk_database *database, cw_disk_family family, crawl_slice from, crawl_slice to);

/* The number of the last write; each record of a batch has one. */
uint64_t cw_disk_database_sequence(const cw_disk_database *database);

/* Reads all there is of a family, and compares the checksum of each block. As cw_disk_cursor_error. */
crawl_err cw_disk_database_verify(cw_disk_database *database, cw_disk_family family, crawl_error *error);
const char *cw_disk_database_family_name(cw_disk_family family);

/* Bytes of the files of a family, the write-ahead log excluded. */
uint64_t cw_disk_database_bytes(cw_disk_database *database, cw_disk_family family);

/* A walk over the keys from `from` up to, without, `to`, as they were when it began. */
typedef struct cw_disk_cursor {
    rocksdb_iterator_t *iterator;
    rocksdb_readoptions_t *read;
} cw_disk_cursor;

/* Both slices are to outlive the cursor. `once`: a walk over much that need not drive everything else out of the
 * cache. */
void cw_disk_cursor_open(cw_disk_cursor *cursor, cw_disk_database *database, cw_disk_family family, crawl_slice from,
                         crawl_slice to, bool once);
void cw_disk_cursor_close(cw_disk_cursor *cursor);

/* Goes to the first key that is not before this one. */
static inline void cw_disk_cursor_seek(cw_disk_cursor *cursor, crawl_slice to)
{
    cw_disk_rocksdb.iter_seek(cursor->iterator, to.data, to.size);
}

static inline bool cw_disk_cursor_valid(const cw_disk_cursor *cursor)
{
    return cw_disk_rocksdb.iter_valid(cursor->iterator);
}

static inline void cw_disk_cursor_next(cw_disk_cursor *cursor)
{
    cw_disk_rocksdb.iter_next(cursor->iterator);
}

static inline crawl_slice cw_disk_cursor_key(const cw_disk_cursor *cursor)
{
    crawl_slice key;
    key.data = cw_disk_rocksdb.iter_key(cursor->iterator, &key.size);
    return key;
}

static inline crawl_slice cw_disk_cursor_value(const cw_disk_cursor *cursor)
{
    crawl_slice value;
    value.data = cw_disk_rocksdb.iter_value(cursor->iterator, &value.size);
    return value;
}

/* Once it is no longer valid: was that the end, or could something not be read? */
crawl_err cw_disk_cursor_error(const cw_disk_cursor *cursor, crawl_error *error);
