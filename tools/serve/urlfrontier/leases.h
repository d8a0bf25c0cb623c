/* The URLs of a crawl that are out, by fingerprint and by the end of their leases. */
#pragma once

#include "base/heap.h"
#include "base/map.h"

#include <crawl/fingerprint.h>

struct cw_service_queue;

typedef struct cw_service_lease {
    int64_t until_ms;
    uint64_t id; /* the frontier's lease; 0: none, the URL was handed out by a previous process */
    struct cw_service_queue *queue;
    uint32_t place; /* in the heap */
    char fingerprint[CRAWL_FINGERPRINT_SIZE];
} cw_service_lease;

/* Maximum number of a crawl's URLs out at once. GetURLs then gives no more. About 200 bytes each. */
#define CW_SERVICE_LEASES_MAX ((size_t)4 << 20)

typedef struct cw_service_leases {
    cw_map *map;
    cw_heap_entry *entries; /* a heap by end, the first one on top */
    size_t room;
} cw_service_leases;

/* CRAWL_ENOMEM. */
crawl_err cw_service_leases_init(cw_service_leases *leases, uint64_t seed);
void cw_service_leases_free(cw_service_leases *leases);

/* CRAWL_FULL: too many are out. CRAWL_EXISTS: it is already out. CRAWL_ENOMEM. */
crawl_err cw_service_leases_add(cw_service_leases *leases, const crawl_fingerprint *fingerprint,
                                cw_service_lease lease);
/* NULL: it is not out. */
cw_service_lease *cw_service_leases_find(const cw_service_leases *leases, const crawl_fingerprint *fingerprint);
/* Returns the lease that ends first. NULL: none. */
cw_service_lease *cw_service_leases_first(const cw_service_leases *leases);
/* Frees the lease. */
void cw_service_leases_remove(cw_service_leases *leases, cw_service_lease *lease);
