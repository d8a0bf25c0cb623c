/* See awake.h. Invariant A1: no slot from the home of a number to its slot is empty. */
#include "frontier/hosts/awake.h"

#include "frontier/hosts/hosts.h"

enum { LEAST_ROOM = 64, ROW = 64 };

/* Places consecutive rows far apart: the numbers in use form stretches, which would otherwise meet. */
static size_t awake_home(const cw_frontier_awake *awake, uint64_t number)
{
    uint64_t row = (number / ROW) * 0x9e3779b97f4a7c15u >> 32;
    return (row * ROW + number % ROW) & (awake->room - 1);
}

static size_t awake_after(const cw_frontier_awake *awake, size_t at)
{
    return (at + 1) & (awake->room - 1);
}

/* Keeps A1. */
void cw_frontier_awake_add(cw_frontier_awake *awake, cw_frontier_host *host)
{
    size_t at = awake_home(awake, host->number);
    while (awake->slots[at])
        at = awake_after(awake, at);
    awake->slots[at] = host;
    awake->numbers[at] = host->number;
    awake->count++;
}

crawl_err cw_frontier_awake_reserve(cw_frontier_awake *awake, cw_frontier_memory *memory)
{
    if (4 * (awake->count + 1) <= 3 * awake->room)
        return CRAWL_OK;
    cw_frontier_awake grown = {.room = awake->room ? 2 * awake->room : LEAST_ROOM};
    grown.slots = calloc(grown.room, sizeof *grown.slots);
    grown.numbers = malloc(grown.room * sizeof *grown.numbers);
    if (!grown.slots || !grown.numbers) {
        free(grown.slots);
        free(grown.numbers);
        return CRAWL_ENOMEM;
    }
    for (size_t i = 0; i < awake->room; i++)
        if (awake->slots[i])
            cw_frontier_awake_add(&grown, awake->slots[i]);
    cw_frontier_memory_free(memory, awake->slots);
    cw_frontier_memory_free(memory, awake->numbers);
    cw_frontier_memory_adopt(memory, grown.slots);
    cw_frontier_memory_adopt(memory, grown.numbers);
    *awake = grown;
    return CRAWL_OK;
}

cw_frontier_host *cw_frontier_awake_find(const cw_frontier_awake *awake, uint64_t number)
{
    if (!awake->room)
        return NULL;
    size_t at = awake_home(awake, number);
    while (awake->slots[at] && awake->numbers[at] != number)
        at = awake_after(awake, at);
    return awake->slots[at];
}

/* Keeps A1: a host after the emptied slot moves into it unless it would then be before its home. */
void cw_frontier_awake_remove(cw_frontier_awake *awake, const cw_frontier_host *host)
{
    size_t mask = awake->room - 1;
    size_t empty = awake_home(awake, host->number);
    while (awake->slots[empty] != host)
        empty = awake_after(awake, empty);
    for (size_t at = awake_after(awake, empty); awake->slots[at]; at = awake_after(awake, at)) {
        size_t home = awake_home(awake, awake->numbers[at]);
        if (((at - home) & mask) < ((at - empty) & mask))
            continue;
        awake->slots[empty] = awake->slots[at];
        awake->numbers[empty] = awake->numbers[at];
        empty = at;
    }
    awake->slots[empty] = NULL;
    awake->count--;
}
