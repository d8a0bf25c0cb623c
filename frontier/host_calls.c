/* What is said of a host: its block, its pause, and the caller's note. */
#include "frontier/persist.h"

/* "http://" or "https://", then no more than a host and a port. */
static bool is_origin(crawl_slice origin)
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

/* The host of a call, made known, and where it is durable with room for its record. */
static crawl_err find_host(crawl_frontier *frontier, crawl_slice origin, cw_host **out)
{
    crawl_err err = cw_frontier_failed(frontier);
    if (err)
        return err;
    *out = cw_hosts_get(&frontier->hosts, origin);
    if (!*out)
        return CRAWL_ENOMEM;
    return frontier->store ? cw_store_reserve(frontier->store, cw_host_room(*out)) : CRAWL_OK;
}

/* After the host was changed. */
static crawl_err keep_host(crawl_frontier *frontier, cw_host *host, int64_t now)
{
    cw_frontier_settle(frontier, host, now);
    return frontier->store ? cw_persist_host(frontier, host) : CRAWL_OK;
}

crawl_err crawl_frontier_block(crawl_frontier *frontier, crawl_slice origin, int64_t until_ms, int64_t now_ms)
{
    if (!is_origin(origin))
        return CRAWL_EINVAL;
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_host *host = NULL;
    crawl_err err = find_host(frontier, origin, &host);
    if (!err)
        err = cw_hosts_block(&frontier->hosts, host, until_ms == 0 || until_ms <= now ? CW_NEVER : until_ms);
    if (!err)
        err = keep_host(frontier, host, now);
    return cw_frontier_leave_written(frontier, err);
}

crawl_err crawl_frontier_set_pause(crawl_frontier *frontier, crawl_slice origin, int64_t pause_ms, int64_t now_ms)
{
    if (!is_origin(origin))
        return CRAWL_EINVAL;
    int64_t now = cw_frontier_enter(frontier, now_ms);
    cw_host *host = NULL;
    crawl_err err = find_host(frontier, origin, &host);
    if (!err) {
        host->pause = pause_ms < 0 ? -1 : pause_ms;
        err = keep_host(frontier, host, now);
    }
    return cw_frontier_leave_written(frontier, err);
}

/* A note in memory, found by the origin at its end. */
typedef struct note {
    size_t size;
    char text[]; /* the note, then the origin */
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

static bool names_note(crawl_slice origin)
{
    return !origin.size || (origin.size <= CRAWL_NOTE_MAX && is_origin(origin));
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
