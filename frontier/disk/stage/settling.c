#include "frontier/disk/stage/settling.h"

crawl_err cw_disk_settling_open(cw_disk_settling *settling)
{
    settling->batch = cw_disk_rocksdb.writebatch_create();
    if (!settling->batch || pthread_mutex_init(&settling->work, NULL))
        goto destroy_batch;
    if (pthread_mutex_init(&settling->guard, NULL) == 0)
        return CRAWL_OK;
    pthread_mutex_destroy(&settling->work);
destroy_batch:
    if (settling->batch)
        cw_disk_rocksdb.writebatch_destroy(settling->batch);
    settling->batch = NULL;
    return CRAWL_ENOMEM;
}

void cw_disk_settling_close(cw_disk_settling *settling)
{
    if (!settling->batch)
        return;
    cw_disk_changes_free(&settling->changes);
    crawl_buf_free(&settling->scratch);
    cw_disk_rocksdb.writebatch_destroy(settling->batch);
    pthread_mutex_destroy(&settling->guard);
    pthread_mutex_destroy(&settling->work);
    settling->batch = NULL;
}

bool cw_disk_settling_has(const cw_disk_settling *settling, cw_disk_queue_key name)
{
    int phase = atomic_load(&settling->phase);
    if (phase != CW_SETTLING_WRITING && phase != CW_SETTLING_WRITTEN)
        return false;
    const cw_disk_change *change = cw_disk_changes_find(&settling->changes, name);
    return change && !change->over && (size_t)(change - settling->changes.all) >= atomic_load(&settling->told);
}
