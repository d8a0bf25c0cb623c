/* The figures of the whole as they stand on disk, and the word that the end was a clean one. */
#pragma once

#include "frontier/disk/disk.h"

/* The figures of the whole. */
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
} cw_disk_figures;

/* Into the batch under way: the figures, and the sequences and numbers given out. forgets: dates to forget at that the
 * batch adds. */
void cw_disk_figures_write(crawl_frontier *frontier, unsigned forgets);
/* CRAWL_ABSENT: none were written. CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_disk_figures_read(cw_disk_database *database, cw_disk_figures *out, crawl_error *error);

/* Into the batch under way: the opening after an end that was no clean one. The other: all zero where none is known. */
void cw_disk_figures_write_kill(cw_disk *disk, const cw_disk_kill *kill);
crawl_err cw_disk_figures_read_kill(cw_disk_database *database, cw_disk_kill *out, crawl_error *error);

/* Was the end a clean one? */
crawl_err cw_disk_figures_was_clean(cw_disk_database *database, bool *clean, crawl_error *error);
/* It is, or from here on it is not. It is on the disk before anything else is, and with it what opening wrote:
 * otherwise a power cut could leave the word and lose what it no longer holds for. */
crawl_err cw_disk_figures_set_clean(cw_disk *disk, bool clean, crawl_error *error);
