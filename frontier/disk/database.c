/* See database.h. How RocksDB is set up, and why:
 *
 *   A queue deletes at its head. Reads begin at a key that is known to be there and end at an upper bound, so that they
 *   meet no tombstones before it; files with many deletions are compacted first; a request that was written once is
 *   deleted by SingleDelete, which vanishes together with what it deletes as soon as the two meet. Memory is bounded:
 *   indexes lie in the block cache, whose size is given, and write buffers have a limit each. The write-ahead log is
 *   written by every call, so that a killed process loses nothing; when it reaches the disk is the caller's policy. A
 *   torn end of it is cut off at the last whole batch. No filters: requests are found by walking, and everything else
 *   is small. */
#include "frontier/disk/database.h"

#include <crawl/frontier.h>

#include <stdlib.h>
#include <sys/resource.h>

#define MIB ((size_t)1 << 20)
#define BLOCK_BYTES (16u << 10)
#define OPEN_FILES 256 /* descriptors RocksDB may hold, and a quarter at most of those that a process has */
/* RocksDB starts so many threads for each family that it opens, 15 more than it needs for the 16 files at most that it
 * reads then: the others are opened when they are asked for. */
#define OPENING_THREADS 1
#define LOG_BYTES (256 * MIB)  /* of write-ahead logs, which bounds the time to open after a crash */
#define DELETIONS_WINDOW 4096  /* a file in which so many entries in a row ... */
#define DELETIONS_TRIGGER 2048 /* ... have so many deletions is compacted */
#define LEVEL0_COMPACT                                                                             \
    8 /* files of the queue before they are merged with what is below: half as often as by default \
       */
#define LEVEL0_SLOWDOWN 40 /* files that wait for it before writers are slowed, ... */
#define LEVEL0_STOP 64     /* ... and stopped: a read looks into each of them */
#define SCAN_READAHEAD (2 * MIB)
/* Of RocksDB's own LOG: nothing but what it begins with. Where a disk is full, another line of it ends the process by
 * an assertion that is in Debian's build. */
#define LOG_LEVEL 5

static const char *const family_names[CW_FAMILIES] = {"default", "queue", "stage", "seen"};

static const struct {
    size_t buffer; /* bytes of a write buffer, */
    int buffers;   /* and how many there may be */
} family_sizes[CW_FAMILIES] = {{8 * MIB, 2}, {64 * MIB, 2}, {64 * MIB, 2}, {8 * MIB, 2}};

/* RocksDB's words, to be given back. Those of damage begin with "Corruption". */
static crawl_err translate(char *text, crawl_error *error)
{
    if (!text)
        return CRAWL_OK;
    crawl_err err = strncmp(text, "Corruption", 10) == 0 ? CRAWL_ECORRUPT : CRAWL_EIO;
    crawl_error_set(error, err, "%s", text);
    rocksdb_free(text);
    return err;
}

static void set_tables(rocksdb_options_t *options, rocksdb_cache_t *cache)
{
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_cache(table, cache);
    rocksdb_block_based_options_set_block_size(table, BLOCK_BYTES);
    rocksdb_block_based_options_set_format_version(table, 5);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(table, 1);
    rocksdb_block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(table, 1);
    rocksdb_options_set_block_based_table_factory(options, table);
    rocksdb_block_based_options_destroy(table);
}

/* Requests are put and deleted many at once and sorted: each is looked for from where the one before it went. A favour:
 * a RocksDB that does not know the option goes without. */
static void insert_near_the_last(rocksdb_options_t *options)
{
    char *text = NULL;
    rocksdb_get_options_from_string(options, "memtable_insert_with_hint_prefix_extractor=rocksdb.CappedPrefix.1",
                                    options, &text);
    (void)translate(text, NULL);
}

static rocksdb_options_t *family_options(cw_disk_family family, rocksdb_cache_t *cache)
{
    rocksdb_options_t *options = rocksdb_options_create();
    set_tables(options, cache);
    rocksdb_options_set_write_buffer_size(options, family_sizes[family].buffer);
    rocksdb_options_set_max_write_buffer_number(options, family_sizes[family].buffers);
    rocksdb_options_set_compression(options, rocksdb_lz4_compression);
    rocksdb_options_set_level_compaction_dynamic_level_bytes(options, 1);
    rocksdb_options_set_level0_slowdown_writes_trigger(options, LEVEL0_SLOWDOWN);
    rocksdb_options_set_level0_stop_writes_trigger(options, LEVEL0_STOP);
    if (family == CW_FAMILY_QUEUE) {
        rocksdb_options_add_compact_on_deletion_collector_factory(options, DELETIONS_WINDOW, DELETIONS_TRIGGER);
        rocksdb_options_set_level0_file_num_compaction_trigger(options, LEVEL0_COMPACT);
    }
    if (family == CW_FAMILY_QUEUE || family == CW_FAMILY_META)
        insert_near_the_last(options);
    return options;
}

/* Those of the whole database; RocksDB reads them from the options that it is opened with. */
unsigned crawl_frontier_files(void)
{
    struct rlimit limit;
    bool is_short = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < OPEN_FILES;
    return is_short ? (unsigned)(limit.rlim_cur / 4) : OPEN_FILES;
}

static void set_database_options(rocksdb_options_t *options, bool make)
{
    rocksdb_options_set_create_if_missing(options, make);
    rocksdb_options_set_create_missing_column_families(options, make);
    rocksdb_options_set_max_open_files(options, (int)crawl_frontier_files());
    rocksdb_options_set_max_file_opening_threads(options, OPENING_THREADS);
    rocksdb_options_set_max_background_jobs(options, 2);
    rocksdb_options_set_max_total_wal_size(options, LOG_BYTES);
    rocksdb_options_set_wal_recovery_mode(options, rocksdb_point_in_time_recovery);
    rocksdb_options_set_bytes_per_sync(options, MIB);
    rocksdb_options_set_info_log_level(options, LOG_LEVEL);
    rocksdb_options_set_keep_log_file_num(options, 1);
    rocksdb_options_set_stats_dump_period_sec(options, 0);
    rocksdb_options_set_stats_persist_period_sec(options, 0);
}

static rocksdb_t *open_families(cw_disk_database *database, const char *path, bool read_only, char **text)
{
    const rocksdb_options_t *const *options = (const rocksdb_options_t *const *)database->options;
    const rocksdb_options_t *main = database->options[CW_FAMILY_META];
    if (read_only)
        return rocksdb_open_for_read_only_column_families(main, path, CW_FAMILIES, family_names, options,
                                                          database->families, 0, text);
    return rocksdb_open_column_families(main, path, CW_FAMILIES, family_names, options, database->families, text);
}

/* The options fit a whole database: "Invalid argument" means a part of it that CURRENT or the MANIFEST no longer
 * names. */
static crawl_err translate_opening(char *text, const char *path, crawl_error *error)
{
    crawl_error why = {0};
    bool lacks = text && strncmp(text, "Invalid argument", 16) == 0;
    crawl_err err = translate(text, &why);
    if (lacks)
        return crawl_error_set(error, CRAWL_ECORRUPT,
                               "%s: damaged: CURRENT or MANIFEST-* was cut, changed or removed: %.300s", path,
                               why.message);
    return err ? crawl_error_set(error, err, "%s", why.message) : CRAWL_OK;
}

crawl_err cw_disk_database_open(cw_disk_database *database, const char *path, cw_disk_database_mode mode,
                                size_t cache_bytes, crawl_error *error)
{
    char *text = NULL;
    *database = (cw_disk_database){.cache = rocksdb_cache_create_lru(cache_bytes)};
    for (int i = 0; i < CW_FAMILIES; i++)
        database->options[i] = family_options((cw_disk_family)i, database->cache);
    set_database_options(database->options[CW_FAMILY_META], mode == CW_DATABASE_NEW);
    database->write = rocksdb_writeoptions_create();
    database->write_sync = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(database->write_sync, 1);
    database->read = rocksdb_readoptions_create();
    database->db = open_families(database, path, mode == CW_DATABASE_READ_ONLY, &text);
    crawl_err err = translate_opening(text, path, error);
    if (err)
        cw_disk_database_close(database);
    return err;
}

void cw_disk_database_close(cw_disk_database *database)
{
    if (!database->cache)
        return;
    if (database->db) {
        for (int i = 0; i < CW_FAMILIES; i++)
            rocksdb_column_family_handle_destroy(database->families[i]);
        rocksdb_close(database->db);
    }
    for (int i = 0; i < CW_FAMILIES; i++)
        rocksdb_options_destroy(database->options[i]);
    rocksdb_writeoptions_destroy(database->write);
    rocksdb_writeoptions_destroy(database->write_sync);
    rocksdb_readoptions_destroy(database->read);
    rocksdb_cache_destroy(database->cache);
    *database = (cw_disk_database){0};
}

/* RocksDB counts each comparison of keys for the PerfContext of the thread, which nobody here reads. */
static void count_nothing(void)
{
    rocksdb_set_perf_level(rocksdb_disable);
}

crawl_err cw_disk_database_write(cw_disk_database *database, rocksdb_writebatch_t *batch, bool sync, crawl_error *error)
{
    char *text = NULL;
    count_nothing();
    rocksdb_write(database->db, sync ? database->write_sync : database->write, batch, &text);
    return translate(text, error);
}

crawl_err cw_disk_database_sync(cw_disk_database *database, crawl_error *error)
{
    char *text = NULL;
    rocksdb_flush_wal(database->db, 1, &text);
    return translate(text, error);
}

crawl_err cw_disk_database_get(cw_disk_database *database, cw_disk_family family, crawl_slice key, crawl_buf *out,
                               crawl_error *error)
{
    char *text = NULL;
    size_t size;
    rocksdb_pinnableslice_t *value =
        rocksdb_get_pinned_cf(database->db, database->read, database->families[family], key.data, key.size, &text);
    crawl_err err = translate(text, error);
    if (!err && !value)
        return CRAWL_ABSENT;
    if (!err) {
        const char *data = rocksdb_pinnableslice_value(value, &size);
        err = crawl_buf_append(out, data, size);
        if (err)
            crawl_error_set(error, err, "no memory for a record of %zu bytes", size);
    }
    rocksdb_pinnableslice_destroy(value);
    return err;
}

/* A favour as well. */
void cw_disk_database_flush(cw_disk_database *database, cw_disk_family family)
{
    char *text = NULL;
    rocksdb_flushoptions_t *options = rocksdb_flushoptions_create();
    rocksdb_flushoptions_set_wait(options, 0);
    rocksdb_flush_cf(database->db, options, database->families[family], &text);
    rocksdb_flushoptions_destroy(options);
    (void)translate(text, NULL);
}

/* That the files go at once is a favour; compaction drops them later. */
void cw_disk_database_drop_files(cw_disk_database *database, cw_disk_family family, crawl_slice from, crawl_slice to)
{
    char *text = NULL;
    rocksdb_delete_file_in_range_cf(database->db, database->families[family], from.data, from.size, to.data, to.size,
                                    &text);
    (void)translate(text, NULL);
}

uint64_t cw_disk_database_sequence(const cw_disk_database *database)
{
    return rocksdb_get_latest_sequence_number(database->db);
}

const char *cw_disk_database_family_name(cw_disk_family family)
{
    return family_names[family];
}

crawl_err cw_disk_database_verify(cw_disk_database *database, cw_disk_family family, crawl_error *error)
{
    cw_disk_cursor cursor = {.read = rocksdb_readoptions_create()};
    rocksdb_readoptions_set_verify_checksums(cursor.read, 1);
    rocksdb_readoptions_set_fill_cache(cursor.read, 0);
    rocksdb_readoptions_set_readahead_size(cursor.read, SCAN_READAHEAD);
    cursor.iterator = rocksdb_create_iterator_cf(database->db, cursor.read, database->families[family]);
    for (rocksdb_iter_seek_to_first(cursor.iterator); rocksdb_iter_valid(cursor.iterator);)
        rocksdb_iter_next(cursor.iterator);
    crawl_err err = cw_disk_cursor_error(&cursor, error);
    cw_disk_cursor_close(&cursor);
    return err;
}

uint64_t cw_disk_database_bytes(cw_disk_database *database, cw_disk_family family)
{
    uint64_t bytes = 0;
    rocksdb_property_int_cf(database->db, database->families[family], "rocksdb.total-sst-files-size", &bytes);
    return bytes;
}

void cw_disk_cursor_open(cw_disk_cursor *cursor, cw_disk_database *database, cw_disk_family family, crawl_slice from,
                         crawl_slice to, bool once)
{
    count_nothing();
    cursor->read = rocksdb_readoptions_create();
    rocksdb_readoptions_set_iterate_upper_bound(cursor->read, to.data, to.size);
    if (once) {
        rocksdb_readoptions_set_fill_cache(cursor->read, 0);
        rocksdb_readoptions_set_readahead_size(cursor->read, SCAN_READAHEAD);
    }
    cursor->iterator = rocksdb_create_iterator_cf(database->db, cursor->read, database->families[family]);
    rocksdb_iter_seek(cursor->iterator, from.data, from.size);
}

void cw_disk_cursor_close(cw_disk_cursor *cursor)
{
    rocksdb_iter_destroy(cursor->iterator);
    rocksdb_readoptions_destroy(cursor->read);
}

crawl_err cw_disk_cursor_error(const cw_disk_cursor *cursor, crawl_error *error)
{
    char *text = NULL;
    rocksdb_iter_get_error(cursor->iterator, &text);
    return translate(text, error);
}
