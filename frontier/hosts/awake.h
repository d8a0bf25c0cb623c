/* The hosts in memory by their numbers, where these are asked for: a table of as many slots as hosts are in memory
 * need, and not as there are numbers. Numbers in a row have slots in a row, since what is on disk comes in their order.
 */
#pragma once

#include "frontier/memory/memory.h"

struct cw_frontier_host;

/* All zero: an empty one. */
typedef struct cw_frontier_awake {
    struct cw_frontier_host **slots; /* NULL: empty */
    uint32_t *numbers;               /* of the hosts in the slots, so that no host is looked at for it */
    size_t room;                     /* of both; 0 or a power of two */
    size_t count;
} cw_frontier_awake;

/* Makes room for one more. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_awake_reserve(cw_frontier_awake *awake, cw_frontier_memory *memory);
/* Adds a host whose number is not in it. There is room. */
void cw_frontier_awake_add(cw_frontier_awake *awake, struct cw_frontier_host *host);
/* NULL: there is none of this number. */
struct cw_frontier_host *cw_frontier_awake_find(const cw_frontier_awake *awake, uint64_t number);
/* Takes out a host that is in it. */
void cw_frontier_awake_remove(cw_frontier_awake *awake, const struct cw_frontier_host *host);
