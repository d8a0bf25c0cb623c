/* The writes of a settling: requests of the stage that are put under their names in the queue, and names that are
 * deleted there, sorted by name. Names and records stand here as bytes of their own, so that nobody need hold still
 * while they are written. */
#pragma once

#include "frontier/disk/disk_record.h"

enum {
    CW_CHANGE_PUT,
    CW_CHANGE_DELETE,       /* a record that was written once */
    CW_CHANGE_DELETE_MOVED, /* one that was written more than once */
    CW_CHANGE_GONE          /* nothing is to be put, nothing deleted: it was in the stage alone */
};

typedef struct cw_disk_change {
    cw_disk_queue_key name;
    uint8_t kind;
    bool over; /* nothing is to be put any more */
    uint32_t size;
    uint32_t parent_size;
    size_t at; /* of the record but for the parent, in texts; and that of the parent */
    size_t parent_at;
} cw_disk_change;

typedef struct cw_disk_changes {
    cw_disk_change *all;
    size_t count;
    size_t capacity;
    size_t puts;
    crawl_buf texts;
    uint64_t batch;   /* number of the record of the stage whose parent was put into texts last, */
    size_t parent_at; /* and where */
} cw_disk_changes;

/* A request, of a record of the stage with this number; those of one record come one after another. CRAWL_ENOMEM. */
crawl_err cw_disk_changes_put(cw_disk_changes *changes, cw_disk_queue_key name, crawl_slice record, crawl_slice parent,
                              uint64_t batch);
/* Any of the others. CRAWL_ENOMEM. */
crawl_err cw_disk_changes_add(cw_disk_changes *changes, cw_disk_queue_key name, uint8_t kind);
/* Once all are in: what is gone is over. */
void cw_disk_changes_sort(cw_disk_changes *changes);
/* The request that is to be put under this name, sorted; NULL: there is none. */
cw_disk_change *cw_disk_changes_find(const cw_disk_changes *changes, cw_disk_queue_key name);

/* The host of a change. */
uint32_t cw_disk_change_host(const cw_disk_change *change);

/* The record of a request as it stands in the queue, with its parent, into *out. CRAWL_ENOMEM. */
crawl_err cw_disk_changes_record(const cw_disk_changes *changes, const cw_disk_change *change, crawl_buf *out);

void cw_disk_changes_free(cw_disk_changes *changes);
