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

/* The record: the two numbers, and the name once there is one. */

static const crawl_slice boundary_name = {.data = "msettling", .size = sizeof "msettling" - 1};

void cw_disk_boundary_write(const cw_disk_boundary *boundary, cw_disk_database *database, rocksdb_writebatch_t *batch)
{
    char record[2 * CW_DISK_NUMBER_MAX + CW_DISK_QUEUE_KEY_SIZE];
    char *at = cw_disk_put_number(cw_disk_put_number(record, boundary->batch), boundary->records);
    if (boundary->begun) {
        memcpy(at, boundary->last.bytes, sizeof boundary->last.bytes);
        at += sizeof boundary->last.bytes;
    }
    cw_disk_database_put(database, batch, CW_FAMILY_META, boundary_name, crawl_slice_of(record, (size_t)(at - record)));
}

void cw_disk_boundary_delete(cw_disk_database *database, rocksdb_writebatch_t *batch)
{
    cw_disk_database_delete(database, batch, CW_FAMILY_META, boundary_name);
}

static bool boundary_parse(crawl_slice record, cw_disk_boundary *out)
{
    if (!cw_disk_get_number(&record, &out->batch) || !cw_disk_get_number(&record, &out->records))
        return false;
    out->there = true;
    out->begun = record.size == sizeof out->last.bytes;
    if (out->begun)
        memcpy(out->last.bytes, record.data, sizeof out->last.bytes);
    return out->begun || !record.size;
}

crawl_err cw_disk_boundary_read(cw_disk_database *database, cw_disk_boundary *out, crawl_error *error)
{
    crawl_buf record = {0};
    *out = (cw_disk_boundary){0};
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, boundary_name, &record, error);
    if (!err && !boundary_parse(crawl_buf_slice(&record), out))
        err = crawl_error_set(error, CRAWL_ECORRUPT, "the record of a settling cannot be read");
    crawl_buf_free(&record);
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}
