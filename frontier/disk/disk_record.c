#include "frontier/disk/disk_record.h"

#define HOST_PREFIX 'h'
#define FORGET_PREFIX 'f'

static void disk_record_put_big(char *to, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (char)(number >> 8 * (size - 1 - i));
}

static uint64_t get_big(const char *from, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | (uint8_t)from[i];
    return number;
}

cw_disk_queue_key cw_disk_queue_key_make(uint32_t host, unsigned range, cw_heap_key key)
{
    cw_disk_queue_key made;
    disk_record_put_big(made.bytes, host, 4);
    made.bytes[4] = (char)range;
    disk_record_put_big(made.bytes + 5, key.high, 8);
    disk_record_put_big(made.bytes + 13, key.low, 8);
    return made;
}

cw_disk_queue_key cw_disk_queue_key_end(uint32_t host, unsigned range)
{
    return cw_disk_queue_key_make(host, range + 1, (cw_heap_key){0});
}

bool cw_disk_queue_key_read(crawl_slice bytes, uint32_t *host, unsigned *range, cw_heap_key *key)
{
    if (bytes.size != CW_DISK_QUEUE_KEY_SIZE || (uint8_t)bytes.data[4] >= CW_RANGES)
        return false;
    *host = (uint32_t)get_big(bytes.data, 4);
    *range = (uint8_t)bytes.data[4];
    *key = (cw_heap_key){.high = get_big(bytes.data + 5, 8), .low = get_big(bytes.data + 13, 8)};
    return true;
}

cw_disk_seen_key cw_disk_seen_key_make(uint64_t number)
{
    cw_disk_seen_key made;
    disk_record_put_big(made.bytes, number, sizeof made.bytes);
    return made;
}

bool cw_disk_seen_key_read(crawl_slice bytes, uint64_t *number)
{
    if (bytes.size != CW_DISK_SEEN_KEY_SIZE)
        return false;
    *number = get_big(bytes.data, bytes.size);
    return true;
}

cw_disk_host_key cw_disk_host_key_make(uint32_t host)
{
    cw_disk_host_key made;
    made.bytes[0] = HOST_PREFIX;
    disk_record_put_big(made.bytes + 1, host, 4);
    return made;
}

bool cw_disk_host_key_read(crawl_slice bytes, uint32_t *host)
{
    if (bytes.size != CW_DISK_HOST_KEY_SIZE)
        return false;
    *host = (uint32_t)get_big(bytes.data + 1, 4);
    return true;
}

cw_disk_forget_key cw_disk_forget_key_make(cw_heap_key key)
{
    cw_disk_forget_key made;
    made.bytes[0] = FORGET_PREFIX;
    disk_record_put_big(made.bytes + 1, key.high, 8);
    disk_record_put_big(made.bytes + 9, key.low, 8);
    return made;
}

char *cw_disk_put_number(char *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (char)(number | 0x80);
    *to++ = (char)number;
    return to;
}

static char *disk_record_put_signed(char *to, int64_t number)
{
    return cw_disk_put_number(to, (uint64_t)number << 1 ^ (uint64_t)(number >> 63));
}

bool cw_disk_get_number(crawl_slice *at, uint64_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at->size; shift += 7) {
        uint8_t byte = (uint8_t)*at->data++;
        at->size--;
        if (shift == 63 && byte > 1)
            return false;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *number = value;
            return true;
        }
    }
    return false;
}

static bool disk_record_get_signed(crawl_slice *at, int64_t *number)
{
    uint64_t value;
    if (!cw_disk_get_number(at, &value))
        return false;
    *number = (int64_t)(value >> 1 ^ -(value & 1));
    return true;
}

static bool disk_record_get_u32(crawl_slice *at, uint32_t *number)
{
    uint64_t value;
    if (!cw_disk_get_number(at, &value) || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static char *put_bytes(char *to, const void *from, size_t size)
{
    if (size)
        memcpy(to, from, size);
    return to + size;
}

bool cw_disk_get_bytes(crawl_slice *at, size_t size, crawl_slice *out)
{
    if (size > at->size)
        return false;
    *out = crawl_slice_of(at->data, size);
    *at = crawl_slice_of(at->data + size, at->size - size);
    return true;
}

char *cw_disk_forget_write(char *to, const cw_frontier_forget *entry)
{
    return put_bytes(cw_disk_put_number(to, entry->where), entry->fingerprint.bytes, CRAWL_FINGERPRINT_SIZE);
}

bool cw_disk_forget_get(crawl_slice *at, cw_frontier_forget *entry)
{
    crawl_slice bytes;
    if (!disk_record_get_u32(at, &entry->where) || !cw_disk_get_bytes(at, CRAWL_FINGERPRINT_SIZE, &bytes))
        return false;
    memcpy(entry->fingerprint.bytes, bytes.data, CRAWL_FINGERPRINT_SIZE);
    return true;
}

bool cw_disk_forget_read(crawl_slice key, crawl_slice record, cw_frontier_forget *out)
{
    if (key.size != CW_DISK_FORGET_KEY_SIZE || !cw_disk_forget_get(&record, out))
        return false;
    out->at = cw_heap_time_of_key(get_big(key.data + 1, 8));
    out->sequence = get_big(key.data + 9, 8);
    return record.size == 0;
}

size_t cw_disk_request_room(const cw_frontier_item *item, size_t parent_size)
{
    return 1 + CRAWL_FINGERPRINT_SIZE + 7 * CW_DISK_NUMBER_MAX + cw_frontier_item_tail_size(item) + parent_size;
}

/* The parent comes last and needs no size. */
size_t cw_disk_request_write(char *to, const cw_frontier_item *item, const cw_frontier_parent *parent)
{
    size_t tail = cw_frontier_item_tail_size(item);
    char *at = to;
    *at++ = (char)(item->flags & ~CW_ITEM_STAGED);
    at = put_bytes(at, item->fingerprint.bytes, CRAWL_FINGERPRINT_SIZE);
    at = cw_disk_put_number(at, item->where);
    at = cw_disk_put_number(at, item->retries);
    at = disk_record_put_signed(at, item->priority);
    at = cw_disk_put_number(at, item->depth);
    at = cw_disk_put_number(at, item->tag);
    at = cw_disk_put_number(at, item->url_size);
    at = cw_disk_put_number(at, tail);
    at = put_bytes(at, item->tail, tail);
    if (parent)
        at = put_bytes(at, parent->text, parent->size);
    return (size_t)(at - to);
}

/* Reads all but the parent into fixed fields; tail becomes the future contents of item->tail. */
static bool disk_record_read_fields(crawl_slice *at, cw_frontier_item *fields, crawl_slice *tail)
{
    crawl_slice flags, fingerprint;
    uint32_t retries;
    uint32_t tail_size;
    int64_t priority;
    if (!cw_disk_get_bytes(at, 1, &flags) || !cw_disk_get_bytes(at, CRAWL_FINGERPRINT_SIZE, &fingerprint) ||
        !disk_record_get_u32(at, &fields->where) || !disk_record_get_u32(at, &retries) ||
        !disk_record_get_signed(at, &priority) || !disk_record_get_u32(at, &fields->depth) ||
        !disk_record_get_u32(at, &fields->tag) || !disk_record_get_u32(at, &fields->url_size) ||
        !disk_record_get_u32(at, &tail_size) || !cw_disk_get_bytes(at, tail_size, tail))
        return false;
    if (retries > CW_FRONTIER_RETRIES_MAX || priority < INT32_MIN || priority > INT32_MAX)
        return false;
    memcpy(fields->fingerprint.bytes, fingerprint.data, CRAWL_FINGERPRINT_SIZE);
    fields->flags = (uint8_t)(*flags.data & ~CW_ITEM_STAGED);
    fields->retries = (uint16_t)retries;
    fields->priority = (int32_t)priority;
    return cw_frontier_item_tail_valid(fields, *tail);
}

/* Leaves *parent if the text is the same, or replaces it. */
static crawl_err read_parent(crawl_slice text, cw_frontier_parent **parent)
{
    if (*parent && crawl_slice_equal(text, crawl_slice_of((*parent)->text, (*parent)->size)))
        return CRAWL_OK;
    cw_frontier_parent *made = text.size ? cw_frontier_parent_create(text) : NULL;
    if (text.size && !made)
        return CRAWL_ENOMEM;
    *parent = made;
    return CRAWL_OK;
}

crawl_err cw_disk_request_read(crawl_slice record, cw_frontier_item **out, cw_frontier_parent **parent)
{
    cw_frontier_item fields = {0};
    crawl_slice tail;
    if (!disk_record_read_fields(&record, &fields, &tail))
        return CRAWL_ECORRUPT;
    cw_frontier_item *item = cw_frontier_item_restore(&fields, tail);
    if (!item)
        return CRAWL_ENOMEM;
    crawl_err err = read_parent(record, parent);
    if (err) {
        free(item);
        return err;
    }
    cw_frontier_item_set_parent(item, *parent);
    *out = item;
    return CRAWL_OK;
}

static char *write_lane(char *to, cw_frontier_lane lane)
{
    to = cw_disk_put_number(to, lane.count);
    if (!lane.count)
        return to;
    disk_record_put_big(to, lane.edge.high, 8);
    disk_record_put_big(to + 8, lane.edge.low, 8);
    return to + 16;
}

static bool read_lane(crawl_slice *at, cw_frontier_lane *lane)
{
    crawl_slice edge;
    *lane = (cw_frontier_lane){0};
    if (!cw_disk_get_number(at, &lane->count))
        return false;
    if (!lane->count)
        return true;
    if (!cw_disk_get_bytes(at, 16, &edge))
        return false;
    lane->edge = (cw_heap_key){.high = get_big(edge.data, 8), .low = get_big(edge.data + 8, 8)};
    return true;
}

size_t cw_disk_host_write(char *to, const cw_disk_host_record *record)
{
    char *at = disk_record_put_signed(to, record->last_start);
    at = disk_record_put_signed(at, record->pause);
    at = disk_record_put_signed(at, record->blocked);
    at = cw_disk_put_number(at, record->turn);
    at = cw_disk_put_number(at, record->share);
    at = cw_disk_put_number(at, record->taken);
    for (unsigned range = 0; range < CW_RANGES; range++)
        at = write_lane(at, record->lanes[range]);
    at = put_bytes(at, record->origin.data, record->origin.size);
    return (size_t)(at - to);
}

cw_disk_host_record cw_disk_host_describe(const cw_frontier_host *host)
{
    cw_disk_host_record record = {.origin = cw_frontier_host_origin(host),
                                  .last_start = host->last_start,
                                  .pause = host->pause,
                                  .blocked = host->blocked,
                                  .turn = host->turn,
                                  .share = host->share,
                                  .taken = host->taken};
    for (unsigned range = 0; range < CW_RANGES; range++)
        record.lanes[range] =
            cw_frontier_queue_whole(&host->queues[cw_frontier_range_queue(range)], cw_frontier_range_lane(range));
    return record;
}

bool cw_disk_host_read(crawl_slice record, cw_disk_host_record *out)
{
    if (!disk_record_get_signed(&record, &out->last_start) || !disk_record_get_signed(&record, &out->pause) ||
        !disk_record_get_signed(&record, &out->blocked) || !cw_disk_get_number(&record, &out->turn) ||
        !disk_record_get_u32(&record, &out->share) || !disk_record_get_u32(&record, &out->taken))
        return false;
    if (out->share < 1 || out->share > CRAWL_SHARE_MAX || out->taken >= out->share)
        return false;
    for (unsigned range = 0; range < CW_RANGES; range++)
        if (!read_lane(&record, &out->lanes[range]))
            return false;
    out->origin = record;
    return record.size > 0;
}

void cw_disk_host_restore(cw_frontier_host *host, const cw_disk_host_record *record, int64_t now)
{
    host->pause = record->pause;
    host->last_start = record->last_start < now ? record->last_start : now;
    host->turn = record->turn;
    host->share = (uint16_t)record->share;
    host->taken = (uint16_t)record->taken;
    host->stored = true;
}

void cw_disk_host_begin_turns(cw_disk_host_record *record, uint32_t number, const cw_disk_kill *kill)
{
    if (number >= kill->hosts || record->last_start >= kill->at)
        return;
    record->last_start = kill->at;
    record->turn = number;
    record->taken = 0;
}
