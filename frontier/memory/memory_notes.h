/* Notes in memory: a table by name, created with the first note. The caller locks. */
#pragma once

#include "base/map.h"
#include "frontier/memory/memory.h"

/* Sets a note; an empty one deletes. CRAWL_ENOMEM: unchanged. */
crawl_err cw_frontier_notes_set(cw_map **notes, cw_frontier_memory *memory, crawl_slice name, crawl_slice note);
/* Appends the note to *out. CRAWL_ABSENT: there is none. */
crawl_err cw_frontier_notes_get(const cw_map *notes, crawl_slice name, crawl_buf *out);
/* Calls each for every note whose name begins with prefix, until a call returns false. */
void cw_frontier_notes_walk(const cw_map *notes, crawl_slice prefix,
                            bool (*each)(crawl_slice name, crawl_slice note, void *user), void *user);
void cw_frontier_notes_clear(cw_map *notes, cw_frontier_memory *memory);
void cw_frontier_notes_free(cw_map *notes);
