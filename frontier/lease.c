/* See lease.h. Invariants:
 *
 *   L1  slots[0, count) were used; those without a host form the list from `free`; `out` have one.
 *   L2  uses grows by one whenever a slot is given out: a number is that of the slot's present lease or of none. */
#include "frontier/lease.h"

#define SLOTS_MAX (UINT32_MAX / 2)
#define URL_KEPT 4096u /* bytes of a slot's URL buffer kept between leases; longer ones are rare */

static bool add_slot(cw_frontier_leases *leases, cw_frontier_memory *memory)
{
    if (leases->count == leases->capacity) {
        size_t capacity = (size_t)leases->capacity + leases->capacity / 2 + 8;
        if (capacity > SLOTS_MAX)
            return false;
        cw_frontier_lease *slots = cw_frontier_memory_resize(memory, leases->slots, capacity * sizeof *slots);
        if (!slots)
            return false;
        leases->slots = slots;
        leases->capacity = (uint32_t)capacity;
    }
    leases->slots[leases->count] = (cw_frontier_lease){.next_free = leases->free};
    leases->free = ++leases->count;
    return true;
}

static bool join_url(crawl_buf *url, cw_frontier_memory *memory, const cw_frontier_host *host,
                     const cw_frontier_item *item)
{
    if (item->flags & CW_ITEM_WHOLE)
        return true;
    crawl_slice rest = cw_frontier_item_url(item);
    cw_frontier_memory_disown(memory, url->data);
    crawl_buf_clear(url);
    crawl_err err = crawl_buf_reserve(url, (size_t)host->origin_size + rest.size);
    cw_frontier_memory_adopt(memory, url->data);
    if (err)
        return false;
    /* There is room for both: these cannot fail. */
    (void)crawl_buf_append(url, host->origin, host->origin_size);
    (void)crawl_buf_append(url, rest.data, rest.size);
    return true;
}

cw_frontier_lease *cw_frontier_leases_open(cw_frontier_leases *leases, cw_frontier_memory *memory,
                                           cw_frontier_host *host, cw_frontier_item *item)
{
    if (!leases->free && !add_slot(leases, memory))
        return NULL;
    cw_frontier_lease *lease = &leases->slots[leases->free - 1];
    if (!join_url(&lease->url, memory, host, item))
        return NULL;
    leases->free = lease->next_free;
    leases->out++;
    lease->host = host;
    lease->item = item;
    lease->started = lease->parked = lease->apart = false;
    lease->before = lease->behind = 0;
    lease->uses++;
    return lease;
}

uint64_t cw_frontier_leases_id(const cw_frontier_leases *leases, const cw_frontier_lease *lease)
{
    return (uint64_t)lease->uses << 32 | (uint64_t)(lease - leases->slots);
}

cw_frontier_lease *cw_frontier_leases_find(const cw_frontier_leases *leases, uint64_t id)
{
    uint32_t index = (uint32_t)id;
    if (index >= leases->count)
        return NULL;
    cw_frontier_lease *lease = &leases->slots[index];
    return lease->host && lease->uses == id >> 32 ? lease : NULL;
}

void cw_frontier_leases_close(cw_frontier_leases *leases, cw_frontier_memory *memory, cw_frontier_lease *lease)
{
    if (lease->url.capacity > URL_KEPT) {
        cw_frontier_memory_disown(memory, lease->url.data);
        crawl_buf_free(&lease->url);
    }
    lease->host = NULL;
    lease->item = NULL;
    lease->next_free = leases->free;
    leases->free = (uint32_t)(lease - leases->slots) + 1;
    leases->out--;
}

void cw_frontier_leases_link(cw_frontier_leases *leases, cw_frontier_lease *lease)
{
    uint32_t place = (uint32_t)(lease - leases->slots) + 1;
    cw_frontier_host *host = lease->host;
    lease->behind = host->leases;
    if (host->leases)
        leases->slots[host->leases - 1].before = place;
    host->leases = place;
}

void cw_frontier_leases_unlink(cw_frontier_leases *leases, cw_frontier_lease *lease)
{
    *(lease->before ? &leases->slots[lease->before - 1].behind : &lease->host->leases) = lease->behind;
    if (lease->behind)
        leases->slots[lease->behind - 1].before = lease->before;
    lease->before = lease->behind = 0;
}

void cw_frontier_leases_free(cw_frontier_leases *leases)
{
    for (uint32_t i = 0; i < leases->count; i++) {
        cw_frontier_lease *lease = &leases->slots[i];
        if (lease->host) {
            free(cw_frontier_item_leave_parent(lease->item));
            free(lease->item);
        }
        crawl_buf_free(&lease->url);
    }
    free(leases->slots);
}
