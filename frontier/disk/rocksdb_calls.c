#include "frontier/disk/rocksdb_calls.h"

#include <dlfcn.h>
#include <pthread.h>

cw_disk_rocksdb_calls cw_disk_rocksdb;

static struct {
    pthread_once_t once;
    crawl_error error; /* code 0: it is loaded */
} loading = {.once = PTHREAD_ONCE_INIT};

/* Finds a call in the library, as POSIX says how to take a function from dlsym. */
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
