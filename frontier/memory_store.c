/* The store of a frontier in memory. The scheduler already holds requests, hosts and dates, so the store only has the
 * notes and the room for dates to forget at. */
#include "frontier/memory/memory_notes.h"
#include "frontier/state.h"

/* Returns the table of notes, the store's only own data. */
static cw_map *notes_of(const crawl_frontier *frontier)
{
    return frontier->store.self;
}

static crawl_err memory_store_set_notes(crawl_frontier *frontier, const crawl_note *notes, size_t count)
{
    cw_map *known = notes_of(frontier);
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++)
        err = cw_frontier_notes_set(&known, &frontier->memory, notes[i].name, notes[i].note);
    frontier->store.self = known;
    return err;
}

static crawl_err get_note(crawl_frontier *frontier, crawl_slice name, crawl_buf *out)
{
    return cw_frontier_notes_get(notes_of(frontier), name, out);
}

static crawl_err walk_notes(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after, cw_each_note *each,
                            void *user)
{
    if (after.size)
        return CRAWL_ESTATE;
    pthread_mutex_lock(&frontier->lock);
    cw_frontier_notes_walk(notes_of(frontier), prefix, each, user);
    pthread_mutex_unlock(&frontier->lock);
    return CRAWL_OK;
}

static void memory_store_free_notes(crawl_frontier *frontier)
{
    cw_frontier_notes_free(notes_of(frontier));
}

static crawl_err reserve_date(crawl_frontier *frontier)
{
    return cw_frontier_forgets_reserve(&frontier->forgets, &frontier->memory, (size_t)frontier->leases.out + 1);
}

static void add_date(crawl_frontier *frontier, cw_frontier_forget entry)
{
    cw_frontier_forgets_add(&frontier->forgets, entry);
}

static bool read_dates(crawl_frontier *)
{
    return false;
}

static crawl_err forgotten(crawl_frontier *frontier, const cw_frontier_forget *, size_t)
{
    cw_frontier_forgets_trim(&frontier->forgets, &frontier->memory, frontier->leases.out);
    return CRAWL_OK;
}

static const cw_frontier_dates memory_store_dates = {
    .reserve = reserve_date, .add = add_date, .read = read_dates, .forgotten = forgotten};

void cw_frontier_memory_store(crawl_frontier *frontier)
{
    bool forgets = crawl_bloom_kind_forgets(crawl_bloom_kind_of(frontier->seen));
    frontier->store = (cw_frontier_store){.dates = forgets ? &memory_store_dates : NULL,
                                          .set_notes = memory_store_set_notes,
                                          .get_note = get_note,
                                          .notes = walk_notes,
                                          .free = memory_store_free_notes};
}
