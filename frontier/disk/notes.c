/* Notes: bytes of the caller's own under an origin, the empty one, or a name of the caller's. In memory a table;
 * durable, records of the database that are kept nowhere else. */
#include "frontier/disk/persist.h"

bool cw_is_origin(crawl_slice origin)
{
    const crawl_slice schemes[] = {crawl_slice_from("http://"), crawl_slice_from("https://")};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t size = schemes[i].size;
        if (origin.size <= size || memcmp(origin.data, schemes[i].data, size) != 0)
            continue;
        for (size_t at = size; at < origin.size; at++)
            if (strchr("/?#@\\", origin.data[at])) /* a NUL is found as well */
                return false;
        return true;
    }
    return false;
}

/* A note in memory, found by the name at its end. */
typedef struct note {
    size_t size;
    size_t name_size;
    char text[]; /* the note, then its name */
} note;

static void drop_note(crawl_frontier *frontier, crawl_slice origin)
{
    if (frontier->notes)
        cw_memory_free(&frontier->memory, cw_map_remove(frontier->notes, origin));
}

static crawl_err set_in_memory(crawl_frontier *frontier, crawl_slice origin, crawl_slice text)
{
    if (!text.size) {
        drop_note(frontier, origin);
        return CRAWL_OK;
    }
    if (!frontier->notes && !(frontier->notes = cw_map_create((uint64_t)(uintptr_t)frontier)))
        return CRAWL_ENOMEM;
    note *made = malloc(sizeof *made + text.size + origin.size);
    if (!made)
        return CRAWL_ENOMEM;
    made->size = text.size;
    made->name_size = origin.size;
    memcpy(made->text, text.data, text.size);
    if (origin.size)
        memcpy(made->text + text.size, origin.data, origin.size);
    /* Where there was one, its place in the table is free for this one: only a first note can find no memory. */
    drop_note(frontier, origin);
    if (cw_map_put(frontier->notes, crawl_slice_of(made->text + text.size, origin.size), made)) {
        free(made);
        return CRAWL_ENOMEM;
    }
    cw_memory_adopt(&frontier->memory, made);
    return CRAWL_OK;
}

static crawl_err get_in_memory(const crawl_frontier *frontier, crawl_slice origin, crawl_buf *out)
{
    const note *found = frontier->notes ? cw_map_get(frontier->notes, origin) : NULL;
    return found ? crawl_buf_append(out, found->text, found->size) : CRAWL_ABSENT;
}

#define NOTE_PREFIX 'n'

crawl_err cw_note_key(crawl_slice origin, crawl_buf *key)
{
    crawl_err err = crawl_buf_append_char(key, NOTE_PREFIX);
    return err ? err : crawl_buf_append(key, origin.data, origin.size);
}

static crawl_err set_on_disk(crawl_frontier *frontier, crawl_slice origin, crawl_slice text)
{
    cw_store *store = frontier->store;
    crawl_buf key = {0};
    crawl_err err = cw_note_key(origin, &key);
    if (!err) {
        cw_store_begin(store);
        if (text.size)
            cw_store_put(store, CW_FAMILY_META, crawl_buf_slice(&key), text);
        else
            cw_database_delete(&store->database, store->batch, CW_FAMILY_META, crawl_buf_slice(&key));
        err = cw_store_commit(store);
    }
    crawl_buf_free(&key);
    return err;
}

static crawl_err get_on_disk(crawl_frontier *frontier, crawl_slice origin, crawl_buf *out)
{
    crawl_buf key = {0};
    crawl_error error = {0};
    crawl_err err = cw_note_key(origin, &key);
    if (!err)
        err = cw_database_get(&frontier->store->database, CW_FAMILY_META, crawl_buf_slice(&key), out, &error);
    crawl_buf_free(&key);
    return err == CRAWL_EIO || err == CRAWL_ECORRUPT ? cw_store_fail(frontier->store, &error) : err;
}

static bool names_note(crawl_slice name)
{
    return !name.size || (name.size <= CRAWL_NOTE_MAX && (name.data[0] == '#' || cw_is_origin(name)));
}

crawl_err crawl_frontier_note_set(crawl_frontier *frontier, crawl_slice origin, crawl_slice note_text)
{
    if (!names_note(origin) || note_text.size > CRAWL_NOTE_MAX)
        return CRAWL_EINVAL;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = frontier->store ? set_on_disk(frontier, origin, note_text) : set_in_memory(frontier, origin, note_text);
    pthread_mutex_unlock(&frontier->lock);
    return frontier->store && !err ? cw_sync_wait(&frontier->store->sync) : err;
}

crawl_err crawl_frontier_note_get(crawl_frontier *frontier, crawl_slice origin, crawl_buf *text)
{
    if (!names_note(origin))
        return CRAWL_EINVAL;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = frontier->store ? get_on_disk(frontier, origin, text) : get_in_memory(frontier, origin, text);
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

static bool begins_with(crawl_slice text, crawl_slice prefix)
{
    return text.size >= prefix.size && (!prefix.size || memcmp(text.data, prefix.data, prefix.size) == 0);
}

static void each_in_memory(const crawl_frontier *frontier, crawl_slice prefix, cw_each_note *each, void *user)
{
    size_t cursor = 0;
    bool goes_on = true;
    for (note *one; goes_on && frontier->notes && (one = cw_map_next(frontier->notes, &cursor));) {
        crawl_slice name = crawl_slice_of(one->text + one->size, one->name_size);
        if (begins_with(name, prefix))
            goes_on = each(name, crawl_slice_of(one->text, one->size), user);
    }
}

crawl_err cw_notes_walk(cw_database *database, crawl_slice prefix, cw_each_note *each, void *user, crawl_error *error)
{
    const char end[] = {NOTE_PREFIX + 1};
    crawl_buf first = {0};
    cw_cursor cursor;
    bool goes_on = true;
    crawl_err err = cw_note_key(prefix, &first);
    if (err)
        return crawl_error_set(error, err, "no memory for the name of a note");
    cw_cursor_open(&cursor, database, CW_FAMILY_META, crawl_buf_slice(&first), crawl_slice_of(end, 1), true);
    for (; goes_on && cw_cursor_valid(&cursor); cw_cursor_next(&cursor)) {
        crawl_slice key = cw_cursor_key(&cursor);
        goes_on = begins_with(key, crawl_buf_slice(&first)) &&
                  each(crawl_slice_of(key.data + 1, key.size - 1), cw_cursor_value(&cursor), user);
    }
    err = cw_cursor_error(&cursor, error);
    cw_cursor_close(&cursor);
    crawl_buf_free(&first);
    return err;
}

crawl_err crawl_frontier_notes(crawl_frontier *frontier, crawl_slice prefix,
                               bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user)
{
    crawl_error error = {0};
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_frontier_failed(frontier);
    if (!err && !frontier->store)
        each_in_memory(frontier, prefix, each, user);
    pthread_mutex_unlock(&frontier->lock);
    if (err || !frontier->store)
        return err;
    err = cw_notes_walk(&frontier->store->database, prefix, each, user, &error);
    return err == CRAWL_EIO || err == CRAWL_ECORRUPT ? cw_store_fail(frontier->store, &error) : err;
}
