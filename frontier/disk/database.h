/* RocksDB as the durable frontier uses it: one database of four column families, writes of whole batches, and cursors
 * over ranges of keys. Only database.c knows how RocksDB is tuned; it does not know what the keys mean.
 *
 * RocksDB ends the process if it runs out of memory. */
#pragma once

#include "frontier/disk/rocksdb_calls.h"

#include <crawl/base.h>

typedef enum cw_disk_family {
    CW_FAMILY_META,  /* single records, and the hosts */
    CW_FAMILY_QUEUE, /* requests; written once, deleted from the front */
    CW_FAMILY_STAGE, /* requests in order of arrival; appended to, dropped all at once */
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

#define CW_DISK_DATABASE_MANY 256u

typedef enum cw_disk_database_mode {
    CW_DATABASE_NEW,      /* created if absent or incomplete */
    CW_DATABASE_THERE,    /* all of it must exist */
    CW_DATABASE_READ_ONLY /* likewise; another process may have it open, and later writes are not seen */
} cw_disk_database_mode;

/* cache_bytes: blocks kept in memory. CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_database_open(cw_disk_database *database, const char *path, cw_disk_database_mode mode,
                                size_t cache_bytes, crawl_error *error);
void cw_disk_database_close(cw_disk_database *database);

/* Writes all of the batch or nothing. sync: it is on disk when this returns; otherwise with the operating system. */
crawl_err cw_disk_database_write(cw_disk_database *database, rocksdb_writebatch_t *batch, bool sync,
                                 crawl_error *error);
/* Flushes all earlier writes to disk. From any thread. */
crawl_err cw_disk_database_sync(cw_disk_database *database, crawl_error *error);

/* Appends the value to *out. CRAWL_ABSENT: there is none. */
crawl_err cw_disk_database_get(cw_disk_database *database, cw_disk_family family, crawl_slice key, crawl_buf *out,
                               crawl_error *error);

/* Calls take with each value, in order; data NULL: there is none. Stops at its first error. At most
 * CW_DISK_DATABASE_MANY keys. */
crawl_err cw_disk_database_get_many(cw_disk_database *database, cw_disk_family family, const crawl_slice *keys,
                                    size_t count, crawl_err (*take)(void *user, size_t index, crawl_slice value),
                                    void *user, crawl_error *error);

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

/* Cheaper than a delete, for a key that was put exactly once and was never deleted. */
static inline void cw_disk_database_delete_single(cw_disk_database *database, rocksdb_writebatch_t *batch,
                                                  cw_disk_family family, crawl_slice key)
{
    cw_disk_rocksdb.writebatch_singledelete_cf(batch, database->families[family], key.data, key.size);
}

/* Deletes all keys from `from` up to, but excluding, `to`. */
static inline void cw_disk_database_delete_range(cw_disk_database *database, rocksdb_writebatch_t *batch,
                                                 cw_disk_family family, crawl_slice from, crawl_slice to)
{
    cw_disk_rocksdb.writebatch_delete_range_cf(batch, database->families[family], from.data, from.size, to.data,
                                               to.size);
}

/* Starts writing a family's memory to a file, without waiting for it. */
void cw_disk_database_flush(cw_disk_database *database, cw_disk_family family);

/* Gives back the disk space of files that hold only keys from `from` up to, but excluding, `to`. Call after they were
 * deleted. */
void cw_disk_database_drop_files(cw_disk_database *database, cw_disk_family family, crawl_slice from, crawl_slice to);

/* Returns the number of the last write; each record of a batch has one. */
uint64_t cw_disk_database_sequence(const cw_disk_database *database);

/* Reads all of a family and compares the checksum of each block. Errors as cw_disk_cursor_error. */
crawl_err cw_disk_database_verify(cw_disk_database *database, cw_disk_family family, crawl_error *error);
const char *cw_disk_database_family_name(cw_disk_family family);

/* Returns the bytes of a family's files, without the write-ahead log. */
uint64_t cw_disk_database_bytes(cw_disk_database *database, cw_disk_family family);

/* A walk over the keys from `from` up to, but excluding, `to`, as they were when it began. */
typedef struct cw_disk_cursor {
    rocksdb_iterator_t *iterator;
    rocksdb_readoptions_t *read;
} cw_disk_cursor;

/* Both slices must outlive the cursor. `once`: the walk is long and must not evict everything else from the cache. */
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

/* Call once the cursor is no longer valid. Returns CRAWL_OK at the end, or why a key could not be read. */
crawl_err cw_disk_cursor_error(const cw_disk_cursor *cursor, crawl_error *error);
