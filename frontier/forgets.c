#include "frontier/forgets.h"

#define WINDOW_MAX ((size_t)2 * CW_FRONTIER_FORGETS_WINDOW)
#define CAPACITY_MIN 16u

static crawl_err set_capacity(cw_frontier_forgets *forgets, cw_frontier_memory *memory, size_t capacity)
{
    if (capacity > SIZE_MAX / sizeof(cw_frontier_forget))
        return CRAWL_ENOMEM;
    cw_frontier_forget *entries = cw_frontier_memory_resize(memory, forgets->entries, capacity * sizeof *entries);
    if (!entries)
        return CRAWL_ENOMEM;
    forgets->entries = entries;
    forgets->capacity = capacity;
    return CRAWL_OK;
}

/* Grows by a quarter, since there may be as many entries as URLs. */
crawl_err cw_frontier_forgets_reserve(cw_frontier_forgets *forgets, cw_frontier_memory *memory, size_t more)
{
    size_t wanted = forgets->count + more;
    if (wanted <= forgets->capacity)
        return CRAWL_OK;
    size_t capacity = forgets->capacity + forgets->capacity / 4 + CAPACITY_MIN;
    return set_capacity(forgets, memory, capacity > wanted ? capacity : wanted);
}

void cw_frontier_forgets_trim(cw_frontier_forgets *forgets, cw_frontier_memory *memory, size_t more)
{
    size_t used = forgets->count + more;
    if (used >= forgets->capacity / 2 || forgets->capacity <= 4 * CAPACITY_MIN)
        return;
    (void)set_capacity(forgets, memory, used + used / 4 + CAPACITY_MIN); /* without memory it keeps its size */
}

static bool forgets_goes_before(const cw_frontier_forget *a, const cw_frontier_forget *b)
{
    return a->at != b->at ? a->at < b->at : a->sequence < b->sequence;
}

void cw_frontier_forgets_add(cw_frontier_forgets *forgets, cw_frontier_forget entry)
{
    size_t at = forgets->count++;
    for (size_t parent; at > 0 && forgets_goes_before(&entry, &forgets->entries[parent = (at - 1) / 4]); at = parent)
        forgets->entries[at] = forgets->entries[parent];
    forgets->entries[at] = entry;
}

static size_t soonest_child(const cw_frontier_forgets *forgets, size_t at)
{
    size_t child = 4 * at + 1;
    size_t best = child;
    for (size_t i = child + 1; i < child + 4 && i < forgets->count; i++)
        if (forgets_goes_before(&forgets->entries[i], &forgets->entries[best]))
            best = i;
    return best;
}

cw_frontier_forget cw_frontier_forgets_take(cw_frontier_forgets *forgets)
{
    cw_frontier_forget first = forgets->entries[0];
    cw_frontier_forget last = forgets->entries[--forgets->count];
    size_t at = 0;
    while (4 * at + 1 < forgets->count) {
        size_t child = soonest_child(forgets, at);
        if (!forgets_goes_before(&forgets->entries[child], &last))
            break;
        forgets->entries[at] = forgets->entries[child];
        at = child;
    }
    if (forgets->count)
        forgets->entries[at] = last;
    return first;
}

static void forgets_let_go(cw_frontier_forgets *forgets)
{
    if (!forgets->count)
        return;
    forgets->edge = cw_frontier_forget_order(&forgets->entries[0]);
    forgets->beyond += forgets->count;
    forgets->count = 0;
}

void cw_frontier_forgets_add_stored(cw_frontier_forgets *forgets, cw_frontier_memory *memory, cw_frontier_forget entry)
{
    cw_heap_key key = cw_frontier_forget_order(&entry);
    bool near = cw_heap_key_less(key, forgets->edge);
    if (near && forgets->count < WINDOW_MAX && !cw_frontier_forgets_reserve(forgets, memory, 1)) {
        cw_frontier_forgets_add(forgets, entry);
        return;
    }
    if (near)
        forgets_let_go(forgets);
    forgets->beyond++;
    if (cw_heap_key_less(key, forgets->edge))
        forgets->edge = key;
}
