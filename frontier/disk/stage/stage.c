/* See stage.h. */
#include "frontier/disk/stage/stage.h"

#include "base/bytes.h"

enum { BATCH = 'b', GONE = 'g' };

crawl_err cw_disk_stage_reserve(cw_disk_stage *stage, cw_frontier_memory *memory, size_t more)
{
    size_t wanted = stage->listed + more;
    if (wanted <= stage->capacity)
        return CRAWL_OK;
    size_t capacity = wanted + wanted / 2;
    cw_frontier_host **hosts =
        capacity <= UINT32_MAX ? cw_frontier_memory_resize(memory, stage->hosts, capacity * sizeof *hosts) : NULL;
    if (!hosts)
        return CRAWL_ENOMEM;
    stage->hosts = hosts;
    stage->capacity = (uint32_t)capacity;
    return CRAWL_OK;
}

void cw_disk_stage_list(cw_disk_stage *stage, cw_frontier_host *host)
{
    if (host->staged)
        return;
    host->staged = true;
    stage->hosts[stage->listed++] = host;
}

size_t cw_disk_stage_head_room(size_t parent_size)
{
    return 1 + CW_DISK_NUMBER_MAX + parent_size;
}

size_t cw_disk_stage_room(const cw_frontier_item *item)
{
    return CW_DISK_QUEUE_KEY_SIZE + CW_DISK_NUMBER_MAX + cw_disk_request_room(item, 0);
}

char *cw_disk_stage_write_head(char *to, const cw_frontier_parent *parent)
{
    size_t size = parent ? parent->size : 0;
    *to++ = BATCH;
    to = cw_disk_put_number(to, size);
    if (size)
        memcpy(to, parent->text, size);
    return to + size;
}

/* The size stands before the request; it is known behind it, in a width that is always the same. */
char *cw_disk_stage_write_request(char *to, cw_disk_queue_key name, const cw_frontier_item *item)
{
    uint32_t size = (uint32_t)cw_disk_request_write(to + CW_DISK_QUEUE_KEY_SIZE + sizeof size, item, NULL);
    memcpy(to, name.bytes, CW_DISK_QUEUE_KEY_SIZE);
    return cw_le_put(to + CW_DISK_QUEUE_KEY_SIZE, size, sizeof size) + size;
}

void cw_disk_stage_write_gone(char *to, cw_disk_queue_key name)
{
    *to = GONE;
    memcpy(to + 1, name.bytes, CW_DISK_QUEUE_KEY_SIZE);
}

static bool get_name(crawl_slice *at, cw_disk_queue_key *name)
{
    crawl_slice bytes;
    if (!cw_disk_get_bytes(at, sizeof name->bytes, &bytes))
        return false;
    memcpy(name->bytes, bytes.data, sizeof name->bytes);
    return true;
}

static bool get_request(crawl_slice *at, cw_disk_queue_key *name, crawl_slice *record)
{
    crawl_slice size;
    if (!get_name(at, name) || !cw_disk_get_bytes(at, sizeof(uint32_t), &size))
        return false;
    uint64_t bytes = cw_le_get(&size.data, size.size);
    return bytes && cw_disk_get_bytes(at, bytes, record);
}

crawl_err cw_disk_stage_read(crawl_slice record, cw_each_staged *each, void *user)
{
    crawl_slice type, parent, request;
    uint64_t parent_size;
    cw_disk_queue_key name;
    crawl_err err = CRAWL_OK;
    if (!cw_disk_get_bytes(&record, 1, &type))
        return CRAWL_ECORRUPT;
    if (*type.data == GONE && record.size == CW_DISK_QUEUE_KEY_SIZE && get_name(&record, &name))
        return each(name, (crawl_slice){0}, (crawl_slice){0}, user);
    if (*type.data != BATCH || !cw_disk_get_number(&record, &parent_size) || parent_size > record.size ||
        !cw_disk_get_bytes(&record, parent_size, &parent))
        return CRAWL_ECORRUPT;
    while (record.size && !err)
        err = get_request(&record, &name, &request) ? each(name, request, parent, user) : CRAWL_ECORRUPT;
    return err;
}
