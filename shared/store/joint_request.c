/* See joint_request.h. Numbers have their lowest byte first:
 *
 *   fingerprint 20, priority 4, depth 4, tag 4, retries 2, flags 1, size of the URL 4, size of the parent 4, then the
 *   parent and the tail
 */
#include "shared/store/joint_request.h"

#include "base/bytes.h"

#include <stdlib.h>

enum { FIXED = CRAWL_FINGERPRINT_SIZE + 4 + 4 + 4 + 2 + 1 + 4 + 4, KEPT_FLAGS = CW_ITEM_WHOLE | CW_ITEM_EXTRA };

crawl_err cw_joint_request_write(const cw_frontier_item *item, crawl_slice parent, uint16_t retries, crawl_buf *out)
{
    size_t tail = cw_frontier_item_tail_size(item);
    crawl_err err = crawl_buf_reserve(out, FIXED + parent.size + tail);
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
    out->size += FIXED;
    /* There is room for both: these cannot fail. */
    (void)crawl_buf_append(out, parent.data, parent.size);
    (void)crawl_buf_append(out, item->tail, tail);
    return CRAWL_OK;
}

/* The fixed fields. What is left of *bytes is the parent, of so many bytes, and the tail. */
static crawl_err joint_request_read_fields(crawl_slice *bytes, cw_frontier_item *fields, size_t *parent)
{
    if (bytes->size < FIXED)
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
    *bytes = cw_drop(*bytes, FIXED);
    return *parent <= bytes->size && !(fields->flags & ~KEPT_FLAGS) ? CRAWL_OK : CRAWL_ECORRUPT;
}

crawl_err cw_joint_request_read(crawl_slice bytes, cw_frontier_item **out)
{
    size_t parent_size = 0;
    cw_frontier_parent *parent = NULL;
    cw_frontier_item fields = {0};
    crawl_err err = joint_request_read_fields(&bytes, &fields, &parent_size);
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
