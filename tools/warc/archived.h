/* Reads archives: maps their files, finds answers in an index, and the message of HTTP in the block of a response
 * record. */
#pragma once

#include <crawl/base.h>

/* The name behind the last slash. */
const char *cw_archived_name(const char *path);

/* Opens and maps a file. CRAWL_EIO, CRAWL_EINVAL: error names it. */
crawl_err cw_archived_map(const char *path, crawl_slice *out, crawl_error *error);

/* Do sorted lines of an index have this URL at this time (empty: at any), to the second? original: in a record that is
 * no revisit. CRAWL_ENOMEM. */
crawl_err cw_archived_answer(crawl_slice lines, crawl_slice url, crawl_slice date, bool original, bool *found);

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
