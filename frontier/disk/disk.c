#include "frontier/disk/disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROBE_CACHE_BYTES ((size_t)8 << 20)
#define SCRATCH_KEPT ((size_t)1 << 20) /* bytes; larger records are rare */

static crawl_err disk_fail_system(crawl_error *error, const char *what, const char *path)
{
    return crawl_error_set(error, errno == ENOMEM ? CRAWL_ENOMEM : CRAWL_EIO, "%s: %s: %s", path, what,
                           strerror(errno));
}

static crawl_err disk_path_of(const char *directory, const char *name, crawl_buf *out)
{
    crawl_buf_clear(out);
    return crawl_buf_printf(out, "%s/%s", directory, name);
}

/* Names the holder of the lock by the process id in the file, unless that belongs to an earlier process and the holder
 * has not written its own yet. */
static crawl_err say_holder(const cw_disk *disk, crawl_error *error)
{
    char text[24] = "";
    ssize_t size = pread(disk->lock, text, sizeof text - 1, 0);
    long number = size > 0 ? strtol(text, NULL, 10) : 0;
    bool alive = number > 0 && (kill((pid_t)number, 0) == 0 || errno == EPERM);
    if (alive)
        return crawl_error_set(error, CRAWL_ESTATE, "%s: in use by process %ld", disk->directory, number);
    return crawl_error_set(error, CRAWL_ESTATE, "%s: in use by another process", disk->directory);
}

static crawl_err take_lock(cw_disk *disk, const char *path, crawl_error *error)
{
    char text[24];
    disk->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (disk->lock < 0)
        return disk_fail_system(error, "cannot be written to", path);
    if (flock(disk->lock, LOCK_EX | LOCK_NB)) {
        if (errno == EWOULDBLOCK)
            return say_holder(disk, error);
        return disk_fail_system(error, "cannot be locked", path);
    }
    int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(disk->lock, 0) || pwrite(disk->lock, text, (size_t)size, 0) != size)
        return disk_fail_system(error, "cannot be written to", path);
    return CRAWL_OK;
}

/* Returns true if the directory contains anything of a frontier. Then no new database is created in place of a damaged
 * one. */
static bool holds_frontier(const char *directory)
{
    DIR *folder = opendir(directory);
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = strncmp(entry->d_name, "seen-", 5) == 0 || strncmp(entry->d_name, "done-", 5) == 0 ||
                strcmp(entry->d_name, CW_DISK_WITNESS_FILE) == 0;
    if (folder)
        closedir(folder);
    return found;
}

/* Opens read-only, without a change: when RocksDB opens for writing, it removes files that it takes for leftovers. */
static crawl_err hold_against_witness(cw_disk *disk, const char *path, crawl_error *error)
{
    cw_disk_database database;
    crawl_err err = cw_disk_witness_read(disk->directory, &disk->testimony, error);
    if (err)
        return err == CRAWL_ABSENT ? CRAWL_OK : err;
    err = cw_disk_testimony_of_list(&disk->testimony, disk->directory, error);
    if (err)
        return err;
    err = cw_disk_database_open(&database, path, CW_DATABASE_READ_ONLY, PROBE_CACHE_BYTES, error);
    if (err)
        return err;
    err = cw_disk_testimony_of_writes(&disk->testimony, cw_disk_database_sequence(&database), error);
    cw_disk_database_close(&database);
    return err;
}

static crawl_err disk_open_database(cw_disk *disk, const char *path, uint64_t cache_bytes, crawl_error *error)
{
    cw_disk_database_mode mode = holds_frontier(disk->directory) ? CW_DATABASE_THERE : CW_DATABASE_NEW;
    crawl_err err = mode == CW_DATABASE_THERE ? hold_against_witness(disk, path, error) : CRAWL_OK;
    if (!err)
        err = cw_disk_database_open(&disk->database, path, mode, cache_bytes, error);
    if (!err)
        disk->found = cw_disk_database_sequence(&disk->database);
    return err;
}

static crawl_err disk_open_directory(cw_disk *disk, uint64_t cache_bytes, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = CRAWL_OK;
    if (mkdir(disk->directory, 0700) && /* requests may contain passwords */ errno != EEXIST)
        return disk_fail_system(error, "cannot be made", disk->directory);
    err = disk_path_of(disk->directory, "lock", &path);
    if (!err)
        err = take_lock(disk, path.data, error);
    if (!err)
        err = disk_path_of(disk->directory, "db", &path);
    if (!err)
        err = disk_open_database(disk, path.data, cache_bytes, error);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_disk_open(const char *directory, uint64_t cache_bytes, cw_disk **out, crawl_error *error)
{
    crawl_err err = cw_disk_rocksdb_load(error);
    if (err)
        return err;
    cw_disk *disk = calloc(1, sizeof *disk);
    if (!disk || pthread_mutex_init(&disk->guard, NULL)) {
        free(disk);
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for a frontier on the disk");
    }
    disk->lock = -1;
    disk->directory = strdup(directory);
    disk->batch = cw_disk_rocksdb.writebatch_create();
    err = CRAWL_ENOMEM;
    crawl_error_set(error, err, "no memory for a frontier on the disk");
    if (disk->directory && disk->batch && !cw_disk_settling_open(&disk->settling))
        err = disk_open_directory(disk, cache_bytes, error);
    if (err) {
        cw_disk_close(disk);
        return err;
    }
    *out = disk;
    return CRAWL_OK;
}

void cw_disk_close(cw_disk *disk)
{
    if (disk->batch)
        cw_disk_rocksdb.writebatch_destroy(disk->batch);
    cw_disk_database_close(&disk->database);
    cw_disk_donelog_close(&disk->donelog);
    cw_disk_witness_close(&disk->witness);
    cw_disk_settling_close(&disk->settling);
    if (disk->lock >= 0)
        close(disk->lock);
    pthread_mutex_destroy(&disk->guard);
    crawl_buf_free(&disk->scratch);
    crawl_buf_free(&disk->rest.record);
    free(disk->directory);
    free(disk);
}

crawl_err cw_disk_reserve(cw_disk *disk, size_t bytes)
{
    crawl_buf_clear(&disk->scratch);
    return crawl_buf_reserve(&disk->scratch, bytes);
}

void cw_disk_begin(cw_disk *disk)
{
    cw_disk_rocksdb.writebatch_clear(disk->batch);
    disk->batch_error = CRAWL_OK;
}

void cw_disk_put(cw_disk *disk, cw_disk_family family, crawl_slice key, crawl_slice value)
{
    cw_disk_database_put(&disk->database, disk->batch, family, key, value);
}

/* Puts a request under its name in the queue, even if its item says that it is in the stage. */
static void disk_put_request(cw_disk *disk, cw_disk_queue_key name, const cw_frontier_item *item)
{
    size_t room = cw_disk_request_room(item, item->parent ? item->parent->size : 0);
    if (cw_disk_reserve(disk, room)) {
        disk->batch_error = CRAWL_ENOMEM;
        return;
    }
    size_t size = cw_disk_request_write(disk->scratch.data, item, item->parent);
    cw_disk_put(disk, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(name), crawl_slice_of(disk->scratch.data, size));
}

/* Deleting a record that was written once leaves no tombstone; see database.h. */
void cw_disk_drop(cw_disk *disk, cw_disk_queue_key name, bool moved)
{
    if (moved)
        cw_disk_database_delete(&disk->database, disk->batch, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(name));
    else
        cw_disk_database_delete_single(&disk->database, disk->batch, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(name));
}

static cw_disk_queue_key disk_name_of(const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item,
                                      int lane)
{
    unsigned normal = !(item->flags & CW_ITEM_URGENT);
    return cw_disk_queue_key_make(host->number,
                                  (lane == CW_LANE_READY ? CW_RANGE_URGENT : CW_RANGE_URGENT_DELAYED) + normal, key);
}

cw_disk_queue_key cw_disk_name_of(const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item)
{
    return disk_name_of(host, key, item, CW_LANE_READY);
}

void cw_disk_put_ready(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item)
{
    disk_put_request(disk, disk_name_of(host, key, item, CW_LANE_READY), item);
}

void cw_disk_put_delayed(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item)
{
    disk_put_request(disk, disk_name_of(host, key, item, CW_LANE_DELAYED), item);
}

void cw_disk_drop_ready(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item)
{
    cw_disk_drop(disk, disk_name_of(host, key, item, CW_LANE_READY), item->flags & CW_ITEM_MOVED);
}

void cw_disk_drop_delayed(cw_disk *disk, const cw_frontier_host *host, cw_heap_key key, const cw_frontier_item *item)
{
    cw_disk_drop(disk, disk_name_of(host, key, item, CW_LANE_DELAYED), true);
}

void cw_disk_put_stage(cw_disk *disk, crawl_slice record)
{
    cw_disk_seen_key number = cw_disk_seen_key_make(++disk->windows.stage.batch);
    cw_disk_put(disk, CW_FAMILY_STAGE, CW_DISK_SLICE_OF_KEY(number), record);
}

void cw_disk_put_gone(cw_disk *disk, cw_disk_queue_key name)
{
    char record[CW_DISK_STAGE_GONE_SIZE];
    cw_disk_stage_write_gone(record, name);
    cw_disk_put_stage(disk, crawl_slice_of(record, sizeof record));
}

void cw_disk_put_host_record(cw_disk *disk, uint32_t number, const cw_disk_host_record *record)
{
    cw_disk_host_key name = cw_disk_host_key_make(number);
    if (cw_disk_reserve(disk, cw_disk_host_room(record->origin))) {
        disk->batch_error = CRAWL_ENOMEM;
        return;
    }
    size_t size = cw_disk_host_write(disk->scratch.data, record);
    cw_disk_put(disk, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(name), crawl_slice_of(disk->scratch.data, size));
}

void cw_disk_put_host(cw_disk *disk, const cw_frontier_host *host)
{
    cw_disk_host_record record = cw_disk_host_describe(host);
    cw_disk_put_host_record(disk, host->number, &record);
}

void cw_disk_put_log(cw_disk *disk, size_t record_size)
{
    cw_disk_seen_key key = cw_disk_seen_key_make(cw_disk_journal_next(&disk->journal));
    cw_disk_put(disk, CW_FAMILY_SEEN, CW_DISK_SLICE_OF_KEY(key), crawl_slice_of(disk->scratch.data, record_size));
}

crawl_err cw_disk_commit(cw_disk *disk)
{
    crawl_error error = {0};
    crawl_err err = disk->batch_error ? disk->batch_error : cw_disk_failure(disk);
    if (err)
        return err;
    err = cw_disk_database_write(&disk->database, disk->batch, false, &error);
    if (!err && disk->witness.directory)
        err = cw_disk_witness_wrote(&disk->witness, cw_disk_database_sequence(&disk->database), &error);
    if (err)
        return cw_disk_fail(disk, &error);
    /* Leases that are out rely on the room reserved for their return. */
    if (disk->scratch.capacity > SCRATCH_KEPT && !(disk->running && disk->settler.frontier->leases.out))
        crawl_buf_free(&disk->scratch);
    if (disk->running)
        cw_disk_sync_note(&disk->sync);
    return CRAWL_OK;
}

uint64_t cw_disk_bytes(cw_disk *disk)
{
    uint64_t bytes = 0;
    for (int family = 0; family < CW_FAMILIES; family++)
        bytes += cw_disk_database_bytes(&disk->database, (cw_disk_family)family);
    return bytes;
}
