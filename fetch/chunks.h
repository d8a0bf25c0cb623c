/* The chunked transfer coding (RFC 9112, 7.1), taken off here and not by libcurl, which says of a broken one what it
 * says of a broken connection, in words that change with its versions, and reads extensions without end. libcurl keeps
 * an eye on it too, to know where the answer ends. Pure. */
#ifndef CW_FETCH_CHUNKS_H
#define CW_FETCH_CHUNKS_H

#include <crawl/base.h>

typedef enum cw_fetch_chunks_state {
    CW_CHUNKS_SIZE, /* hexadecimal digits */
    CW_CHUNKS_EXTENSION,
    CW_CHUNKS_DATA,
    CW_CHUNKS_DATA_END, /* the line end behind the data */
    CW_CHUNKS_TRAILER,
    CW_CHUNKS_TRAILER_END, /* a CR was read */
    CW_CHUNKS_DONE
} cw_fetch_chunks_state;

/* {0} is at the beginning. */
typedef struct cw_fetch_chunks {
    cw_fetch_chunks_state state;
    unsigned digits;
    uint64_t left;    /* of the chunk's data */
    size_t line;      /* bytes of this trailer so far */
    uint64_t besides; /* bytes of all extensions and trailers */
} cw_fetch_chunks;

/* Moves *in forward to the end of the next piece of data, which *data is set to; empty: there was none, and in is used
 * up. CRAWL_EPARSE: no chunks; CRAWL_FULL: a trailer longer than libcurl takes. */
crawl_err cw_fetch_chunks_next(cw_fetch_chunks *chunks, crawl_slice *in, crawl_slice *data);

#endif
