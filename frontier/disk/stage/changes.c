#include "frontier/disk/stage/changes.h"

#include "base/array.h"

#include <stdlib.h>

static crawl_err changes_make_room(cw_disk_changes *changes)
{
    enum { FIRST = 64 };
    return CW_ARRAY_RESERVE(changes->all, changes->capacity, changes->count + 1, FIRST);
}

/* The requests of one record have one parent. */
static crawl_err keep_parent(cw_disk_changes *changes, crawl_slice parent, uint64_t batch)
{
    if (changes->puts && batch == changes->batch)
        return CRAWL_OK;
    size_t at = changes->texts.size;
    crawl_err err = crawl_buf_append(&changes->texts, parent.data, parent.size);
    if (err)
        return err;
    changes->batch = batch;
    changes->parent_at = at;
    return CRAWL_OK;
}

crawl_err cw_disk_changes_put(cw_disk_changes *changes, cw_disk_queue_key name, crawl_slice record, crawl_slice parent,
                              uint64_t batch)
{
    crawl_err err = changes_make_room(changes);
    if (!err)
        err = keep_parent(changes, parent, batch);
    size_t at = changes->texts.size;
    if (!err)
        err = crawl_buf_append(&changes->texts, record.data, record.size);
    if (err)
        return err;
    changes->all[changes->count++] = (cw_disk_change){.name = name,
                                                      .kind = CW_CHANGE_PUT,
                                                      .size = (uint32_t)record.size,
                                                      .parent_size = (uint32_t)parent.size,
                                                      .at = at,
                                                      .parent_at = changes->parent_at};
    changes->puts++;
    return CRAWL_OK;
}

crawl_err cw_disk_changes_add(cw_disk_changes *changes, cw_disk_queue_key name, uint8_t kind)
{
    crawl_err err = changes_make_room(changes);
    if (!err)
        changes->all[changes->count++] = (cw_disk_change){.name = name, .kind = kind};
    return err;
}

/* Sorts by name. A request that reached the queue another way and is done may be in the stage under the same name: the
 * deletion comes after the put. */
static int changes_compare(const void *a, const void *b)
{
    const cw_disk_change *x = a;
    const cw_disk_change *y = b;
    int order = memcmp(x->name.bytes, y->name.bytes, sizeof x->name.bytes);
    return order ? order : (x->kind != CW_CHANGE_PUT) - (y->kind != CW_CHANGE_PUT);
}

cw_disk_change *cw_disk_changes_find(const cw_disk_changes *changes, cw_disk_queue_key name)
{
    const cw_disk_change wanted = {.name = name, .kind = CW_CHANGE_PUT};
    return changes->count ? bsearch(&wanted, changes->all, changes->count, sizeof wanted, changes_compare) : NULL;
}

void cw_disk_changes_sort(cw_disk_changes *changes)
{
    if (changes->count)
        qsort(changes->all, changes->count, sizeof *changes->all, changes_compare);
    for (size_t i = 0; i < changes->count; i++) {
        cw_disk_change *put =
            changes->all[i].kind == CW_CHANGE_GONE ? cw_disk_changes_find(changes, changes->all[i].name) : NULL;
        if (put)
            put->over = true;
    }
}

uint32_t cw_disk_change_host(const cw_disk_change *change)
{
    uint32_t host = 0;
    unsigned range;
    cw_heap_key key;
    (void)cw_disk_queue_key_read(CW_DISK_SLICE_OF_KEY(change->name), &host, &range, &key);
    return host;
}

crawl_err cw_disk_changes_record(const cw_disk_changes *changes, const cw_disk_change *change, crawl_buf *out)
{
    const char *texts = changes->texts.data;
    crawl_buf_clear(out);
    crawl_err err = crawl_buf_append(out, texts + change->at, change->size);
    return err ? err : crawl_buf_append(out, texts + change->parent_at, change->parent_size);
}

void cw_disk_changes_free(cw_disk_changes *changes)
{
    free(changes->all);
    crawl_buf_free(&changes->texts);
    *changes = (cw_disk_changes){0};
}
