/* The stage: pushed requests on disk in order of arrival, a record per batch, not yet under their keys in the queue.
 * Putting each one there at once would be a separate insertion at its own place; many at once, sorted, cost a fraction.
 * Until then they are in memory, in the queues of their hosts.
 *
 *   push      batch -> stage (disk), queues (memory)
 *   done      -> log of done requests (disk)
 *   settling  stage and log -> queue (disk), sorted
 *
 * While a thread settles, pushes fill a second stage: all records beyond a number, the boundary, belong to it. In
 * memory a flag marks each request with its stage; the two stages alternate between two flags.
 *
 * After a crash the rest of both is read again. settle.c settles, leftover.c reads. */
#pragma once

#include "frontier/disk/database.h"
#include "frontier/disk/disk_record.h"

#define CW_DISK_STAGE_BYTES ((uint64_t)48 << 20)     /* memory of the requests in a stage before it is settled */
#define CW_DISK_STAGE_BATCH_MAX ((uint64_t)16 << 20) /* bytes of a batch; a larger one goes directly into the queue */

typedef struct cw_disk_stage {
    uint64_t count;    /* of requests in memory and in either stage; */
    uint64_t bytes[2]; /* memory of the requests in each */
    uint64_t limit;    /* of bytes of the stage being filled */
    uint64_t batch;    /* number of the last record or batch */
    uint64_t settled;  /* all records up to this number are settled */
    bool odd;          /* which stage is being filled */
} cw_disk_stage;

/* Returns the flag of requests in the stage being filled. */
static inline uint8_t cw_disk_stage_flag(const cw_disk_stage *stage)
{
    return stage->odd ? CW_ITEM_STAGED_ODD : CW_ITEM_STAGED_EVEN;
}

/* Returns the flag of requests in the other stage. */
static inline uint8_t cw_disk_stage_settling_flag(const cw_disk_stage *stage)
{
    return stage->odd ? CW_ITEM_STAGED_EVEN : CW_ITEM_STAGED_ODD;
}

/* The record of a batch: a head, then each request. The room functions return the most bytes of each. */
size_t cw_disk_stage_room(const cw_frontier_item *item);
size_t cw_disk_stage_head_room(size_t parent_size);
char *cw_disk_stage_write_head(char *to, const cw_frontier_parent *parent);
char *cw_disk_stage_write_request(char *to, cw_disk_queue_key name, const cw_frontier_item *item);
/* The record of a request that is no longer in the stage. */
#define CW_DISK_STAGE_GONE_SIZE (1 + CW_DISK_QUEUE_KEY_SIZE)
void cw_disk_stage_write_gone(char *to, cw_disk_queue_key name);

/* Reads a record: calls each for every request of a batch with its record without the parent, or for the gone request
 * with an empty record. CRAWL_ECORRUPT: not a stage record. An error from a call ends it. */
typedef crawl_err cw_each_staged(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user);
crawl_err cw_disk_stage_read(crawl_slice record, cw_each_staged *each, void *user);

/* Reads all records on disk numbered beyond `beyond` up to `last`; *number is the current record, and in the end the
 * last one. CRAWL_EIO, CRAWL_ECORRUPT, or a call's error. */
crawl_err cw_disk_stage_walk(cw_disk_database *database, uint64_t beyond, uint64_t last, uint64_t *number,
                             cw_each_staged *each, void *user, crawl_error *error);
