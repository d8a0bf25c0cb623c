/* The leases that are out, by number. A number is the slot and how often the slot was used, so that the number of a
 * lease that is over does not name another one until its slot was used 2^32 times more. */
#ifndef CW_FRONTIER_LEASE_H
#define CW_FRONTIER_LEASE_H

#include "frontier/hosts.h"

typedef struct cw_lease {
    cw_host *host; /* NULL: the slot is free */
    cw_item *item;
    uint64_t sequence; /* the request's place in the order, for its way back */
    crawl_buf url;     /* origin and item's URL put together; memory kept for the slot's next lease */
    uint32_t uses;
    uint32_t next_free; /* index + 1; 0: the last */
    uint32_t before;    /* neighbours in the list of its host's leases (durable): index + 1; 0: none */
    uint32_t behind;
    bool started;
} cw_lease;

typedef struct cw_leases {
    cw_lease *slots;
    uint32_t count; /* slots that were ever used */
    uint32_t capacity;
    uint32_t free; /* index + 1 of the first free slot; 0: none */
    uint32_t out;
} cw_leases;

/* A slot for this request of this host, its URL put together. NULL: no memory, nothing changed. The pointer is good
 * until the next one is opened. */
cw_lease *cw_leases_open(cw_leases *leases, cw_memory *memory, cw_host *host, cw_item *item);

uint64_t cw_leases_id(const cw_leases *leases, const cw_lease *lease);
/* NULL: no such lease is out. */
cw_lease *cw_leases_find(const cw_leases *leases, uint64_t id);
void cw_leases_close(cw_leases *leases, cw_memory *memory, cw_lease *lease);

/* The list of a host's leases, which the durable frontier keeps so that what is out is not read from the disk again. */
void cw_leases_link(cw_leases *leases, cw_lease *lease);
void cw_leases_unlink(cw_leases *leases, cw_lease *lease);

static inline const cw_lease *cw_leases_at(const cw_leases *leases, uint32_t place)
{
    return place ? &leases->slots[place - 1] : NULL;
}

static inline const cw_lease *cw_leases_of(const cw_leases *leases, const cw_host *host)
{
    return cw_leases_at(leases, host->leases);
}

static inline const cw_lease *cw_leases_next_of(const cw_leases *leases, const cw_lease *lease)
{
    return cw_leases_at(leases, lease->behind);
}

/* With the requests that are out. */
void cw_leases_free(cw_leases *leases);

#endif
