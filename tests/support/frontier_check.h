/* Verifies every numbered invariant of frontier/ by walking over everything. */
#pragma once

#include "frontier/state.h"

#define FAIL_UNLESS(condition, text) \
    do {                             \
        if (!(condition))            \
            return text;             \
    } while (0)

/* Returns the text of an invariant of the store that does not hold, or NULL; adds the store's counted memory to
 * *bytes. */
typedef const char *check_of_store(crawl_frontier *frontier, uint64_t *bytes);
check_of_store check_disk;

/* Returns NULL, or the text of an invariant that does not hold. store: NULL: that of a frontier in memory or in a
 * directory. */
const char *check_frontier(crawl_frontier *frontier, check_of_store *store);

uint64_t bytes_of_arena(const cw_frontier_arena *arena);
uint64_t bytes_of_notes(const cw_map *notes);
