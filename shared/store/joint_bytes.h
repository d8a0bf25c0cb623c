/* The bytes of a joint frontier in Redis: requests, which travel as links, and records of hosts. */
#pragma once

#include "frontier/hosts/item.h"
#include "shared/protocol/shared.h"

/* A request: the fixed fields of an item, the page that it was found on, and its tail, but not its origin, which the
 * holder of the bytes knows. */

/* Appends the bytes. retries: the number to write. CRAWL_ENOMEM: unchanged. */
crawl_err cw_joint_request_write(const cw_frontier_item *item, crawl_slice parent, uint16_t retries, crawl_buf *out);

/* Makes the item, with its parent if it has one. CRAWL_ECORRUPT: these bytes are not a request. CRAWL_ENOMEM. */
crawl_err cw_joint_request_read(crawl_slice bytes, cw_frontier_item **out);

/* A request on its way to the outbox. Free with cw_joint_links_free. */
typedef struct cw_joint_link {
    struct cw_joint_link *next;
    cw_shared_request request; /* its texts follow the struct */
    size_t size;               /* of the struct with its texts */
    uint8_t print[CW_SHARED_PRINT];
    char texts[];
} cw_joint_link;

/* bytes: of the request. NULL: out of memory. */
cw_joint_link *cw_joint_link_make(const crawl_request *request, crawl_slice origin, crawl_slice bytes, uint64_t level);
cw_joint_link *cw_joint_link_copy(const cw_joint_link *link);
void cw_joint_links_free(cw_joint_link *first);

/* The record of a host in Redis. */
typedef struct cw_joint_record {
    int64_t block_ms; /* end of the block by the server's clock; 0: no block */
    int64_t pause_ms; /* -1: the default pause of the frontier */
    uint16_t share;   /* at least 1 */
    crawl_slice note; /* of the origin; after reading, a slice of the record's bytes */
} cw_joint_record;

/* Appends the record. CRAWL_ENOMEM. */
crawl_err cw_joint_record_write(const cw_joint_record *record, crawl_buf *out);
/* Reads a record. Empty bytes are the record of a host that nobody had yet. False: not our format. */
bool cw_joint_record_read(crawl_slice bytes, cw_joint_record *out);
