/* See journal.h. A snapshot is a file of its own, named by its number; the database says which one is current. It
 * becomes current in the same write that drops the log before it, so that one of the two always exists. */
#include "frontier/disk/log/journal.h"

#include "frontier/disk/disk_record.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SNAPSHOT_KEYS 4000000u /* new keys before another snapshot is worthwhile: a second of replaying */
#define FILE_PREFIX "seen-"

enum { ADDED = 'a', FORGOT = 'f' };

static const crawl_slice snapshot_name = {.data = "msnapshot", .size = sizeof "msnapshot" - 1};

static crawl_err journal_path_of(const char *directory, uint64_t number, crawl_buf *out)
{
    return crawl_buf_printf(out, "%s/" FILE_PREFIX "%" PRIu64, directory, number);
}

size_t cw_disk_journal_room(size_t keys)
{
    return 1 + CW_DISK_NUMBER_MAX + keys * CRAWL_FINGERPRINT_SIZE;
}

size_t cw_disk_journal_added(char *record, const crawl_fingerprint *keys, const uint8_t *fresh, size_t count,
                             int64_t now)
{
    char *at = record;
    *at++ = ADDED;
    at = cw_disk_put_number(at, now > 0 ? (uint64_t)now : 0);
    for (size_t i = 0; i < count; i++) {
        if (!fresh[i])
            continue;
        memcpy(at, keys[i].bytes, CRAWL_FINGERPRINT_SIZE);
        at += CRAWL_FINGERPRINT_SIZE;
    }
    return (size_t)(at - record);
}

size_t cw_disk_journal_forgot_room(size_t keys)
{
    return 1 + keys * CW_DISK_FORGET_ROOM;
}

size_t cw_disk_journal_forgot(char *record, const cw_frontier_forget *gone, size_t count)
{
    char *at = record;
    *at++ = FORGOT;
    for (size_t i = 0; i < count; i++)
        at = cw_disk_forget_write(at, &gone[i]);
    return (size_t)(at - record);
}

static crawl_err replay_added(crawl_bloom *seen, crawl_slice keys)
{
    uint8_t fresh[1024];
    crawl_err err = CRAWL_OK;
    while (keys.size && !err) {
        size_t count = keys.size / CRAWL_FINGERPRINT_SIZE;
        if (count > sizeof fresh)
            count = sizeof fresh;
        err = crawl_bloom_add_many(seen, keys.data, CRAWL_FINGERPRINT_SIZE, count, fresh, NULL);
        keys.data += count * CRAWL_FINGERPRINT_SIZE;
        keys.size -= count * CRAWL_FINGERPRINT_SIZE;
    }
    return err;
}

/* Removals refused the first time are refused again. */
static crawl_err replay_forgot(crawl_bloom *seen, crawl_slice record, uint64_t *keys)
{
    cw_frontier_forget gone;
    for (; record.size; ++*keys) {
        if (!cw_disk_forget_get(&record, &gone))
            return CRAWL_ECORRUPT;
        (void)crawl_bloom_forget(seen, gone.fingerprint.bytes, CRAWL_FINGERPRINT_SIZE, gone.where);
    }
    return CRAWL_OK;
}

/* Replays one batch. */
static crawl_err replay(crawl_bloom *seen, crawl_slice record, uint64_t *keys)
{
    uint64_t now;
    char type = record.size ? record.data[0] : 0;
    if (type != ADDED && type != FORGOT)
        return CRAWL_ECORRUPT;
    record = crawl_slice_of(record.data + 1, record.size - 1);
    if (type == FORGOT)
        return replay_forgot(seen, record, keys);
    if (!cw_disk_get_number(&record, &now) || record.size % CRAWL_FINGERPRINT_SIZE)
        return CRAWL_ECORRUPT;
    *keys += record.size / CRAWL_FINGERPRINT_SIZE;
    crawl_bloom_advance(seen, now);
    return replay_added(seen, record);
}

/* A walk over the log after the snapshot. */
typedef struct log_walk {
    uint64_t last; /* batch replayed */
    uint64_t keys;
} log_walk;

static crawl_err replay_log(cw_disk_database *database, uint64_t from, uint64_t to, crawl_bloom *seen, log_walk *w,
                            crawl_error *error)
{
    cw_disk_cursor cursor;
    cw_disk_seen_key first = cw_disk_seen_key_make(from + 1);
    cw_disk_seen_key end = cw_disk_seen_key_make(to);
    crawl_err err = CRAWL_OK;
    *w = (log_walk){.last = from};
    cw_disk_cursor_open(&cursor, database, CW_FAMILY_SEEN, CW_DISK_SLICE_OF_KEY(first), CW_DISK_SLICE_OF_KEY(end),
                        true);
    for (; !err && cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor)) {
        uint64_t number = 0;
        if (!cw_disk_seen_key_read(cw_disk_cursor_key(&cursor), &number) || number != w->last + 1) {
            err = crawl_error_set(error, CRAWL_ECORRUPT, "the log of the seen-set has a gap after batch %" PRIu64,
                                  w->last);
        } else {
            err = replay(seen, cw_disk_cursor_value(&cursor), &w->keys);
            if (err)
                crawl_error_set(error, err, "batch %" PRIu64 " of the log of the seen-set: %s", number,
                                crawl_strerror(err));
        }
        w->last = number;
    }
    if (!err)
        err = cw_disk_cursor_error(&cursor, error);
    cw_disk_cursor_close(&cursor);
    return err;
}

/* Loads the filter from the snapshot. */
static crawl_err load_snapshot(const cw_disk_journal *journal, const char *directory, bool map, crawl_bloom **seen,
                               crawl_error *error)
{
    crawl_buf path = {0};
    if (!journal->snapshot)
        return crawl_bloom_create(&journal->options, seen, error);
    struct stat status;
    crawl_err err = journal_path_of(directory, journal->snapshot, &path);
    if (!err && lstat(path.data, &status) == 0 && S_ISLNK(status.st_mode))
        err = crawl_error_set(error, CRAWL_EIO, "%s: is a symbolic link", path.data);
    if (!err)
        err = map ? crawl_bloom_map(path.data, seen, error) : crawl_bloom_load(path.data, seen, error);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_disk_journal_snapshot_number(cw_disk_database *database, uint64_t *number, crawl_error *error)
{
    crawl_buf record = {0};
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, snapshot_name, &record, error);
    crawl_slice at = crawl_buf_slice(&record);
    *number = 0;
    if (!err && !cw_disk_get_number(&at, number))
        err = crawl_error_set(error, CRAWL_ECORRUPT, "the record of the snapshot cannot be read");
    crawl_buf_free(&record);
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}

static void journal_expect(cw_disk_journal *journal, uint64_t keys)
{
    atomic_store(&journal->next, keys > SNAPSHOT_KEYS ? keys : SNAPSHOT_KEYS);
}

crawl_err cw_disk_journal_open(cw_disk_journal *journal, cw_disk_database *database, const char *directory,
                               const crawl_bloom_options *options, crawl_bloom **seen, crawl_error *error)
{
    crawl_bloom *filter = NULL;
    crawl_bloom_stats stats;
    log_walk w;
    *journal = (cw_disk_journal){.options = *options};
    crawl_err err = cw_disk_journal_snapshot_number(database, &journal->snapshot, error);
    if (!err)
        err = load_snapshot(journal, directory, false, &filter, error);
    if (err)
        return err;
    crawl_bloom_stats_get(filter, &stats);
    journal_expect(journal, stats.count);
    err = replay_log(database, journal->snapshot, UINT64_MAX, filter, &w, error);
    if (err) {
        crawl_bloom_free(filter);
        return err;
    }
    atomic_store(&journal->last, w.last);
    atomic_store(&journal->keys, w.keys);
    *seen = filter;
    return CRAWL_OK;
}

bool cw_disk_journal_wants_snapshot(const cw_disk_journal *journal)
{
    return atomic_load(&journal->keys) > atomic_load(&journal->next);
}

void cw_disk_journal_postpone(cw_disk_journal *journal)
{
    journal_expect(journal, 2 * atomic_load(&journal->keys));
}

/* Makes the snapshot the current one and drops the log up to it. */
static crawl_err commit_snapshot(cw_disk_database *database, uint64_t number, crawl_error *error)
{
    char value[CW_DISK_NUMBER_MAX];
    cw_disk_seen_key first = cw_disk_seen_key_make(0);
    cw_disk_seen_key end = cw_disk_seen_key_make(number + 1);
    rocksdb_writebatch_t *batch = cw_disk_rocksdb.writebatch_create();
    cw_disk_database_put(database, batch, CW_FAMILY_META, snapshot_name,
                         crawl_slice_of(value, (size_t)(cw_disk_put_number(value, number) - value)));
    cw_disk_rocksdb.writebatch_delete_range_cf(batch, database->families[CW_FAMILY_SEEN], first.bytes,
                                               sizeof first.bytes, end.bytes, sizeof end.bytes);
    crawl_err err = cw_disk_database_write(database, batch, true, error);
    cw_disk_rocksdb.writebatch_destroy(batch);
    if (!err)
        cw_disk_database_drop_files(database, CW_FAMILY_SEEN, CW_DISK_SLICE_OF_KEY(first), CW_DISK_SLICE_OF_KEY(end));
    return err;
}

/* Snapshots that are not current are older ones, and newer ones that a crash left. */
void cw_disk_journal_remove_others(const char *directory, const char *prefix, uint64_t present)
{
    char name[64];
    crawl_buf path = {0};
    DIR *folder = opendir(directory);
    snprintf(name, sizeof name, "%s%" PRIu64, prefix, present);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 || strcmp(entry->d_name, name) == 0)
            continue;
        crawl_buf_clear(&path);
        if (!crawl_buf_printf(&path, "%s/%s", directory, entry->d_name))
            unlink(path.data);
    }
    if (folder)
        closedir(folder);
    crawl_buf_free(&path);
}

/* Saves a filter as the snapshot of this number. */
static crawl_err journal_save(const crawl_bloom *seen, const char *directory, uint64_t number, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = journal_path_of(directory, number, &path);
    if (!err)
        err = crawl_bloom_save(seen, path.data, error);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_disk_journal_snapshot(cw_disk_journal *journal, cw_disk_database *database, const char *directory,
                                   const crawl_bloom *seen, crawl_error *error)
{
    crawl_bloom *made = NULL;
    crawl_bloom_stats stats;
    log_walk w = {.last = atomic_load(&journal->last), .keys = atomic_load(&journal->keys)};
    crawl_err err = CRAWL_OK;
    if (!seen) {
        err = load_snapshot(journal, directory, true, &made, error);
        if (!err)
            err = replay_log(database, journal->snapshot, w.last + 1, made, &w, error);
        seen = made;
    }
    if (!err)
        err = journal_save(seen, directory, w.last, error);
    if (!err)
        err = commit_snapshot(database, w.last, error);
    if (!err) {
        crawl_bloom_stats_get(seen, &stats);
        journal->snapshot = w.last;
        journal_expect(journal, stats.count);
        atomic_fetch_sub(&journal->keys, w.keys);
        cw_disk_journal_remove_others(directory, FILE_PREFIX, w.last);
    }
    crawl_bloom_free(made);
    return err;
}
