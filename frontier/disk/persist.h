/* What the calls of a durable frontier write, under its lock: each in one batch, which is on disk all or not at all. */
#ifndef CW_FRONTIER_PERSIST_H
#define CW_FRONTIER_PERSIST_H

#include "frontier/disk/leftover.h"
#include "frontier/state.h"

/* Between cw_store_begin and cw_store_commit: a request that becomes ready, with its host if there is no record of it
 * yet. */
void cw_persist_new(crawl_frontier *frontier, cw_host *host, cw_key key, const cw_item *item);
/* The host's record, if there is none yet. */
void cw_persist_host_of(crawl_frontier *frontier, cw_host *host);
/* The figures of the whole, and the sequences and numbers given out. forgets: dates to forget at that the batch
 * adds. */
void cw_persist_counters(crawl_frontier *frontier, unsigned forgets);
/* The next batch of the seen-set's log. */
void cw_persist_log(crawl_frontier *frontier, size_t record_size);

/* An urgent request alone. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_persist_urgent(crawl_frontier *frontier, cw_host *host, cw_key key, const cw_item *item);
/* A lease that ends so; the attempt is counted already. CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_persist_done(crawl_frontier *frontier, const cw_lease *lease, crawl_outcome outcome, int64_t at,
                          int64_t now);
/* A lease that ends in a further visit: `next` is queued in the place of its request, with this sequence. There is room
 * for the record. CRAWL_EIO, CRAWL_ECORRUPT. */
crawl_err cw_persist_again(crawl_frontier *frontier, const cw_lease *lease, cw_item *next, uint64_t sequence,
                           int64_t at, int64_t now);
/* What is kept of a host beside its requests. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_persist_host(crawl_frontier *frontier, cw_host *host);

/* All that a clean end leaves: hosts with the places of their queues, figures, a snapshot, and the word that it was
 * one. */
crawl_err cw_persist_end(crawl_frontier *frontier, crawl_error *error);

/* The figures of the whole. */
typedef struct cw_figures {
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
} cw_figures;

/* CRAWL_ABSENT: none were written. */
crawl_err cw_persist_read_figures(cw_database *database, cw_figures *out, crawl_error *error);
/* Was the end a clean one? */
crawl_err cw_persist_was_clean(cw_database *database, bool *clean, crawl_error *error);
/* From here on it is not. */
crawl_err cw_persist_begin(cw_store *store, crawl_error *error);

/* Is the directory of a format that is known? CRAWL_ABSENT: it is new. CRAWL_ECORRUPT: it is not. */
crawl_err cw_open_check_format(cw_database *database, crawl_error *error);
/* The options that it was made with; fingerprints is a slice of *record, which holds the record then. */
crawl_err cw_open_read_config(cw_database *database, crawl_buf *record, crawl_frontier_options *options,
                              crawl_slice *fingerprints, crawl_error *error);

/* "http://" or "https://", then no more than a host and a port. */
bool cw_is_origin(crawl_slice origin);

/* Appends the key of a note; an empty name: of the frontier's. CRAWL_ENOMEM. */
crawl_err cw_note_key(crawl_slice name, crawl_buf *key);

/* Calls for each note whose name begins with prefix, in the order of names, until one call answers false. CRAWL_EIO,
 * CRAWL_ECORRUPT, CRAWL_ENOMEM. */
typedef bool cw_each_note(crawl_slice name, crawl_slice note, void *user);
crawl_err cw_notes_walk(cw_database *database, crawl_slice prefix, cw_each_note *each, void *user, crawl_error *error);

/* Can the request be taken out of the seen-set, and from which filter of the chain? */
bool cw_frontier_can_forget(const crawl_frontier *frontier, const cw_item *item, uint32_t *where);

#endif
