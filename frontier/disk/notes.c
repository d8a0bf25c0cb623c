/* See notes.h. */
#include "frontier/disk/notes.h"

#define NOTE_PREFIX 'n'

crawl_err cw_disk_note_key(crawl_slice name, crawl_buf *key)
{
    crawl_err err = crawl_buf_append_char(key, NOTE_PREFIX);
    return err ? err : crawl_buf_append(key, name.data, name.size);
}

crawl_err cw_disk_notes_set(crawl_frontier *frontier, crawl_slice name, crawl_slice note)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_buf key = {0};
    crawl_err err = cw_disk_note_key(name, &key);
    if (!err) {
        cw_disk_begin(disk);
        if (note.size)
            cw_disk_put(disk, CW_FAMILY_META, crawl_buf_slice(&key), note);
        else
            cw_disk_database_delete(&disk->database, disk->batch, CW_FAMILY_META, crawl_buf_slice(&key));
        err = cw_disk_commit(disk);
    }
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

static bool begins_with(crawl_slice text, crawl_slice prefix)
{
    return text.size >= prefix.size && (!prefix.size || memcmp(text.data, prefix.data, prefix.size) == 0);
}

crawl_err cw_disk_notes_walk(cw_disk_database *database, crawl_slice prefix, cw_each_note *each, void *user,
                             crawl_error *error)
{
    const char end[] = {NOTE_PREFIX + 1};
    crawl_buf first = {0};
    cw_disk_cursor cursor;
    bool goes_on = true;
    crawl_err err = cw_disk_note_key(prefix, &first);
    if (err)
        return crawl_error_set(error, err, "no memory for the name of a note");
    cw_disk_cursor_open(&cursor, database, CW_FAMILY_META, crawl_buf_slice(&first), crawl_slice_of(end, 1), true);
    for (; goes_on && cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor)) {
        crawl_slice key = cw_disk_cursor_key(&cursor);
        goes_on = begins_with(key, crawl_buf_slice(&first)) &&
                  each(crawl_slice_of(key.data + 1, key.size - 1), cw_disk_cursor_value(&cursor), user);
    }
    err = cw_disk_cursor_error(&cursor, error);
    cw_disk_cursor_close(&cursor);
    crawl_buf_free(&first);
    return err;
}

crawl_err cw_disk_notes_each(crawl_frontier *frontier, crawl_slice prefix, cw_each_note *each, void *user)
{
    crawl_error error = {0};
    crawl_err err = cw_disk_notes_walk(&cw_disk_of(frontier)->database, prefix, each, user, &error);
    return err == CRAWL_EIO || err == CRAWL_ECORRUPT ? cw_disk_fail(cw_disk_of(frontier), &error) : err;
}
