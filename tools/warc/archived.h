/* The message of HTTP in the block of a response record. */
#ifndef CW_ARCHIVED_H
#define CW_ARCHIVED_H

#include <crawl/base.h>

typedef struct cw_archived {
    crawl_slice header; /* with its first line; empty: the block is no message */
    crawl_slice raw;    /* the body as it was sent */
    crawl_slice body;   /* without chunks, in its content coding */
    int status;
} cw_archived;

/* room has the body where it came in chunks. CRAWL_ENOMEM. */
crawl_err cw_archived_read(crawl_slice block, crawl_buf *room, cw_archived *out);

/* Appends at most `most` bytes of the body, decoded; less where it is damaged. CRAWL_ENOMEM. */
crawl_err cw_archived_decode(const cw_archived *message, size_t most, crawl_buf *out);

#endif
