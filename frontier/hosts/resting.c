#include "frontier/hosts/resting.h"

#include <xxhash.h>

/* A slot holds the hash (31 bits, at least one of them set), whether the host was opened, and the number. Slots are in
 * the order of hashes, except those displaced by linear probing. */

enum { LEAST_ROOM = 1024, HASH_BITS = 31 };

static uint32_t resting_hash(const cw_frontier_resting *resting, crawl_slice origin)
{
    uint32_t hash = (uint32_t)(XXH3_64bits_withSeed(origin.data, origin.size, resting->seed) >> (64 - HASH_BITS));
    return hash ? hash : 1;
}

static uint32_t resting_hash_of(uint64_t slot)
{
    return (uint32_t)(slot >> (64 - HASH_BITS));
}

static uint64_t resting_slot(uint32_t hash, cw_frontier_rester host)
{
    return (uint64_t)hash << (64 - HASH_BITS) | (uint64_t)host.was_opened << 32 | host.number;
}

static uint64_t resting_home(uint32_t hash, uint64_t room)
{
    return (hash * room) >> HASH_BITS;
}

static uint64_t resting_after(const cw_frontier_resting *resting, uint64_t at)
{
    return at + 1 < resting->room ? at + 1 : 0;
}

static void resting_put(cw_frontier_resting *resting, uint64_t slot)
{
    uint64_t at = resting_home(resting_hash_of(slot), resting->room);
    while (resting->slots[at])
        at = resting_after(resting, at);
    resting->slots[at] = slot;
}

crawl_err cw_frontier_resting_reserve(cw_frontier_resting *resting, cw_frontier_memory *memory, uint64_t more)
{
    uint64_t room = resting->room ? resting->room : LEAST_ROOM;
    while ((resting->count + more) * 4 > room * 3)
        room *= 2;
    if (room == resting->room)
        return CRAWL_OK;
    cw_frontier_resting grown = {.slots = calloc(room, sizeof *grown.slots), .room = room};
    if (!grown.slots)
        return CRAWL_ENOMEM;
    for (uint64_t i = 0; i < resting->room; i++)
        if (resting->slots[i])
            resting_put(&grown, resting->slots[i]);
    cw_frontier_memory_free(memory, resting->slots);
    cw_frontier_memory_adopt(memory, grown.slots);
    resting->slots = grown.slots;
    resting->room = room;
    return CRAWL_OK;
}

void cw_frontier_resting_add(cw_frontier_resting *resting, crawl_slice origin, cw_frontier_rester host)
{
    resting_put(resting, resting_slot(resting_hash(resting, origin), host));
    resting->count++;
}

bool cw_frontier_resting_next(const cw_frontier_resting *resting, crawl_slice origin, uint64_t *cursor,
                              cw_frontier_rester *out)
{
    if (!resting->count)
        return false;
    uint32_t hash = resting_hash(resting, origin);
    uint64_t at = resting_home(hash, resting->room);
    for (uint64_t i = 0; resting->slots[at]; i++, at = resting_after(resting, at)) {
        uint64_t slot = resting->slots[at];
        if (i < *cursor || resting_hash_of(slot) != hash)
            continue;
        *cursor = i + 1;
        *out = (cw_frontier_rester){.number = (uint32_t)slot, .was_opened = slot >> 32 & 1};
        return true;
    }
    return false;
}

/* Slots after the emptied one move into it if that brings them nearer to their homes. */
void cw_frontier_resting_remove(cw_frontier_resting *resting, crawl_slice origin, cw_frontier_rester host)
{
    uint64_t slot = resting_slot(resting_hash(resting, origin), host);
    uint64_t empty = resting_home(resting_hash_of(slot), resting->room);
    while (resting->slots[empty] != slot)
        empty = resting_after(resting, empty);
    for (uint64_t at = resting_after(resting, empty); resting->slots[at]; at = resting_after(resting, at)) {
        uint64_t home = resting_home(resting_hash_of(resting->slots[at]), resting->room);
        uint64_t from_home = (at + resting->room - home) % resting->room;
        uint64_t from_empty = (at + resting->room - empty) % resting->room;
        if (from_home < from_empty)
            continue;
        resting->slots[empty] = resting->slots[at];
        empty = at;
    }
    resting->slots[empty] = 0;
    resting->count--;
}
