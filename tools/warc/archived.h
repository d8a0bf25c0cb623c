/* Reads archives: maps their files, finds answers in an index, and the HTTP message in the block of a response
 * record. */
#pragma once

#include <crawl/base.h>

/* Returns the name after the last slash. */
const char *cw_archived_name(const char *path);

/* Opens and maps a file. CRAWL_EIO, CRAWL_EINVAL: error names it. */
crawl_err cw_archived_map(const char *path, crawl_slice *out, crawl_error *error);

/* Looks for this URL at this time (empty: any), to the second, in sorted lines of an index. original: ignore revisit
 * records. CRAWL_ENOMEM. */
crawl_err cw_archived_answer(crawl_slice lines, crawl_slice url, crawl_slice date, bool original, bool *found);

typedef struct cw_archived {
    crawl_slice header; /* with its first line; empty: the block is no message */
    crawl_slice raw;    /* body as sent */
    crawl_slice body;   /* without chunks, with its content coding */
    int status;
} cw_archived;

/* Splits a block. room receives the body if it is chunked. CRAWL_ENOMEM. */
crawl_err cw_archived_read(crawl_slice block, crawl_buf *room, cw_archived *out);

/* Appends at most `most` bytes of the decoded body; fewer if it is damaged. CRAWL_ENOMEM. */
crawl_err cw_archived_decode(const cw_archived *message, size_t most, crawl_buf *out);
