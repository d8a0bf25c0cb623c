/* Notes on disk: records of the database that are kept nowhere else. */
#pragma once

#include "frontier/disk/disk.h"

/* Appends the key of a note; an empty name: of the frontier's. CRAWL_ENOMEM. */
crawl_err cw_disk_note_key(crawl_slice name, crawl_buf *key);

/* Calls each for every note whose name begins with prefix and comes after `after`, in the order of names, until a call
 * returns false. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_notes_walk(cw_disk_database *database, crawl_slice prefix, crawl_slice after, cw_each_note *each,
                             void *user, crawl_error *error);

/* The note functions of the store on disk (store.h). */
crawl_err cw_disk_notes_set(crawl_frontier *frontier, const crawl_note *notes, size_t count);
crawl_err cw_disk_notes_get(crawl_frontier *frontier, crawl_slice name, crawl_buf *note);
crawl_err cw_disk_notes_each(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after, cw_each_note *each,
                             void *user);
