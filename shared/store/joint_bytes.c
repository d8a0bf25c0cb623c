/* Numbers are little-endian.
 *
 *   request   fingerprint 20, priority 4, depth 4, tag 4, retries 2, flags 1, size of the URL 4, size of the parent 4,
 *             then the parent and the tail
 *   host      version 1, end of the block 8, pause 8, share 2, then the note */
#include "shared/store/joint_bytes.h"

#include "base/bytes.h"

#include <stdlib.h>

enum {
    REQUEST_FIXED = CRAWL_FINGERPRINT_SIZE + 4 + 4 + 4 + 2 + 1 + 4 + 4,
    KEPT_FLAGS = CW_ITEM_WHOLE | CW_ITEM_EXTRA,
    RECORD_VERSION = 1,
    RECORD_FIXED = 1 + 8 + 8 + 2
};

/* ---- requests ---- */

crawl_err cw_joint_request_write(const cw_frontier_item *item, crawl_slice parent, uint16_t retries, crawl_buf *out)
{
    size_t tail = cw_frontier_item_tail_size(item);
    crawl_err err = crawl_buf_reserve(out, REQUEST_FIXED + parent.size + tail);
    if (err)
        return err;
    char *at = out->data + out->size;
    memcpy(at, item->fingerprint.bytes, CRAWL_FINGERPRINT_SIZE);
    at = cw_le_put(at + CRAWL_FINGERPRINT_SIZE, (uint32_t)item->priority, 4);
    at = cw_le_put(at, item->depth, 4);
    at = cw_le_put(at, item->tag, 4);
    at = cw_le_put(at, retries, 2);
    at = cw_le_put(at, item->flags & KEPT_FLAGS, 1);
    at = cw_le_put(at, item->url_size, 4);
    at = cw_le_put(at, parent.size, 4);
    out->size += REQUEST_FIXED;
    /* The room is reserved, so these cannot fail. */
    (void)crawl_buf_append(out, parent.data, parent.size);
    (void)crawl_buf_append(out, item->tail, tail);
    return CRAWL_OK;
}

/* Reads the fixed fields. The rest of *bytes is the parent, of *parent bytes, and the tail. */
static crawl_err bytes_read_fields(crawl_slice *bytes, cw_frontier_item *fields, size_t *parent)
{
    if (bytes->size < REQUEST_FIXED)
        return CRAWL_ECORRUPT;
    const char *at = bytes->data + CRAWL_FINGERPRINT_SIZE;
    memcpy(fields->fingerprint.bytes, bytes->data, CRAWL_FINGERPRINT_SIZE);
    fields->priority = (int32_t)cw_le_get(&at, 4);
    fields->depth = (uint32_t)cw_le_get(&at, 4);
    fields->tag = (uint32_t)cw_le_get(&at, 4);
    fields->retries = (uint16_t)cw_le_get(&at, 2);
    fields->flags = (uint8_t)cw_le_get(&at, 1);
    fields->url_size = (uint32_t)cw_le_get(&at, 4);
    *parent = (size_t)cw_le_get(&at, 4);
    fields->where = CW_FRONTIER_NOWHERE;
    *bytes = cw_drop(*bytes, REQUEST_FIXED);
    return *parent <= bytes->size && !(fields->flags & ~KEPT_FLAGS) ? CRAWL_OK : CRAWL_ECORRUPT;
}

crawl_err cw_joint_request_read(crawl_slice bytes, cw_frontier_item **out)
{
    size_t parent_size = 0;
    cw_frontier_parent *parent = NULL;
    cw_frontier_item fields = {0};
    crawl_err err = bytes_read_fields(&bytes, &fields, &parent_size);
    crawl_slice text = err ? (crawl_slice){0} : cw_take(&bytes, parent_size);
    if (err || !cw_frontier_item_tail_valid(&fields, bytes))
        return CRAWL_ECORRUPT;
    cw_frontier_item *item = cw_frontier_item_restore(&fields, bytes);
    if (item && text.size)
        parent = cw_frontier_parent_create(text);
    if (!item || (text.size && !parent)) {
        free(item);
        return CRAWL_ENOMEM;
    }
    cw_frontier_item_set_parent(item, parent);
    *out = item;
    return CRAWL_OK;
}

/* ---- links ---- */

cw_joint_link *cw_joint_link_make(const crawl_request *request, crawl_slice origin, crawl_slice bytes, uint64_t level)
{
    size_t texts = origin.size + bytes.size;
    cw_joint_link *link = malloc(sizeof *link + texts);
    if (!link)
        return NULL;
    *link = (cw_joint_link){.size = sizeof *link + texts};
    memcpy(link->print, request->fingerprint.bytes, sizeof link->print);
    memcpy(link->texts, origin.data, origin.size);
    memcpy(link->texts + origin.size, bytes.data, bytes.size);
    link->request = (cw_shared_request){.origin = crawl_slice_of(link->texts, origin.size),
                                        .print = link->print,
                                        .level = level,
                                        .is_forced = request->revisit,
                                        .bytes = crawl_slice_of(link->texts + origin.size, bytes.size)};
    return link;
}

cw_joint_link *cw_joint_link_copy(const cw_joint_link *link)
{
    cw_joint_link *copy = malloc(link->size);
    if (!copy)
        return NULL;
    memcpy(copy, link, link->size);
    copy->next = NULL;
    copy->request.origin.data = copy->texts;
    copy->request.print = copy->print;
    copy->request.bytes.data = copy->texts + copy->request.origin.size;
    return copy;
}

void cw_joint_links_free(cw_joint_link *first)
{
    while (first) {
        cw_joint_link *next = first->next;
        free(first);
        first = next;
    }
}

/* ---- hosts ---- */

crawl_err cw_joint_record_write(const cw_joint_record *record, crawl_buf *out)
{
    char fixed[RECORD_FIXED];
    char *at = fixed;
    *at++ = RECORD_VERSION;
    at = cw_le_put(at, (uint64_t)record->block_ms, 8);
    at = cw_le_put(at, (uint64_t)record->pause_ms, 8);
    cw_le_put(at, record->share, 2);
    crawl_err err = crawl_buf_append(out, fixed, sizeof fixed);
    return err ? err : crawl_buf_append(out, record->note.data, record->note.size);
}

bool cw_joint_record_read(crawl_slice bytes, cw_joint_record *out)
{
    const char *at = bytes.data + 1;
    *out = (cw_joint_record){.pause_ms = -1, .share = 1};
    if (!bytes.size)
        return true;
    if (bytes.size < RECORD_FIXED || bytes.data[0] != RECORD_VERSION)
        return false;
    out->block_ms = (int64_t)cw_le_get(&at, 8);
    int64_t pause = (int64_t)cw_le_get(&at, 8);
    uint16_t share = (uint16_t)cw_le_get(&at, 2);
    if (out->block_ms < 0 || out->block_ms > CW_SHARED_MS_MAX || pause > CW_SHARED_MS_MAX)
        return false;
    out->pause_ms = pause < 0 ? -1 : pause;
    out->share = share ? share : 1;
    out->note = cw_drop(bytes, RECORD_FIXED);
    return true;
}
