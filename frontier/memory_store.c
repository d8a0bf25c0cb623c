/* The store of a frontier in memory: requests, hosts and dates are where the scheduler has them anyway, so what is left
 * to it is the notes, a table by name, and the room for dates to forget at. */
#include "frontier/state.h"

/* A note, found by the name at its end. */
typedef struct note {
    size_t size;
    size_t name_size;
    char text[]; /* the note, then its name */
} note;

static crawl_slice name_of(const note *one)
{
    return crawl_slice_of(one->text + one->size, one->name_size);
}

static void drop_note(crawl_frontier *frontier, crawl_slice name)
{
    cw_map *notes = frontier->store.self;
    if (notes)
        cw_frontier_memory_free(&frontier->memory, cw_map_remove(notes, name));
}

static note *make_note(crawl_slice name, crawl_slice text)
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

static crawl_err set_note(crawl_frontier *frontier, crawl_slice name, crawl_slice text)
{
    if (!text.size) {
        drop_note(frontier, name);
        return CRAWL_OK;
    }
    if (!frontier->store.self)
        frontier->store.self = cw_map_create((uint64_t)(uintptr_t)frontier);
    note *made = frontier->store.self ? make_note(name, text) : NULL;
    if (!made)
        return CRAWL_ENOMEM;
    /* Where there was one, its place in the table is free for this one: only a first note can find no memory. */
    drop_note(frontier, name);
    if (cw_map_put(frontier->store.self, name_of(made), made)) {
        free(made);
        return CRAWL_ENOMEM;
    }
    cw_frontier_memory_adopt(&frontier->memory, made);
    return CRAWL_OK;
}

static crawl_err get_note(crawl_frontier *frontier, crawl_slice name, crawl_buf *out)
{
    const note *found = frontier->store.self ? cw_map_get(frontier->store.self, name) : NULL;
    return found ? crawl_buf_append(out, found->text, found->size) : CRAWL_ABSENT;
}

static bool begins_with(crawl_slice text, crawl_slice prefix)
{
    return text.size >= prefix.size && (!prefix.size || memcmp(text.data, prefix.data, prefix.size) == 0);
}

static crawl_err walk_notes(crawl_frontier *frontier, crawl_slice prefix, cw_each_note *each, void *user)
{
    size_t cursor = 0;
    bool goes_on = true;
    pthread_mutex_lock(&frontier->lock);
    while (goes_on && frontier->store.self) {
        const note *one = cw_map_next(frontier->store.self, &cursor);
        if (!one)
            break;
        if (begins_with(name_of(one), prefix))
            goes_on = each(name_of(one), crawl_slice_of(one->text, one->size), user);
    }
    pthread_mutex_unlock(&frontier->lock);
    return CRAWL_OK;
}

static void free_notes(crawl_frontier *frontier)
{
    size_t cursor = 0;
    if (!frontier->store.self)
        return;
    for (void *one = cw_map_next(frontier->store.self, &cursor); one; one = cw_map_next(frontier->store.self, &cursor))
        free(one);
    cw_map_free(frontier->store.self);
}

static crawl_err reserve_date(crawl_frontier *frontier)
{
    return cw_frontier_forgets_reserve(&frontier->forgets, &frontier->memory, (size_t)frontier->leases.out + 1);
}

static void add_date(crawl_frontier *frontier, cw_frontier_forget entry)
{
    cw_frontier_forgets_add(&frontier->forgets, entry);
}

static bool read_dates(crawl_frontier *frontier)
{
    (void)frontier;
    return false;
}

static crawl_err forgotten(crawl_frontier *frontier, const cw_frontier_forget *gone, size_t count)
{
    (void)gone;
    (void)count;
    cw_frontier_forgets_trim(&frontier->forgets, &frontier->memory, frontier->leases.out);
    return CRAWL_OK;
}

static const char *check_store(crawl_frontier *frontier, uint64_t *bytes)
{
    size_t cursor = 0;
    const cw_frontier_forgets *forgets = &frontier->forgets;
    if (frontier->store.reserve_date && forgets->count + frontier->leases.out > forgets->capacity)
        return "W1: less room than there are leases";
    while (frontier->store.self) {
        void *one = cw_map_next(frontier->store.self, &cursor);
        if (!one)
            break;
        *bytes += cw_frontier_held(one);
    }
    return NULL;
}

void cw_frontier_memory_store(crawl_frontier *frontier)
{
    bool forgets = crawl_bloom_kind_forgets(crawl_bloom_kind_of(frontier->seen));
    frontier->store = (cw_frontier_store){.reserve_date = forgets ? reserve_date : NULL,
                                          .add_date = add_date,
                                          .read_dates = read_dates,
                                          .forgotten = forgotten,
                                          .set_note = set_note,
                                          .get_note = get_note,
                                          .notes = walk_notes,
                                          .free = free_notes,
                                          .check = check_store};
}
