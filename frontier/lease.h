/* The leases that are out, by number. A number combines the slot with a count of the slot's uses, so that the number of
 * an ended lease names no other lease until the slot was used 2^32 times more. */
#pragma once

#include "frontier/hosts/hosts.h"

typedef struct cw_frontier_lease {
    cw_frontier_host *host; /* NULL: the slot is free */
    cw_frontier_item *item;
    uint64_t sequence; /* the request's place in the order, for its return */
    crawl_buf url;     /* origin and item's URL joined; the memory is kept for the slot's next lease */
    uint32_t uses;
    uint32_t next_free; /* index + 1; 0: the last */
    uint32_t before;    /* neighbours in the list of its host's leases (durable): index + 1; 0: none */
    uint32_t behind;
    bool started;
    bool parked; /* not counted in its host's leased */
    bool apart;  /* for the store: its host has gone on without it */
} cw_frontier_lease;

typedef struct cw_frontier_leases {
    cw_frontier_lease *slots;
    uint32_t count; /* slots ever used */
    uint32_t capacity;
    uint32_t free; /* index + 1 of the first free slot; 0: none */
    uint32_t out;
} cw_frontier_leases;

/* Opens a slot for this request of this host and joins its URL. NULL: out of memory, unchanged. The pointer is valid
 * until the next slot is opened. */
cw_frontier_lease *cw_frontier_leases_open(cw_frontier_leases *leases, cw_frontier_memory *memory,
                                           cw_frontier_host *host, cw_frontier_item *item);

uint64_t cw_frontier_leases_id(const cw_frontier_leases *leases, const cw_frontier_lease *lease);
/* NULL: no such lease is out. */
cw_frontier_lease *cw_frontier_leases_find(const cw_frontier_leases *leases, uint64_t id);
void cw_frontier_leases_close(cw_frontier_leases *leases, cw_frontier_memory *memory, cw_frontier_lease *lease);

/* The list of a host's leases. The durable frontier keeps it so that leased requests are not read from disk again. */
void cw_frontier_leases_link(cw_frontier_leases *leases, cw_frontier_lease *lease);
void cw_frontier_leases_unlink(cw_frontier_leases *leases, cw_frontier_lease *lease);

static inline const cw_frontier_lease *cw_frontier_leases_at(const cw_frontier_leases *leases, uint32_t place)
{
    return place ? &leases->slots[place - 1] : NULL;
}

static inline const cw_frontier_lease *cw_frontier_leases_of(const cw_frontier_leases *leases,
                                                             const cw_frontier_host *host)
{
    return cw_frontier_leases_at(leases, host->leases);
}

static inline const cw_frontier_lease *cw_frontier_leases_next_of(const cw_frontier_leases *leases,
                                                                  const cw_frontier_lease *lease)
{
    return cw_frontier_leases_at(leases, lease->behind);
}

/* Also frees the requests that are out. */
void cw_frontier_leases_free(cw_frontier_leases *leases);
