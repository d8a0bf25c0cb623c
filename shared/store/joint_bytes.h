/* The bytes of a joint frontier in Redis: requests, on their way there as links, and the record of a host. */
#pragma once

#include "frontier/hosts/item.h"
#include "shared/protocol/shared.h"

/* A request: the fixed fields of an item, the page that it was found on, and its tail. The origin is not in it: whoever
 * has the bytes knows whose they are. */

/* Appends the bytes. retries: those that they are to say. CRAWL_ENOMEM: unchanged. */
crawl_err cw_joint_request_write(const cw_frontier_item *item, crawl_slice parent, uint16_t retries, crawl_buf *out);

/* The item, with its parent where it has one. CRAWL_ECORRUPT: these bytes are no request. CRAWL_ENOMEM. */
crawl_err cw_joint_request_read(crawl_slice bytes, cw_frontier_item **out);

/* A request on its way to the outbox. To be freed. */
typedef struct cw_joint_link {
    struct cw_joint_link *next;
    cw_shared_request request; /* its texts stand behind it */
    size_t size;               /* of all */
    uint8_t print[CW_SHARED_PRINT];
    char texts[];
} cw_joint_link;

/* bytes: those of the request. NULL: no memory. */
cw_joint_link *cw_joint_link_make(const crawl_request *request, crawl_slice origin, crawl_slice bytes, uint64_t level);
cw_joint_link *cw_joint_link_copy(const cw_joint_link *link);
void cw_joint_links_free(cw_joint_link *first);

/* The record of a host in Redis. */
typedef struct cw_joint_record {
    int64_t block_ms; /* until, by the server's clock; 0: no block */
    int64_t pause_ms; /* -1: the frontier's */
    uint16_t share;   /* 1 and up */
    crawl_slice note; /* of the origin; of one that was read, within its bytes */
} cw_joint_record;

/* Appends it. CRAWL_ENOMEM. */
crawl_err cw_joint_record_write(const cw_joint_record *record, crawl_buf *out);
/* An empty one is that of a host that nobody had yet. False: it is none of ours. */
bool cw_joint_record_read(crawl_slice bytes, cw_joint_record *out);
