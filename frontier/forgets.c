/* See forgets.h. */
#include "frontier/forgets.h"

#define WINDOW_MAX ((size_t)2 * CW_FORGETS_WINDOW)
#define CAPACITY_MIN 16u

static crawl_err set_capacity(cw_forgets *forgets, cw_memory *memory, size_t capacity)
{
    if (capacity > SIZE_MAX / sizeof(cw_forget))
        return CRAWL_ENOMEM;
    cw_forget *entries = cw_memory_resize(memory, forgets->entries, capacity * sizeof *entries);
    if (!entries)
        return CRAWL_ENOMEM;
    forgets->entries = entries;
    forgets->capacity = capacity;
    return CRAWL_OK;
}

/* By a quarter, for there may be as many as there are URLs. */
crawl_err cw_forgets_reserve(cw_forgets *forgets, cw_memory *memory, size_t more)
{
    size_t wanted = forgets->count + more;
    if (wanted <= forgets->capacity)
        return CRAWL_OK;
    size_t capacity = forgets->capacity + forgets->capacity / 4 + CAPACITY_MIN;
    return set_capacity(forgets, memory, capacity > wanted ? capacity : wanted);
}

void cw_forgets_trim(cw_forgets *forgets, cw_memory *memory, size_t more)
{
    size_t used = forgets->count + more;
    if (used >= forgets->capacity / 2 || forgets->capacity <= 4 * CAPACITY_MIN)
        return;
    (void)set_capacity(forgets, memory, used + used / 4 + CAPACITY_MIN); /* where there is no memory it stays as large
                                                                            as it is */
}

static bool goes_before(const cw_forget *a, const cw_forget *b)
{
    return a->at != b->at ? a->at < b->at : a->sequence < b->sequence;
}

void cw_forgets_add(cw_forgets *forgets, cw_forget entry)
{
    size_t at = forgets->count++;
    for (size_t parent; at > 0 && goes_before(&entry, &forgets->entries[parent = (at - 1) / 4]); at = parent)
        forgets->entries[at] = forgets->entries[parent];
    forgets->entries[at] = entry;
}

static size_t soonest_child(const cw_forgets *forgets, size_t at)
{
    size_t child = 4 * at + 1;
    size_t best = child;
    for (size_t i = child + 1; i < child + 4 && i < forgets->count; i++)
        if (goes_before(&forgets->entries[i], &forgets->entries[best]))
            best = i;
    return best;
}

cw_forget cw_forgets_take(cw_forgets *forgets)
{
    cw_forget first = forgets->entries[0];
    cw_forget last = forgets->entries[--forgets->count];
    size_t at = 0;
    while (4 * at + 1 < forgets->count) {
        size_t child = soonest_child(forgets, at);
        if (!goes_before(&forgets->entries[child], &last))
            break;
        forgets->entries[at] = forgets->entries[child];
        at = child;
    }
    if (forgets->count)
        forgets->entries[at] = last;
    return first;
}

static void let_go(cw_forgets *forgets)
{
    if (!forgets->count)
        return;
    forgets->edge = cw_forget_order(&forgets->entries[0]);
    forgets->beyond += forgets->count;
    forgets->count = 0;
}

void cw_forgets_add_stored(cw_forgets *forgets, cw_memory *memory, cw_forget entry)
{
    cw_key key = cw_forget_order(&entry);
    bool near = cw_key_less(key, forgets->edge);
    if (near && forgets->count < WINDOW_MAX && !cw_forgets_reserve(forgets, memory, 1)) {
        cw_forgets_add(forgets, entry);
        return;
    }
    if (near)
        let_go(forgets);
    forgets->beyond++;
    if (cw_key_less(key, forgets->edge))
        forgets->edge = key;
}
