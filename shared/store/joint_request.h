/* A request as the bytes that stand for it in Redis: the fixed fields of an item, the page that it was found on, and
 * its tail. The origin is not in it: whoever has the bytes knows whose they are. */
#ifndef CW_FRONTIER_SHARED_REQUEST_H
#define CW_FRONTIER_SHARED_REQUEST_H

#include "frontier/hosts/item.h"

/* Appends the bytes. retries: those that they are to say. CRAWL_ENOMEM: unchanged. */
crawl_err cw_joint_request_write(const cw_frontier_item *item, crawl_slice parent, uint16_t retries, crawl_buf *out);

/* The item, with its parent where it has one. CRAWL_ECORRUPT: these bytes are no request. CRAWL_ENOMEM. */
crawl_err cw_joint_request_read(crawl_slice bytes, cw_frontier_item **out);

#endif
