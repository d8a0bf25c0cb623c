/* See database.h. How RocksDB is set up, and why:
 *
 * A queue deletes at its head. Reads begin at a key that is known to exist and end at an upper bound, so that they meet
 * no tombstones before it; files with many deletions are compacted first; a request that was written once is deleted by
 * SingleDelete, which vanishes together with the deleted record as soon as the two meet. Memory is bounded: indexes are
 * in the block cache, whose size is given, and each write buffer has a limit. Every call writes the write-ahead log, so
 * a killed process loses nothing; when the log reaches the disk is the caller's policy. A torn end of it is cut off at
 * the last whole batch. No filters: requests are found by walking, and everything else is small. */
#include "frontier/disk/database.h"

#include "frontier/disk/rocksdb_calls.h"

#include <crawl/frontier.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#define MIB ((size_t)1 << 20)
#define BLOCK_BYTES (16u << 10)
#define OPEN_FILES 256 /* descriptors RocksDB may hold, but at most a quarter of the process's limit */
/* RocksDB starts this many threads for each family it opens; the default is 15 more than needed for the at most 16
 * files read then: the others are opened on demand. */
#define OPENING_THREADS 1
#define LOG_BYTES (256 * MIB)  /* of write-ahead logs, which bounds the time to open after a crash */
#define DELETIONS_WINDOW 4096  /* a file in which this many entries in a row ... */
#define DELETIONS_TRIGGER 2048 /* ... contain this many deletions is compacted */
#define LEVEL0_COMPACT 8       /* files of the queue before they are merged with the level below: twice the default */
#define LEVEL0_SLOWDOWN 40     /* files waiting for the merge before writers are slowed, ... */
#define LEVEL0_STOP 64         /* ... and stopped: a read looks into each of them */
#define SCAN_READAHEAD (2 * MIB)
/* RocksDB's own LOG gets only its header. If a disk is full, one more line ends the process by an assertion that
 * Debian's build contains. */
#define LOG_LEVEL 5

static const char *const family_names[CW_FAMILIES] = {"default", "queue", "stage", "seen"};

static const struct {
    size_t buffer; /* bytes of a write buffer, */
    int buffers;   /* and how many there may be */
} family_sizes[CW_FAMILIES] = {{8 * MIB, 2}, {64 * MIB, 2}, {64 * MIB, 2}, {8 * MIB, 2}};

/* Turns a RocksDB message, which it frees, into an error. Messages about damage begin with "Corruption". */
static crawl_err database_translate(char *text, crawl_error *error)
{
    if (!text)
        return CRAWL_OK;
    crawl_err err = strncmp(text, "Corruption", 10) == 0 ? CRAWL_ECORRUPT : CRAWL_EIO;
    crawl_error_set(error, err, "%s", text);
    cw_disk_rocksdb.free(text);
    return err;
}

static void set_tables(rocksdb_options_t *options, rocksdb_cache_t *cache)
{
    rocksdb_block_based_table_options_t *table = cw_disk_rocksdb.block_based_options_create();
    cw_disk_rocksdb.block_based_options_set_block_cache(table, cache);
    cw_disk_rocksdb.block_based_options_set_block_size(table, BLOCK_BYTES);
    cw_disk_rocksdb.block_based_options_set_format_version(table, 5);
    cw_disk_rocksdb.block_based_options_set_cache_index_and_filter_blocks(table, 1);
    cw_disk_rocksdb.block_based_options_set_cache_index_and_filter_blocks_with_high_priority(table, 1);
    cw_disk_rocksdb.block_based_options_set_pin_l0_filter_and_index_blocks_in_cache(table, 1);
    cw_disk_rocksdb.options_set_block_based_table_factory(options, table);
    cw_disk_rocksdb.block_based_options_destroy(table);
}

/* Makes RocksDB look for each request from where the one before it went: requests are put and deleted many at once and
 * sorted. Optional: a RocksDB that does not know the option ignores it. */
static void insert_near_the_last(rocksdb_options_t *options)
{
    char *text = NULL;
    cw_disk_rocksdb.get_options_from_string(
        options, "memtable_insert_with_hint_prefix_extractor=rocksdb.CappedPrefix.1", options, &text);
    (void)database_translate(text, NULL);
}

static rocksdb_options_t *family_options(cw_disk_family family, rocksdb_cache_t *cache)
{
    rocksdb_options_t *options = cw_disk_rocksdb.options_create();
    set_tables(options, cache);
    cw_disk_rocksdb.options_set_write_buffer_size(options, family_sizes[family].buffer);
    cw_disk_rocksdb.options_set_max_write_buffer_number(options, family_sizes[family].buffers);
    cw_disk_rocksdb.options_set_compression(options, rocksdb_lz4_compression);
    cw_disk_rocksdb.options_set_level_compaction_dynamic_level_bytes(options, 1);
    cw_disk_rocksdb.options_set_level0_slowdown_writes_trigger(options, LEVEL0_SLOWDOWN);
    cw_disk_rocksdb.options_set_level0_stop_writes_trigger(options, LEVEL0_STOP);
    if (family == CW_FAMILY_QUEUE) {
        cw_disk_rocksdb.options_add_compact_on_deletion_collector_factory(options, DELETIONS_WINDOW, DELETIONS_TRIGGER);
        cw_disk_rocksdb.options_set_level0_file_num_compaction_trigger(options, LEVEL0_COMPACT);
    }
    if (family == CW_FAMILY_QUEUE || family == CW_FAMILY_META)
        insert_near_the_last(options);
    return options;
}

unsigned crawl_frontier_files(void)
{
    struct rlimit limit;
    bool is_short = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 4 < OPEN_FILES;
    return is_short ? (unsigned)(limit.rlim_cur / 4) : OPEN_FILES;
}

/* Sets the options of the whole database, which RocksDB reads from those of the family it is opened with. */
static void set_database_options(rocksdb_options_t *options, bool make)
{
    cw_disk_rocksdb.options_set_create_if_missing(options, make);
    cw_disk_rocksdb.options_set_create_missing_column_families(options, make);
    cw_disk_rocksdb.options_set_max_open_files(options, (int)crawl_frontier_files());
    cw_disk_rocksdb.options_set_max_file_opening_threads(options, OPENING_THREADS);
    cw_disk_rocksdb.options_set_max_background_jobs(options, 2);
    cw_disk_rocksdb.options_set_max_total_wal_size(options, LOG_BYTES);
    cw_disk_rocksdb.options_set_wal_recovery_mode(options, rocksdb_point_in_time_recovery);
    cw_disk_rocksdb.options_set_bytes_per_sync(options, MIB);
    cw_disk_rocksdb.options_set_info_log_level(options, LOG_LEVEL);
    cw_disk_rocksdb.options_set_keep_log_file_num(options, 1);
    cw_disk_rocksdb.options_set_stats_dump_period_sec(options, 0);
    cw_disk_rocksdb.options_set_stats_persist_period_sec(options, 0);
}

static rocksdb_t *open_families(cw_disk_database *database, const char *path, bool read_only, char **text)
{
    const rocksdb_options_t *const *options = (const rocksdb_options_t *const *)database->options;
    const rocksdb_options_t *main = database->options[CW_FAMILY_META];
    if (read_only)
        return cw_disk_rocksdb.open_for_read_only_column_families(main, path, CW_FAMILIES, family_names, options,
                                                                  database->families, 0, text);
    return cw_disk_rocksdb.open_column_families(main, path, CW_FAMILIES, family_names, options, database->families,
                                                text);
}

/* Returns true if this process or another has the database open. */
static bool database_is_locked(const char *text)
{
    return (strstr(text, "While lock file") && strstr(text, strerror(EAGAIN))) ||
           strstr(text, "lock hold by current process");
}

/* The options fit a whole database: "Invalid argument" means that CURRENT or the MANIFEST no longer names a part of
 * it. */
static crawl_err translate_opening(char *text, const char *path, crawl_error *error)
{
    crawl_error why = {0};
    bool lacks = text && strncmp(text, "Invalid argument", 16) == 0;
    crawl_err err = database_translate(text, &why);
    if (lacks)
        return crawl_error_set(error, CRAWL_ECORRUPT,
                               "%s: damaged: CURRENT or MANIFEST-* was cut, changed or removed: %.300s", path,
                               why.message);
    if (err == CRAWL_EIO && database_is_locked(why.message))
        return crawl_error_set(error, CRAWL_ESTATE, "in use by another process, whose file \"lock\" was removed");
    return err ? crawl_error_set(error, err, "%s", why.message) : CRAWL_OK;
}

crawl_err cw_disk_database_open(cw_disk_database *database, const char *path, cw_disk_database_mode mode,
                                size_t cache_bytes, crawl_error *error)
{
    char *text = NULL;
    *database = (cw_disk_database){0};
    crawl_err err = cw_disk_rocksdb_load(error);
    if (err)
        return err;
    *database = (cw_disk_database){.cache = cw_disk_rocksdb.cache_create_lru(cache_bytes)};
    for (int i = 0; i < CW_FAMILIES; i++)
        database->options[i] = family_options((cw_disk_family)i, database->cache);
    set_database_options(database->options[CW_FAMILY_META], mode == CW_DATABASE_NEW);
    database->write = cw_disk_rocksdb.writeoptions_create();
    database->write_sync = cw_disk_rocksdb.writeoptions_create();
    cw_disk_rocksdb.writeoptions_set_sync(database->write_sync, 1);
    database->read = cw_disk_rocksdb.readoptions_create();
    database->db = open_families(database, path, mode == CW_DATABASE_READ_ONLY, &text);
    err = translate_opening(text, path, error);
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
            cw_disk_rocksdb.column_family_handle_destroy(database->families[i]);
        cw_disk_rocksdb.close(database->db);
    }
    for (int i = 0; i < CW_FAMILIES; i++)
        cw_disk_rocksdb.options_destroy(database->options[i]);
    cw_disk_rocksdb.writeoptions_destroy(database->write);
    cw_disk_rocksdb.writeoptions_destroy(database->write_sync);
    cw_disk_rocksdb.readoptions_destroy(database->read);
    cw_disk_rocksdb.cache_destroy(database->cache);
    *database = (cw_disk_database){0};
}

/* Stops RocksDB from counting each comparison of keys for the thread's PerfContext, which nobody here reads. */
static void count_nothing(void)
{
    cw_disk_rocksdb.set_perf_level(rocksdb_disable);
}

crawl_err cw_disk_database_write(cw_disk_database *database, rocksdb_writebatch_t *batch, bool sync, crawl_error *error)
{
    char *text = NULL;
    count_nothing();
    cw_disk_rocksdb.write(database->db, sync ? database->write_sync : database->write, batch, &text);
    return database_translate(text, error);
}

crawl_err cw_disk_database_sync(cw_disk_database *database, crawl_error *error)
{
    char *text = NULL;
    cw_disk_rocksdb.flush_wal(database->db, 1, &text);
    return database_translate(text, error);
}

crawl_err cw_disk_database_get(cw_disk_database *database, cw_disk_family family, crawl_slice key, crawl_buf *out,
                               crawl_error *error)
{
    char *text = NULL;
    size_t size;
    rocksdb_pinnableslice_t *value = cw_disk_rocksdb.get_pinned_cf(
        database->db, database->read, database->families[family], key.data, key.size, &text);
    crawl_err err = database_translate(text, error);
    if (!err && !value)
        return CRAWL_ABSENT;
    if (!err) {
        const char *data = cw_disk_rocksdb.pinnableslice_value(value, &size);
        err = crawl_buf_append(out, data, size);
        if (err)
            crawl_error_set(error, err, "no memory for a record of %zu bytes", size);
    }
    cw_disk_rocksdb.pinnableslice_destroy(value);
    return err;
}

crawl_err cw_disk_database_get_many(cw_disk_database *database, cw_disk_family family, const crawl_slice *keys,
                                    size_t count, crawl_err (*take)(void *user, size_t index, crawl_slice value),
                                    void *user, crawl_error *error)
{
    const char *names[CW_DISK_DATABASE_MANY] = {0};
    size_t sizes[CW_DISK_DATABASE_MANY] = {0};
    rocksdb_pinnableslice_t *values[CW_DISK_DATABASE_MANY];
    char *texts[CW_DISK_DATABASE_MANY];
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count; i++) {
        names[i] = keys[i].data;
        sizes[i] = keys[i].size;
    }
    cw_disk_rocksdb.batched_multi_get_cf(database->db, database->read, database->families[family], count, names, sizes,
                                         values, texts, false);
    for (size_t i = 0; i < count; i++) {
        crawl_slice value = {0};
        crawl_err failed = database_translate(texts[i], err ? NULL : error);
        if (values[i])
            value.data = cw_disk_rocksdb.pinnableslice_value(values[i], &value.size);
        if (!err)
            err = failed ? failed : take(user, i, value);
        if (values[i])
            cw_disk_rocksdb.pinnableslice_destroy(values[i]);
    }
    return err;
}

/* Optional as well: an error is ignored. */
void cw_disk_database_flush(cw_disk_database *database, cw_disk_family family)
{
    char *text = NULL;
    rocksdb_flushoptions_t *options = cw_disk_rocksdb.flushoptions_create();
    cw_disk_rocksdb.flushoptions_set_wait(options, 0);
    cw_disk_rocksdb.flush_cf(database->db, options, database->families[family], &text);
    cw_disk_rocksdb.flushoptions_destroy(options);
    (void)database_translate(text, NULL);
}

/* Errors are ignored: compaction drops the files later. */
void cw_disk_database_drop_files(cw_disk_database *database, cw_disk_family family, crawl_slice from, crawl_slice to)
{
    char *text = NULL;
    cw_disk_rocksdb.delete_file_in_range_cf(database->db, database->families[family], from.data, from.size, to.data,
                                            to.size, &text);
    (void)database_translate(text, NULL);
}

uint64_t cw_disk_database_sequence(const cw_disk_database *database)
{
    return cw_disk_rocksdb.get_latest_sequence_number(database->db);
}

const char *cw_disk_database_family_name(cw_disk_family family)
{
    return family_names[family];
}

crawl_err cw_disk_database_verify(cw_disk_database *database, cw_disk_family family, crawl_error *error)
{
    cw_disk_cursor cursor = {.read = cw_disk_rocksdb.readoptions_create()};
    cw_disk_rocksdb.readoptions_set_verify_checksums(cursor.read, 1);
    cw_disk_rocksdb.readoptions_set_fill_cache(cursor.read, 0);
    cw_disk_rocksdb.readoptions_set_readahead_size(cursor.read, SCAN_READAHEAD);
    cursor.iterator = cw_disk_rocksdb.create_iterator_cf(database->db, cursor.read, database->families[family]);
    for (cw_disk_rocksdb.iter_seek_to_first(cursor.iterator); cw_disk_rocksdb.iter_valid(cursor.iterator);)
        cw_disk_rocksdb.iter_next(cursor.iterator);
    crawl_err err = cw_disk_cursor_error(&cursor, error);
    cw_disk_cursor_close(&cursor);
    return err;
}

uint64_t cw_disk_database_bytes(cw_disk_database *database, cw_disk_family family)
{
    uint64_t bytes = 0;
    cw_disk_rocksdb.property_int_cf(database->db, database->families[family], "rocksdb.total-sst-files-size", &bytes);
    return bytes;
}

void cw_disk_cursor_open(cw_disk_cursor *cursor, cw_disk_database *database, cw_disk_family family, crawl_slice from,
                         crawl_slice to, bool once)
{
    count_nothing();
    cursor->read = cw_disk_rocksdb.readoptions_create();
    cw_disk_rocksdb.readoptions_set_iterate_upper_bound(cursor->read, to.data, to.size);
    if (once) {
        cw_disk_rocksdb.readoptions_set_fill_cache(cursor->read, 0);
        cw_disk_rocksdb.readoptions_set_readahead_size(cursor->read, SCAN_READAHEAD);
    }
    cursor->iterator = cw_disk_rocksdb.create_iterator_cf(database->db, cursor->read, database->families[family]);
    cw_disk_rocksdb.iter_seek(cursor->iterator, from.data, from.size);
}

void cw_disk_cursor_close(cw_disk_cursor *cursor)
{
    cw_disk_rocksdb.iter_destroy(cursor->iterator);
    cw_disk_rocksdb.readoptions_destroy(cursor->read);
}

crawl_err cw_disk_cursor_error(const cw_disk_cursor *cursor, crawl_error *error)
{
    char *text = NULL;
    cw_disk_rocksdb.iter_get_error(cursor->iterator, &text);
    return database_translate(text, error);
}

cw_disk_rocksdb_calls cw_disk_rocksdb;

static struct {
    pthread_once_t once;
    crawl_error error; /* code 0: it is loaded */
} loading = {.once = PTHREAD_ONCE_INIT};

/* Finds a call in the library, in the way POSIX describes to get a function from dlsym. */
static bool rocksdb_calls_find(void *library, const char *name, void *call)
{
    void *found = dlsym(library, name);
    memcpy(call, &found, sizeof found);
    return found != NULL;
}

static bool rocksdb_calls_find_all(void *library)
{
#define CW_DISK_ROCKSDB_CALL(name) &&rocksdb_calls_find(library, "rocksdb_" #name, &cw_disk_rocksdb.name)
    return true CW_DISK_ROCKSDB_CALLS(CW_DISK_ROCKSDB_CALL);
#undef CW_DISK_ROCKSDB_CALL
}

static void rocksdb_calls_load(void)
{
    void *library = dlopen(CW_ROCKSDB_FILE, RTLD_NOW | RTLD_LOCAL);
    if (!library || !rocksdb_calls_find_all(library))
        crawl_error_set(&loading.error, CRAWL_EIO,
                        "RocksDB, which keeps a frontier in its directory, cannot be loaded: %s", dlerror());
}

crawl_err cw_disk_rocksdb_load(crawl_error *error)
{
    pthread_once(&loading.once, rocksdb_calls_load);
    if (loading.error.code && error)
        *error = loading.error;
    return loading.error.code;
}
