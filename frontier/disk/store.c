/* See store.h. */
#include "frontier/disk/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROBE_CACHE_BYTES ((size_t)8 << 20)
#define SCRATCH_KEPT ((size_t)1 << 20) /* bytes; larger records are rare */

static crawl_err fail_system(crawl_error *error, const char *what, const char *path)
{
    return crawl_error_set(error, errno == ENOMEM ? CRAWL_ENOMEM : CRAWL_EIO, "%s: %s: %s", path, what,
                           strerror(errno));
}

static crawl_err path_of(const char *directory, const char *name, crawl_buf *out)
{
    crawl_buf_clear(out);
    return crawl_buf_printf(out, "%s/%s", directory, name);
}

/* Who holds the lock: the number in it, unless that is of a process before, and the holder has not written its own
 * yet. */
static crawl_err say_holder(const cw_store *store, crawl_error *error)
{
    char text[24] = "";
    ssize_t size = pread(store->lock, text, sizeof text - 1, 0);
    long number = size > 0 ? strtol(text, NULL, 10) : 0;
    bool alive = number > 0 && (kill((pid_t)number, 0) == 0 || errno == EPERM);
    if (alive)
        return crawl_error_set(error, CRAWL_ESTATE, "%s: in use by process %ld", store->directory, number);
    return crawl_error_set(error, CRAWL_ESTATE, "%s: in use by another process", store->directory);
}

static crawl_err take_lock(cw_store *store, const char *path, crawl_error *error)
{
    char text[24];
    store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (store->lock < 0)
        return fail_system(error, "cannot be written to", path);
    if (flock(store->lock, LOCK_EX | LOCK_NB)) {
        if (errno == EWOULDBLOCK)
            return say_holder(store, error);
        return fail_system(error, "cannot be locked", path);
    }
    int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(store->lock, 0) || pwrite(store->lock, text, (size_t)size, 0) != size)
        return fail_system(error, "cannot be written to", path);
    return CRAWL_OK;
}

/* Is there anything of a frontier in it? Then none is to be made in the place of one that is damaged. */
static bool holds_frontier(const char *directory)
{
    DIR *folder = opendir(directory);
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = strncmp(entry->d_name, "seen-", 5) == 0 || strncmp(entry->d_name, "done-", 5) == 0 ||
                strcmp(entry->d_name, CW_WITNESS_FILE) == 0;
    if (folder)
        closedir(folder);
    return found;
}

/* Without a change to it: what RocksDB takes for left over it removes when it opens for writing. */
static crawl_err hold_against_witness(cw_store *store, const char *path, crawl_error *error)
{
    cw_database database;
    crawl_err err = cw_witness_read(store->directory, &store->testimony, error);
    if (err)
        return err == CRAWL_ABSENT ? CRAWL_OK : err;
    err = cw_testimony_of_list(&store->testimony, store->directory, error);
    if (err)
        return err;
    err = cw_database_open(&database, path, CW_DATABASE_READ_ONLY, PROBE_CACHE_BYTES, error);
    if (err)
        return err;
    err = cw_testimony_of_writes(&store->testimony, cw_database_sequence(&database), error);
    cw_database_close(&database);
    return err;
}

static crawl_err open_database(cw_store *store, const char *path, uint64_t cache_bytes, crawl_error *error)
{
    cw_database_mode mode = holds_frontier(store->directory) ? CW_DATABASE_THERE : CW_DATABASE_NEW;
    crawl_err err = mode == CW_DATABASE_THERE ? hold_against_witness(store, path, error) : CRAWL_OK;
    return err ? err : cw_database_open(&store->database, path, mode, cache_bytes, error);
}

static crawl_err open_directory(cw_store *store, uint64_t cache_bytes, crawl_error *error)
{
    crawl_buf path = {0};
    crawl_err err = CRAWL_OK;
    if (mkdir(store->directory, 0700) && /* what is asked for with a password may stand in it */ errno != EEXIST)
        return fail_system(error, "cannot be made", store->directory);
    err = path_of(store->directory, "lock", &path);
    if (!err)
        err = take_lock(store, path.data, error);
    if (!err)
        err = path_of(store->directory, "db", &path);
    if (!err)
        err = open_database(store, path.data, cache_bytes, error);
    crawl_buf_free(&path);
    return err;
}

crawl_err cw_store_open(const char *directory, uint64_t cache_bytes, cw_store **out, crawl_error *error)
{
    cw_store *store = calloc(1, sizeof *store);
    if (!store || pthread_mutex_init(&store->guard, NULL)) {
        free(store);
        return crawl_error_set(error, CRAWL_ENOMEM, "no memory for a store");
    }
    store->lock = -1;
    store->directory = strdup(directory);
    store->batch = rocksdb_writebatch_create();
    crawl_err err = CRAWL_ENOMEM;
    crawl_error_set(error, err, "no memory for a store");
    if (store->directory && store->batch)
        err = open_directory(store, cache_bytes, error);
    if (err) {
        cw_store_close(store);
        return err;
    }
    *out = store;
    return CRAWL_OK;
}

void cw_store_close(cw_store *store)
{
    if (store->batch)
        rocksdb_writebatch_destroy(store->batch);
    cw_database_close(&store->database);
    cw_donelog_close(&store->donelog);
    cw_witness_close(&store->witness);
    free(store->windows.stage.hosts);
    if (store->lock >= 0)
        close(store->lock);
    pthread_mutex_destroy(&store->guard);
    crawl_buf_free(&store->scratch);
    free(store->directory);
    free(store);
}

crawl_err cw_store_fail(cw_store *store, const crawl_error *error)
{
    pthread_mutex_lock(&store->guard);
    if (!store->failure.code)
        store->failure = *error;
    crawl_err err = store->failure.code;
    pthread_mutex_unlock(&store->guard);
    return err;
}

crawl_err cw_store_why(cw_store *store, crawl_error *error)
{
    pthread_mutex_lock(&store->guard);
    crawl_err err = store->failure.code;
    if (err && error)
        *error = store->failure;
    pthread_mutex_unlock(&store->guard);
    return err;
}

crawl_err cw_store_reserve(cw_store *store, size_t bytes)
{
    crawl_buf_clear(&store->scratch);
    return crawl_buf_reserve(&store->scratch, bytes);
}

void cw_store_begin(cw_store *store)
{
    rocksdb_writebatch_clear(store->batch);
    store->batch_error = CRAWL_OK;
}

void cw_store_put(cw_store *store, cw_family family, crawl_slice key, crawl_slice value)
{
    cw_database_put(&store->database, store->batch, family, key, value);
}

void cw_store_put_request(cw_store *store, cw_queue_key name, const cw_item *item)
{
    size_t room = cw_request_room(item, item->parent ? item->parent->size : 0);
    if (cw_store_reserve(store, room)) {
        store->batch_error = CRAWL_ENOMEM;
        return;
    }
    size_t size = cw_request_write(store->scratch.data, item, item->parent);
    cw_store_put(store, CW_FAMILY_QUEUE, CW_SLICE_OF_KEY(name), crawl_slice_of(store->scratch.data, size));
}

/* A record that was written once takes its tombstone with it; see database.h. */
void cw_store_drop(cw_store *store, cw_queue_key name, bool moved)
{
    if (moved)
        cw_database_delete(&store->database, store->batch, CW_FAMILY_QUEUE, CW_SLICE_OF_KEY(name));
    else
        cw_database_delete_single(&store->database, store->batch, CW_FAMILY_QUEUE, CW_SLICE_OF_KEY(name));
}

static cw_queue_key name_of(const cw_host *host, cw_key key, const cw_item *item, int lane)
{
    unsigned normal = !(item->flags & CW_ITEM_URGENT);
    return cw_queue_key_make(host->number, (lane == CW_LANE_READY ? CW_RANGE_URGENT : CW_RANGE_URGENT_DELAYED) + normal,
                             key);
}

cw_queue_key cw_store_name_of(const cw_host *host, cw_key key, const cw_item *item)
{
    return name_of(host, key, item, CW_LANE_READY);
}

void cw_store_put_ready(cw_store *store, const cw_host *host, cw_key key, const cw_item *item)
{
    cw_store_put_request(store, name_of(host, key, item, CW_LANE_READY), item);
}

void cw_store_put_delayed(cw_store *store, const cw_host *host, cw_key key, const cw_item *item)
{
    cw_store_put_request(store, name_of(host, key, item, CW_LANE_DELAYED), item);
}

void cw_store_drop_ready(cw_store *store, const cw_host *host, cw_key key, const cw_item *item)
{
    cw_store_drop(store, name_of(host, key, item, CW_LANE_READY), item->flags & CW_ITEM_MOVED);
}

void cw_store_drop_delayed(cw_store *store, const cw_host *host, cw_key key, const cw_item *item)
{
    cw_store_drop(store, name_of(host, key, item, CW_LANE_DELAYED), true);
}

void cw_store_put_stage(cw_store *store, crawl_slice record)
{
    cw_seen_key number = cw_seen_key_make(++store->windows.stage.batch);
    cw_store_put(store, CW_FAMILY_STAGE, CW_SLICE_OF_KEY(number), record);
}

void cw_store_put_gone(cw_store *store, cw_queue_key name)
{
    char record[CW_STAGE_GONE_SIZE];
    cw_stage_write_gone(record, name);
    cw_store_put_stage(store, crawl_slice_of(record, sizeof record));
}

void cw_store_put_host(cw_store *store, cw_host *host)
{
    cw_host_key name = cw_host_key_make(host->number);
    if (cw_store_reserve(store, cw_host_room(host))) {
        store->batch_error = CRAWL_ENOMEM;
        return;
    }
    size_t size = cw_host_write(store->scratch.data, host);
    cw_store_put(store, CW_FAMILY_META, CW_SLICE_OF_KEY(name), crawl_slice_of(store->scratch.data, size));
}

crawl_err cw_store_commit(cw_store *store)
{
    crawl_error error = {0};
    crawl_err err = store->batch_error ? store->batch_error : cw_store_failure(store);
    if (err)
        return err;
    err = cw_database_write(&store->database, store->batch, false, &error);
    if (!err && store->witness.directory)
        err = cw_witness_wrote(&store->witness, cw_database_sequence(&store->database), &error);
    if (err)
        return cw_store_fail(store, &error);
    if (store->scratch.capacity > SCRATCH_KEPT)
        crawl_buf_free(&store->scratch);
    if (store->running)
        cw_sync_note(&store->sync);
    return CRAWL_OK;
}

uint64_t cw_store_bytes(cw_store *store)
{
    uint64_t bytes = 0;
    for (int family = 0; family < CW_FAMILIES; family++)
        bytes += cw_database_bytes(&store->database, (cw_family)family);
    return bytes;
}
