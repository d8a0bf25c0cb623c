/* See leases.h. A binary heap of pointers, each of which knows its place. */
#include "crawler/program/serve/urlfrontier/leases.h"

#include <stdlib.h>

static crawl_slice key_of(const crawl_fingerprint *fingerprint)
{
    return crawl_slice_of(fingerprint->bytes, sizeof fingerprint->bytes);
}

crawl_err cw_service_leases_init(cw_service_leases *leases, uint64_t seed)
{
    *leases = (cw_service_leases){.map = cw_map_create(seed)};
    return leases->map ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_service_leases_free(cw_service_leases *leases)
{
    cw_map_free_values(leases->map);
    free(leases->heap);
    *leases = (cw_service_leases){0};
}

size_t cw_service_leases_count(const cw_service_leases *leases)
{
    return cw_map_count(leases->map);
}

static void put(const cw_service_leases *leases, size_t place, cw_service_lease *lease)
{
    leases->heap[place] = lease;
    lease->place = place;
}

static void sift_up(const cw_service_leases *leases, cw_service_lease *lease, size_t place)
{
    for (; place && leases->heap[(place - 1) / 2]->until_ms > lease->until_ms; place = (place - 1) / 2)
        put(leases, place, leases->heap[(place - 1) / 2]);
    put(leases, place, lease);
}

static void sift_down(const cw_service_leases *leases, size_t count, cw_service_lease *lease, size_t place)
{
    for (;;) {
        size_t child = 2 * place + 1;
        if (child + 1 < count && leases->heap[child + 1]->until_ms < leases->heap[child]->until_ms)
            child++;
        if (child >= count || leases->heap[child]->until_ms >= lease->until_ms)
            break;
        put(leases, place, leases->heap[child]);
        place = child;
    }
    put(leases, place, lease);
}

static crawl_err reserve(cw_service_leases *leases, size_t count)
{
    if (count <= leases->room)
        return CRAWL_OK;
    size_t room = leases->room ? 2 * leases->room : 64;
    cw_service_lease **heap = realloc(leases->heap, room * sizeof(cw_service_lease *));
    if (!heap)
        return CRAWL_ENOMEM;
    leases->heap = heap;
    leases->room = room;
    return CRAWL_OK;
}

crawl_err cw_service_leases_add(cw_service_leases *leases, const crawl_fingerprint *fingerprint, cw_service_lease lease)
{
    size_t count = cw_map_count(leases->map);
    if (count >= CW_SERVICE_LEASES_MAX)
        return CRAWL_FULL;
    if (cw_map_get(leases->map, key_of(fingerprint)))
        return CRAWL_EXISTS;
    crawl_err err = reserve(leases, count + 1);
    cw_service_lease *made = err ? NULL : malloc(sizeof *made);
    if (!made)
        return CRAWL_ENOMEM;
    *made = lease;
    memcpy(made->fingerprint, fingerprint->bytes, sizeof fingerprint->bytes);
    err = cw_map_put(leases->map, crawl_slice_of(made->fingerprint, sizeof fingerprint->bytes), made);
    if (err) {
        free(made);
        return err;
    }
    sift_up(leases, made, count);
    return CRAWL_OK;
}

cw_service_lease *cw_service_leases_find(const cw_service_leases *leases, const crawl_fingerprint *fingerprint)
{
    return cw_map_get(leases->map, key_of(fingerprint));
}

cw_service_lease *cw_service_leases_first(const cw_service_leases *leases)
{
    return cw_map_count(leases->map) ? leases->heap[0] : NULL;
}

void cw_service_leases_remove(cw_service_leases *leases, cw_service_lease *lease)
{
    cw_map_remove(leases->map, crawl_slice_of(lease->fingerprint, CRAWL_FINGERPRINT_SIZE));
    size_t count = cw_map_count(leases->map);
    cw_service_lease *last = leases->heap[count];
    size_t place = lease->place;
    free(lease);
    if (place == count)
        return;
    if (place && leases->heap[(place - 1) / 2]->until_ms > last->until_ms)
        sift_up(leases, last, place);
    else
        sift_down(leases, count, last, place);
}
