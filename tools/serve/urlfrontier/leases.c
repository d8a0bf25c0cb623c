#include "tools/serve/urlfrontier/leases.h"

#include "base/array.h"

#include <stdlib.h>

static crawl_slice leases_key_of(const crawl_fingerprint *fingerprint)
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
    free(leases->entries);
    *leases = (cw_service_leases){0};
}

static cw_heap leases_heap_of(const cw_service_leases *leases)
{
    return (cw_heap){.root = leases->entries, .step = 1, .place = offsetof(cw_service_lease, place)};
}

crawl_err cw_service_leases_add(cw_service_leases *leases, const crawl_fingerprint *fingerprint, cw_service_lease lease)
{
    size_t count = cw_map_count(leases->map);
    if (count >= CW_SERVICE_LEASES_MAX)
        return CRAWL_FULL;
    if (cw_map_get(leases->map, leases_key_of(fingerprint)))
        return CRAWL_EXISTS;
    crawl_err err = CW_ARRAY_RESERVE(leases->entries, leases->room, count + 1, 64);
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
    cw_heap heap = leases_heap_of(leases);
    cw_heap_add(&heap, count, (cw_heap_entry){{.high = cw_heap_key_of_time(lease.until_ms)}, made});
    return CRAWL_OK;
}

cw_service_lease *cw_service_leases_find(const cw_service_leases *leases, const crawl_fingerprint *fingerprint)
{
    return cw_map_get(leases->map, leases_key_of(fingerprint));
}

cw_service_lease *cw_service_leases_first(const cw_service_leases *leases)
{
    return cw_map_count(leases->map) ? leases->entries[0].value : NULL;
}

void cw_service_leases_remove(cw_service_leases *leases, cw_service_lease *lease)
{
    cw_heap heap = leases_heap_of(leases);
    cw_heap_remove(&heap, cw_map_count(leases->map), lease->place - 1);
    cw_map_remove(leases->map, crawl_slice_of(lease->fingerprint, CRAWL_FINGERPRINT_SIZE));
    free(lease);
}
