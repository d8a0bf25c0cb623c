/* The seen-set on disk: a snapshot, and a log of all additions and removals since. Batches of the log are numbered from
 * 1 without a gap; a snapshot bears the number of the last batch it contains. Replaying a batch repeats the same
 * operations in the same order, so that the places of keys (`where`) that requests carry stay right. */
#pragma once

#include "frontier/disk/database.h"
#include "frontier/forgets.h"

#include <crawl/frontier.h>

#include <stdatomic.h>

typedef struct cw_disk_journal {
    crawl_bloom_options options; /* of the filter before its first batch */
    uint64_t snapshot;           /* number of the present one; 0: none yet. Changed by one thread at a time */
    _Atomic uint64_t last;       /* number of the last batch written */
    _Atomic uint64_t keys;       /* in batches since the snapshot, added or forgotten */
    _Atomic uint64_t next;       /* number of keys that makes another snapshot worthwhile */
} cw_disk_journal;

/* Loads the snapshot and replays the log; *seen gets the resulting filter. CRAWL_ECORRUPT: a gap in the numbers, or an
 * unreadable file or batch. */
crawl_err cw_disk_journal_open(cw_disk_journal *journal, cw_disk_database *database, const char *directory,
                               const crawl_bloom_options *options, crawl_bloom **seen, crawl_error *error);

/* Sets *number to that of the present snapshot; 0: there is none. */
crawl_err cw_disk_journal_snapshot_number(cw_disk_database *database, uint64_t *number, crawl_error *error);

/* Return the bytes of a batch of `keys` keys, added or forgotten. */
size_t cw_disk_journal_room(size_t keys);
size_t cw_disk_journal_forgot_room(size_t keys);
/* Write the next batch of the log to `record`, which must have room: keys that were new, or that were forgotten. Return
 * its size. Write the batch under cw_disk_journal_next(), then count it with cw_disk_journal_wrote. */
size_t cw_disk_journal_added(char *record, const crawl_fingerprint *keys, const uint8_t *fresh, size_t count,
                             int64_t now);
size_t cw_disk_journal_forgot(char *record, const cw_frontier_forget *gone, size_t count);

static inline uint64_t cw_disk_journal_next(const cw_disk_journal *journal)
{
    return atomic_load(&journal->last) + 1;
}

static inline void cw_disk_journal_wrote(cw_disk_journal *journal, uint64_t keys)
{
    atomic_fetch_add(&journal->last, 1);
    atomic_fetch_add(&journal->keys, keys);
}

/* Returns true if another snapshot is due: after as many keys as the last one has, so that all of them together cost a
 * few times the last. */
bool cw_disk_journal_wants_snapshot(const cw_disk_journal *journal);

/* Postpones the next snapshot until as many keys again were added. Call when one could not be written. */
void cw_disk_journal_postpone(cw_disk_journal *journal);

/* Removes the directory's files whose names have this prefix and another number. */
void cw_disk_journal_remove_others(const char *directory, const char *prefix, uint64_t present);

/* Writes a snapshot and drops the log up to it. seen: the filter as of the last batch; NULL: rebuilds it from the
 * previous snapshot and the log up to the last batch, in memory beside the one in use. Call after a sync. CRAWL_EIO,
 * CRAWL_ENOMEM, CRAWL_ECORRUPT: the previous snapshot stays. */
crawl_err cw_disk_journal_snapshot(cw_disk_journal *journal, cw_disk_database *database, const char *directory,
                                   const crawl_bloom *seen, crawl_error *error);
