#include "tools/serve/urlfrontier/pending.h"

#define BYTES_MAX ((size_t)4 << 20) /* of waiting names and notes */

static uint64_t print_of(const crawl_fingerprint *fingerprint)
{
    uint64_t print;
    memcpy(&print, fingerprint->bytes, sizeof print);
    return print;
}

void cw_service_pending_free(cw_service_pending *pending)
{
    crawl_buf_free(&pending->bytes);
}

static crawl_err pending_append(cw_service_pending *pending, crawl_slice name, const cw_service_record *record)
{
    size_t before = pending->bytes.size;
    crawl_err err = crawl_buf_append(&pending->bytes, name.data, name.size);
    if (!err)
        err = cw_service_record_write(record, &pending->bytes);
    if (err) {
        pending->bytes.size = before;
        return err;
    }
    pending->names[pending->count] = (uint32_t)name.size;
    pending->notes[pending->count] = (uint32_t)(pending->bytes.size - before - name.size);
    return CRAWL_OK;
}

static void pending_write_all(cw_service_pending *pending, crawl_frontier *frontier)
{
    crawl_note notes[CW_SERVICE_PENDING_MAX];
    const char *at = pending->bytes.data;
    for (size_t i = 0; i < pending->count; i++) {
        notes[i].name = crawl_slice_of(at, pending->names[i]);
        at += pending->names[i];
        notes[i].note = crawl_slice_of(at, pending->notes[i]);
        at += pending->notes[i];
    }
    crawl_err err = pending->count ? crawl_frontier_notes_set(frontier, notes, pending->count) : CRAWL_OK;
    pending->failed = pending->failed ? pending->failed : err;
    pending->count = 0;
    crawl_buf_clear(&pending->bytes);
}

crawl_err cw_service_pending_add(cw_service_pending *pending, crawl_frontier *frontier, crawl_slice name,
                                 const crawl_fingerprint *fingerprint, const cw_service_record *record)
{
    bool fits = name.size <= CRAWL_NOTE_MAX && cw_service_record_size(record) <= CRAWL_NOTE_MAX;
    crawl_err err = fits ? pending_append(pending, name, record) : CRAWL_EINVAL;
    if (err)
        return err;
    pending->prints[pending->count++] = print_of(fingerprint);
    if (pending->count == CW_SERVICE_PENDING_MAX || pending->bytes.size > BYTES_MAX)
        pending_write_all(pending, frontier);
    return pending->failed;
}

bool cw_service_pending_has(const cw_service_pending *pending, const crawl_fingerprint *fingerprint)
{
    uint64_t print = print_of(fingerprint);
    bool found = false;
    for (size_t i = 0; i < pending->count; i++) /* no early exit, so that the loop can be vectorised */
        found |= pending->prints[i] == print;
    return found;
}

crawl_err cw_service_pending_flush(cw_service_pending *pending, crawl_frontier *frontier)
{
    pending_write_all(pending, frontier);
    return pending->failed;
}

crawl_err cw_service_pending_end(cw_service_pending *pending, crawl_frontier *frontier)
{
    crawl_err err = cw_service_pending_flush(pending, frontier);
    pending->failed = CRAWL_OK;
    return err;
}
