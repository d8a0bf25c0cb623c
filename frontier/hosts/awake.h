/* The hosts in memory by number: a table sized for the hosts in memory, not for all numbers given. Consecutive numbers
 * have consecutive slots, since data on disk comes in their order. */
#pragma once

#include "frontier/memory/memory.h"

struct cw_frontier_host;

/* All zero: empty. */
typedef struct cw_frontier_awake {
    struct cw_frontier_host **slots; /* NULL: empty */
    uint32_t *numbers;               /* of the hosts in the slots, to avoid reading the hosts */
    size_t room;                     /* of both; 0 or a power of two */
    size_t count;
} cw_frontier_awake;

/* Makes room for one more. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_awake_reserve(cw_frontier_awake *awake, cw_frontier_memory *memory);
/* Adds a host whose number is absent. There must be room. */
void cw_frontier_awake_add(cw_frontier_awake *awake, struct cw_frontier_host *host);
/* NULL: no host has this number. */
struct cw_frontier_host *cw_frontier_awake_find(const cw_frontier_awake *awake, uint64_t number);
/* Removes a host, which must be present. */
void cw_frontier_awake_remove(cw_frontier_awake *awake, const struct cw_frontier_host *host);
