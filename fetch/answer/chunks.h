/* Removes the chunked transfer coding (RFC 9112, 7.1). libcurl could do this, but it reports broken chunks with the
 * same code as a broken connection and with words that change from version to version, and it reads extensions of any
 * length. libcurl still parses the chunks as well, to find the end of the answer. Pure: no clock, no socket, no global
 * data. */
#pragma once

#include <crawl/base.h>

typedef enum cw_fetch_chunks_state {
    CW_CHUNKS_SIZE, /* hexadecimal digits */
    CW_CHUNKS_EXTENSION,
    CW_CHUNKS_DATA,
    CW_CHUNKS_DATA_END, /* the line end after the data */
    CW_CHUNKS_TRAILER,
    CW_CHUNKS_TRAILER_END, /* a CR was read */
    CW_CHUNKS_DONE
} cw_fetch_chunks_state;

/* The position in a chunked body; {0} is its beginning. */
typedef struct cw_fetch_chunks {
    cw_fetch_chunks_state state;
    unsigned digits;
    uint64_t left;    /* bytes of the chunk's data still to come */
    size_t line;      /* bytes of the present trailer so far */
    uint64_t besides; /* bytes of all extensions and trailers */
} cw_fetch_chunks;

/* Finds the next piece of data in *in, sets *data to it, and moves *in past it. An empty *data means that *in is used
 * up. CRAWL_EPARSE: malformed chunks; CRAWL_FULL: a trailer exceeds libcurl's limit. */
crawl_err cw_fetch_chunks_next(cw_fetch_chunks *chunks, crawl_slice *in, crawl_slice *data);
