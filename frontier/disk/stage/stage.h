/* The stage: requests that were pushed and stand on disk in the order they came, a record for each batch, not yet under
 * their keys in the queue. To put each one there at once would be an insertion at a place of its own; many at once,
 * sorted, cost a fraction. Until then they are in memory, in the queues of their hosts.
 *
 *   push      batch -> stage (disk), queues (memory)
 *   done      -> log of what is done (disk)
 *   settling  stage and log -> queue (disk), sorted
 *
 * While a thread settles, pushes fill another stage: all records beyond a number, the boundary, are of that one. In
 * memory a flag says of each request in which of the two it is; they take turns with two flags.
 *
 * After a crash what is left of both is read again. settle.c settles, leftover.c reads. */
#pragma once

#include "frontier/disk/database.h"
#include "frontier/disk/disk_record.h"

#define CW_DISK_STAGE_BYTES ((uint64_t)48 << 20)     /* memory of the requests in a stage before they are settled */
#define CW_DISK_STAGE_BATCH_MAX ((uint64_t)16 << 20) /* bytes of a batch; a larger one goes into the queue at once */

typedef struct cw_disk_stage {
    uint64_t count;    /* of requests in memory and in either stage; */
    uint64_t bytes[2]; /* the memory of those in each */
    uint64_t limit;    /* of bytes of the one that is being filled */
    uint64_t batch;    /* number of the last record or batch */
    uint64_t settled;  /* all records up to this number are settled */
    bool odd;          /* which stage is being filled */
} cw_disk_stage;

/* The flag of requests in the stage that is being filled. */
static inline uint8_t cw_disk_stage_flag(const cw_disk_stage *stage)
{
    return stage->odd ? CW_ITEM_STAGED_ODD : CW_ITEM_STAGED_EVEN;
}

/* The flag of those in the other one. */
static inline uint8_t cw_disk_stage_settling_flag(const cw_disk_stage *stage)
{
    return stage->odd ? CW_ITEM_STAGED_EVEN : CW_ITEM_STAGED_ODD;
}

/* The record of a batch: a head, then each request. Bytes each takes at most, and what is written. */
size_t cw_disk_stage_room(const cw_frontier_item *item);
size_t cw_disk_stage_head_room(size_t parent_size);
char *cw_disk_stage_write_head(char *to, const cw_frontier_parent *parent);
char *cw_disk_stage_write_request(char *to, cw_disk_queue_key name, const cw_frontier_item *item);
/* The record that says that a request is in the stage no more. */
#define CW_DISK_STAGE_GONE_SIZE (1 + CW_DISK_QUEUE_KEY_SIZE)
void cw_disk_stage_write_gone(char *to, cw_disk_queue_key name);

/* A record read: calls for each request of a batch with its record but for the parent, or for the request that is gone,
 * with an empty one. CRAWL_ECORRUPT: is none. The answer of a call ends it. */
typedef crawl_err cw_each_staged(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user);
crawl_err cw_disk_stage_read(crawl_slice record, cw_each_staged *each, void *user);

/* The same of all records on disk with a number beyond this one, up to the other; *number is that of the one under way,
 * and in the end that of the last. CRAWL_EIO, CRAWL_ECORRUPT, or what a call answered. */
crawl_err cw_disk_stage_walk(cw_disk_database *database, uint64_t beyond, uint64_t last, uint64_t *number,
                             cw_each_staged *each, void *user, crawl_error *error);
