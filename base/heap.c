/* See heap.h. Sifting moves a hole and writes the entry once, at the end. */
#include "base/heap.h"

enum { ARITY = 4 };

static cw_heap_entry *heap_at(const cw_heap *heap, size_t i)
{
    return i ? heap->root + (ptrdiff_t)i * heap->step : heap->root; /* NULL while the heap has no memory */
}

static void heap_settle(const cw_heap *heap, size_t i, cw_heap_entry entry)
{
    *heap_at(heap, i) = entry;
    if (heap->place)
        *cw_heap_place(heap->place, entry.value) = (uint32_t)i + 1;
}

static void sift_up(const cw_heap *heap, size_t hole, cw_heap_entry entry)
{
    while (hole > 0) {
        size_t parent = (hole - 1) / ARITY;
        if (!cw_heap_key_less(entry.key, heap_at(heap, parent)->key))
            break;
        heap_settle(heap, hole, *heap_at(heap, parent));
        hole = parent;
    }
    heap_settle(heap, hole, entry);
}

static size_t least_child(const cw_heap *heap, size_t count, size_t first)
{
    size_t end = count - first < ARITY ? count : first + ARITY;
    size_t least = first;
    for (size_t i = first + 1; i < end; i++)
        if (cw_heap_key_less(heap_at(heap, i)->key, heap_at(heap, least)->key))
            least = i;
    return least;
}

static void sift_down(const cw_heap *heap, size_t count, size_t hole, cw_heap_entry entry)
{
    for (size_t first = hole * ARITY + 1; first < count; first = hole * ARITY + 1) {
        size_t child = least_child(heap, count, first);
        if (!cw_heap_key_less(heap_at(heap, child)->key, entry.key))
            break;
        heap_settle(heap, hole, *heap_at(heap, child));
        hole = child;
    }
    heap_settle(heap, hole, entry);
}

void cw_heap_replace(const cw_heap *heap, size_t count, size_t i, cw_heap_entry entry)
{
    if (i > 0 && cw_heap_key_less(entry.key, heap_at(heap, (i - 1) / ARITY)->key))
        sift_up(heap, i, entry);
    else
        sift_down(heap, count, i, entry);
}

void cw_heap_expect_add(const cw_heap *heap, size_t count)
{
    __builtin_prefetch(heap_at(heap, 0));
    __builtin_prefetch(heap_at(heap, count ? (count - 1) / ARITY : 0));
    __builtin_prefetch(heap_at(heap, count), 1);
}

void cw_heap_add(const cw_heap *heap, size_t count, cw_heap_entry entry)
{
    sift_up(heap, count, entry);
}

cw_heap_entry cw_heap_remove(const cw_heap *heap, size_t count, size_t index)
{
    cw_heap_entry removed = *heap_at(heap, index);
    cw_heap_entry last = *heap_at(heap, count - 1);
    if (index < count - 1)
        cw_heap_replace(heap, count - 1, index, last);
    if (heap->place)
        *cw_heap_place(heap->place, removed.value) = 0;
    return removed;
}
