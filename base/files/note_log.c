#include "base/files/note_log.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SIZE_BYTES = 4, DIGITS = 20 };

void cw_note_log_init(cw_note_log *log, const char *prefix, size_t note_max)
{
    *log = (cw_note_log){.prefix = prefix, .note_max = note_max};
    pthread_mutex_init(&log->lock, NULL);
}

void cw_note_log_free(cw_note_log *log)
{
    pthread_mutex_destroy(&log->lock);
    crawl_buf_free(&log->pending);
}

/* Removes the first entry from *rest; false: no complete entry is left. */
static bool note_log_take_entry(crawl_slice *rest, crawl_slice *entry)
{
    const char *at = rest->data;
    if (rest->size < SIZE_BYTES)
        return false;
    size_t size = (size_t)cw_le_get(&at, SIZE_BYTES);
    if (size > rest->size - SIZE_BYTES)
        return false;
    *entry = crawl_slice_of(at, size);
    *rest = crawl_slice_of(at + size, rest->size - SIZE_BYTES - size);
    return true;
}

crawl_err cw_note_log_read(cw_note_log *log, crawl_slice name, crawl_slice note,
                           bool (*each)(crawl_slice entry, void *user), void *user)
{
    char digits[DIGITS + 1] = "";
    crawl_slice entry;
    size_t prefix = strlen(log->prefix);
    if (name.size != prefix + DIGITS)
        return CRAWL_ECORRUPT;
    memcpy(digits, name.data + prefix, DIGITS);
    uint64_t number = strtoull(digits, NULL, 10);
    if (number >= log->next)
        log->next = number + 1;
    while (note.size) {
        if (!note_log_take_entry(&note, &entry))
            return CRAWL_ECORRUPT;
        if (!each(entry, user))
            return CRAWL_OK;
    }
    return CRAWL_OK;
}

void cw_note_log_keep(cw_note_log *log, crawl_err (*set)(void *user, crawl_slice name, crawl_slice note), void *user)
{
    log->set = set;
    log->user = user;
}

static crawl_err note_log_append(crawl_buf *out, crawl_slice head, crawl_slice tail)
{
    size_t size = head.size + tail.size;
    char bytes[SIZE_BYTES];
    cw_le_put(bytes, size, SIZE_BYTES);
    crawl_err err = crawl_buf_reserve(out, SIZE_BYTES + size); /* all of the entry or nothing */
    if (!err)
        err = crawl_buf_append(out, bytes, SIZE_BYTES);
    if (!err)
        err = crawl_buf_append(out, head.data, head.size);
    return err ? err : crawl_buf_append(out, tail.data, tail.size);
}

crawl_err cw_note_log_add(cw_note_log *log, crawl_slice head, crawl_slice tail)
{
    if (!log->set || head.size + tail.size > CW_NOTE_ENTRY_MAX)
        return CRAWL_OK;
    pthread_mutex_lock(&log->lock);
    crawl_err err = note_log_append(&log->pending, head, tail);
    pthread_mutex_unlock(&log->lock);
    return err;
}

/* Returns the bytes of the whole entries that fit into one note. */
static size_t fitting(const cw_note_log *log, crawl_slice entries)
{
    crawl_slice rest = entries;
    crawl_slice entry;
    size_t size = 0;
    while (note_log_take_entry(&rest, &entry) && size + SIZE_BYTES + entry.size <= log->note_max - CW_NOTE_ENTRY_MAX)
        size += SIZE_BYTES + entry.size;
    return size;
}

static crawl_err note_log_write_note(const cw_note_log *log, uint64_t number, crawl_slice entries)
{
    crawl_buf name = {0};
    crawl_err err = crawl_buf_printf(&name, "%s%020" PRIu64, log->prefix, number);
    if (!err)
        err = log->set(log->user, crawl_buf_slice(&name), entries);
    crawl_buf_free(&name);
    return err;
}

/* Writes the notes without the lock: no foreign function is called while it is held. */
crawl_err cw_note_log_flush(cw_note_log *log)
{
    crawl_err err = CRAWL_OK;
    pthread_mutex_lock(&log->lock);
    crawl_buf taken = log->pending;
    log->pending = (crawl_buf){0};
    pthread_mutex_unlock(&log->lock);
    for (crawl_slice rest = crawl_buf_slice(&taken); rest.size && !err;) {
        size_t size = fitting(log, rest);
        pthread_mutex_lock(&log->lock);
        uint64_t number = log->next++;
        pthread_mutex_unlock(&log->lock);
        err = note_log_write_note(log, number, crawl_slice_of(rest.data, size));
        rest = crawl_slice_of(rest.data + size, rest.size - size);
    }
    crawl_buf_free(&taken);
    return err;
}
