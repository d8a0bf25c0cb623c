#include "frontier/disk/stage/stage.h"

#include "base/bytes.h"
#include "base/error.h"

enum { BATCH = 'b', GONE = 'g' };

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

/* The size precedes the request but is known only after it is written; so it has a fixed width. */
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

crawl_err cw_disk_stage_walk(cw_disk_database *database, uint64_t beyond, uint64_t last, uint64_t *number,
                             cw_each_staged *each, void *user, crawl_error *error)
{
    cw_disk_cursor cursor;
    cw_disk_seen_key first = cw_disk_seen_key_make(beyond + 1);
    cw_disk_seen_key end = cw_disk_seen_key_make(last < UINT64_MAX ? last + 1 : last);
    crawl_err err = CRAWL_OK;
    cw_disk_cursor_open(&cursor, database, CW_FAMILY_STAGE, CW_DISK_SLICE_OF_KEY(first), CW_DISK_SLICE_OF_KEY(end),
                        true);
    for (; !err && cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor)) {
        bool named = cw_disk_seen_key_read(cw_disk_cursor_key(&cursor), number);
        err = named ? cw_disk_stage_read(cw_disk_cursor_value(&cursor), each, user) : CRAWL_ECORRUPT;
        if (err == CRAWL_ECORRUPT)
            crawl_error_set(error, err, "a record of the stage cannot be read");
        else if (err)
            cw_error(error, err);
    }
    if (!err)
        err = cw_disk_cursor_error(&cursor, error);
    cw_disk_cursor_close(&cursor);
    return err;
}
