/* The figures of the whole frontier on disk, and the mark of a clean shutdown. */
#pragma once

#include "frontier/disk/disk.h"

typedef struct cw_disk_figures {
    uint64_t pushed;
    uint64_t accepted;
    uint64_t refused_seen;
    uint64_t refused_full;
    uint64_t up; /* sequences */
    uint64_t down;
    uint64_t hosts;  /* numbers given */
    uint64_t leases; /* given so far */
    uint64_t stage;  /* number of its last batch */
    uint64_t again;
    uint64_t revisits;
    uint64_t forgets;
    uint64_t deepest; /* of requests with by_depth; version 0.1 did not record it */
} cw_disk_figures;

/* Adds to the current batch the figures, and the sequences and numbers given out. forgets: dates to forget at that the
 * batch adds. */
void cw_disk_figures_write(crawl_frontier *frontier, unsigned forgets);
/* CRAWL_ABSENT: none were written. CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_figures_read(cw_disk_database *database, cw_disk_figures *out, crawl_error *error);

/* Adds to the current batch the opening after an unclean shutdown. The read sets *out to all zero if there was none. */
void cw_disk_figures_write_kill(cw_disk *disk, const cw_disk_kill *kill);
crawl_err cw_disk_figures_read_kill(cw_disk_database *database, cw_disk_kill *out, crawl_error *error);

/* Sets *clean to whether the last shutdown was clean. */
crawl_err cw_disk_figures_was_clean(cw_disk_database *database, bool *clean, crawl_error *error);
/* Sets or removes the mark of a clean shutdown. This write is synced before anything else is written, together with all
 * that opening wrote: otherwise a power cut could leave the mark and lose the changes that make it untrue. */
crawl_err cw_disk_figures_set_clean(cw_disk *disk, bool clean, crawl_error *error);
