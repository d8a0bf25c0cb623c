#include "frontier/memory/memory_notes.h"

#include "base/bytes.h"

/* A note, found by the name at its end. */
typedef struct note {
    size_t size;
    size_t name_size;
    char text[]; /* the note, then its name */
} note;

static crawl_slice memory_notes_name_of(const note *one)
{
    return crawl_slice_of(one->text + one->size, one->name_size);
}

static note *memory_make_note(crawl_slice name, crawl_slice text)
{
    note *made = malloc(sizeof *made + text.size + name.size);
    if (!made)
        return NULL;
    made->size = text.size;
    made->name_size = name.size;
    memcpy(made->text, text.data, text.size);
    if (name.size)
        memcpy(made->text + text.size, name.data, name.size);
    return made;
}

crawl_err cw_frontier_notes_set(cw_map **notes, cw_frontier_memory *memory, crawl_slice name, crawl_slice text)
{
    if (!text.size) {
        if (*notes)
            cw_frontier_memory_free(memory, cw_map_remove(*notes, name));
        return CRAWL_OK;
    }
    if (!*notes)
        *notes = cw_map_create((uint64_t)(uintptr_t)memory);
    note *made = *notes ? memory_make_note(name, text) : NULL;
    if (!made)
        return CRAWL_ENOMEM;
    /* An existing note's place in the table is reused for this one: only a first note can run out of memory. */
    cw_frontier_memory_free(memory, cw_map_remove(*notes, name));
    if (cw_map_put(*notes, memory_notes_name_of(made), made)) {
        free(made);
        return CRAWL_ENOMEM;
    }
    cw_frontier_memory_adopt(memory, made);
    return CRAWL_OK;
}

crawl_err cw_frontier_notes_get(const cw_map *notes, crawl_slice name, crawl_buf *out)
{
    const note *found = notes ? cw_map_get(notes, name) : NULL;
    return found ? crawl_buf_append(out, found->text, found->size) : CRAWL_ABSENT;
}

void cw_frontier_notes_walk(const cw_map *notes, crawl_slice prefix,
                            bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user)
{
    size_t cursor = 0;
    bool goes_on = true;
    while (goes_on && notes) {
        const note *one = cw_map_next(notes, &cursor);
        if (!one)
            break;
        if (cw_begins(memory_notes_name_of(one), prefix))
            goes_on = each(memory_notes_name_of(one), crawl_slice_of(one->text, one->size), user);
    }
}

void cw_frontier_notes_clear(cw_map *notes, cw_frontier_memory *memory)
{
    size_t cursor = 0;
    if (!notes)
        return;
    for (void *one = cw_map_next(notes, &cursor); one; one = cw_map_next(notes, &cursor))
        cw_frontier_memory_free(memory, one);
    cw_map_clear(notes);
}

void cw_frontier_notes_free(cw_map *notes)
{
    size_t cursor = 0;
    if (!notes)
        return;
    for (void *one = cw_map_next(notes, &cursor); one; one = cw_map_next(notes, &cursor))
        free(one);
    cw_map_free(notes);
}
