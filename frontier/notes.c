/* Notes: bytes of the caller's own under an origin, the empty one, or a name of the caller's. They are the store's to
 * keep. */
#include "frontier/state.h"

static bool names_note(crawl_slice name)
{
    return !name.size || (name.size <= CRAWL_NOTE_MAX && (name.data[0] == '#' || cw_frontier_is_origin(name)));
}

crawl_err crawl_frontier_notes_set(crawl_frontier *frontier, const crawl_note *notes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!names_note(notes[i].name) || notes[i].note.size > CRAWL_NOTE_MAX)
            return CRAWL_EINVAL;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = frontier->store.set_notes(frontier, notes, count);
    pthread_mutex_unlock(&frontier->lock);
    return frontier->store.wait && !err ? frontier->store.wait(frontier) : err;
}

crawl_err crawl_frontier_note_set(crawl_frontier *frontier, crawl_slice name, crawl_slice note)
{
    return crawl_frontier_notes_set(frontier, &(crawl_note){name, note}, 1);
}

crawl_err crawl_frontier_note_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note)
{
    if (!names_note(name))
        return CRAWL_EINVAL;
    pthread_mutex_lock(&frontier->lock);
    crawl_err err = cw_frontier_failed(frontier);
    if (!err)
        err = frontier->store.get_note(frontier, name, note);
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

crawl_err crawl_frontier_notes_after(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after,
                                     bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user)
{
    crawl_err err = cw_frontier_failed(frontier);
    return err ? err : frontier->store.notes(frontier, prefix, after, each, user);
}

crawl_err crawl_frontier_notes(crawl_frontier *frontier, crawl_slice prefix,
                               bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user)
{
    return crawl_frontier_notes_after(frontier, prefix, (crawl_slice){0}, each, user);
}
