/* The writes of a settling: requests of the stage to put under their names in the queue, and names to delete there,
 * sorted by name. Names and records are copies, so that nothing else need be locked while they are written. */
#pragma once

#include "frontier/disk/disk_record.h"

enum {
    CW_CHANGE_PUT,
    CW_CHANGE_DELETE,       /* a record that was written once */
    CW_CHANGE_DELETE_MOVED, /* one that was written more than once */
    CW_CHANGE_GONE          /* nothing to put or delete: the request was only in the stage */
};

typedef struct cw_disk_change {
    cw_disk_queue_key name;
    uint8_t kind;
    bool over; /* no longer to be put */
    uint32_t size;
    uint32_t parent_size;
    size_t at; /* offset in texts of the record without its parent; parent_at: of the parent */
    size_t parent_at;
} cw_disk_change;

typedef struct cw_disk_changes {
    cw_disk_change *all;
    size_t count;
    size_t capacity;
    size_t puts;
    crawl_buf texts;
    uint64_t batch;   /* number of the stage record whose parent was added to texts last, */
    size_t parent_at; /* and its offset */
} cw_disk_changes;

/* Adds a request from the stage record with this number; requests of one record must come one after another.
 * CRAWL_ENOMEM. */
crawl_err cw_disk_changes_put(cw_disk_changes *changes, cw_disk_queue_key name, crawl_slice record, crawl_slice parent,
                              uint64_t batch);
/* Adds a change of any other kind. CRAWL_ENOMEM. */
crawl_err cw_disk_changes_add(cw_disk_changes *changes, cw_disk_queue_key name, uint8_t kind);
/* Sorts all changes, and marks gone requests as over. Call once all are added. */
void cw_disk_changes_sort(cw_disk_changes *changes);
/* Returns the request to put under this name; the changes must be sorted. NULL: there is none. */
cw_disk_change *cw_disk_changes_find(const cw_disk_changes *changes, cw_disk_queue_key name);

/* Returns the host of a change. */
uint32_t cw_disk_change_host(const cw_disk_change *change);

/* Writes the record of a request as the queue stores it, with its parent, to *out. CRAWL_ENOMEM. */
crawl_err cw_disk_changes_record(const cw_disk_changes *changes, const cw_disk_change *change, crawl_buf *out);

void cw_disk_changes_free(cw_disk_changes *changes);
