/* The stage: requests that were pushed and stand on disk in the order they came, a record for each batch, not yet under
 * their keys in the queue. To put each one there at once would be an insertion at a place of its own; many at once,
 * sorted, cost a fraction. Until then they are in memory, in the queues of their hosts.
 *
 *   push      batch -> stage (disk), queues (memory)
 *   done      -> log of what is done (disk)
 *   settling  stage and log -> queue (disk), all in one write, sorted; both begin anew
 *
 * After a crash both are read again. settle.c settles, leftover.c reads. */
#ifndef CW_FRONTIER_STAGE_H
#define CW_FRONTIER_STAGE_H

#include "frontier/disk/record.h"

#define CW_DISK_STAGE_BYTES ((uint64_t)48 << 20)     /* memory of the requests in the stage before they are settled */
#define CW_DISK_STAGE_BATCH_MAX ((uint64_t)16 << 20) /* bytes of a batch; a larger one goes into the queue at once */

typedef struct cw_disk_stage {
    cw_frontier_host **hosts; /* that have, or had, requests in the stage */
    uint32_t listed;
    uint32_t capacity;
    uint64_t count; /* of requests in memory and in the stage; */
    uint64_t bytes; /* their memory */
    uint64_t limit; /* of bytes */
    uint64_t batch; /* number of the last record or batch */
} cw_disk_stage;

/* Room in the list for so many hosts more. CRAWL_ENOMEM. */
crawl_err cw_disk_stage_reserve(cw_disk_stage *stage, cw_frontier_memory *memory, size_t more);
/* Lists the host if it is not; there is room. */
void cw_disk_stage_list(cw_disk_stage *stage, cw_frontier_host *host);

/* The record of a batch: a head, then each request. Bytes each takes at most, and what is written. */
size_t cw_disk_stage_room(const cw_frontier_item *item);
size_t cw_disk_stage_head_room(size_t parent_size);
char *cw_disk_stage_write_head(char *to, const cw_frontier_parent *parent);
char *cw_disk_stage_write_request(char *to, cw_disk_queue_key name, const cw_frontier_item *item);
/* The record that says that a request is in the stage no more. */
#define CW_DISK_STAGE_GONE_SIZE (1 + CW_DISK_QUEUE_KEY_SIZE)
void cw_disk_stage_write_gone(char *to, cw_disk_queue_key name);

/* A record read: calls for each request of a batch with its record but for the parent, or for the request that is gone,
 * with an empty one. CRAWL_ECORRUPT: is none. What a call answers ends it. */
typedef crawl_err cw_each_staged(cw_disk_queue_key name, crawl_slice record, crawl_slice parent, void *user);
crawl_err cw_disk_stage_read(crawl_slice record, cw_each_staged *each, void *user);

#endif
