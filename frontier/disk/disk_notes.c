#include "frontier/disk/disk_notes.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

#define NOTE_PREFIX 'n'

crawl_err cw_disk_note_key(crawl_slice name, crawl_buf *key)
{
    crawl_err err = crawl_buf_append_char(key, NOTE_PREFIX);
    return err ? err : crawl_buf_append(key, name.data, name.size);
}

static int by_name(const void *a, const void *b)
{
    const crawl_note *const *first = a;
    const crawl_note *const *second = b;
    crawl_slice x = (*first)->name;
    crawl_slice y = (*second)->name;
    int order = cw_compare(x, y);
    return order ? order : (*first > *second) - (*first < *second);
}

/* Adds the note to the batch. */
static crawl_err add_note(cw_disk *disk, const crawl_note *note, crawl_buf *key)
{
    crawl_buf_clear(key);
    crawl_err err = cw_disk_note_key(note->name, key);
    if (err)
        return err;
    if (note->note.size)
        cw_disk_put(disk, CW_FAMILY_META, crawl_buf_slice(key), note->note);
    else
        cw_disk_database_delete(&disk->database, disk->batch, CW_FAMILY_META, crawl_buf_slice(key));
    return CRAWL_OK;
}

static crawl_err add_sorted(cw_disk *disk, const crawl_note *notes, size_t count, crawl_buf *key)
{
    crawl_err err = CRAWL_OK;
    const crawl_note **sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &notes[i];
    qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t i = 0; i < count && !err; i++)
        err = add_note(disk, sorted[i], key);
    free(sorted);
    return err;
}

/* Writes in the order of names, which the database takes with less work; of equal names the last counts. */
crawl_err cw_disk_notes_set(crawl_frontier *frontier, const crawl_note *notes, size_t count)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_buf key = {0};
    cw_disk_begin(disk);
    crawl_err err = count == 1 ? add_note(disk, notes, &key) : CRAWL_OK;
    if (count > 1)
        err = add_sorted(disk, notes, count, &key);
    if (!err && count)
        err = cw_disk_commit(disk);
    crawl_buf_free(&key);
    return err;
}

crawl_err cw_disk_notes_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note)
{
    crawl_buf key = {0};
    crawl_error error = {0};
    crawl_err err = cw_disk_note_key(name, &key);
    if (!err)
        err =
            cw_disk_database_get(&cw_disk_of(frontier)->database, CW_FAMILY_META, crawl_buf_slice(&key), note, &error);
    crawl_buf_free(&key);
    return err == CRAWL_EIO || err == CRAWL_ECORRUPT ? cw_disk_fail(cw_disk_of(frontier), &error) : err;
}

crawl_err cw_disk_notes_walk(cw_disk_database *database, crawl_slice prefix, crawl_slice after, cw_each_note *each,
                             void *user, crawl_error *error)
{
    const char end[] = {NOTE_PREFIX + 1};
    crawl_buf first = {0}, from = {0};
    cw_disk_cursor cursor;
    bool goes_on = true;
    crawl_err err = cw_disk_note_key(prefix, &first);
    if (!err)
        err = cw_disk_note_key(after.size ? after : prefix, &from);
    if (!err && after.size)
        err = crawl_buf_append_char(&from, '\0'); /* the first key after that name */
    if (err) {
        crawl_buf_free(&first);
        crawl_buf_free(&from);
        return crawl_error_set(error, err, "no memory for the name of a note");
    }
    cw_disk_cursor_open(&cursor, database, CW_FAMILY_META, crawl_buf_slice(&from), crawl_slice_of(end, 1), true);
    for (; goes_on && cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor)) {
        crawl_slice key = cw_disk_cursor_key(&cursor);
        goes_on = cw_begins(key, crawl_buf_slice(&first)) &&
                  each(crawl_slice_of(key.data + 1, key.size - 1), cw_disk_cursor_value(&cursor), user);
    }
    err = cw_disk_cursor_error(&cursor, error);
    cw_disk_cursor_close(&cursor);
    crawl_buf_free(&first);
    crawl_buf_free(&from);
    return err;
}

crawl_err cw_disk_notes_each(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after, cw_each_note *each,
                             void *user)
{
    crawl_error error = {0};
    crawl_err err = cw_disk_notes_walk(&cw_disk_of(frontier)->database, prefix, after, each, user, &error);
    return err == CRAWL_EIO || err == CRAWL_ECORRUPT ? cw_disk_fail(cw_disk_of(frontier), &error) : err;
}
