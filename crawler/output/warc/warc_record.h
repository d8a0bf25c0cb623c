/* One WARC record: its header lines, its block and its digests, as a gzip member. */
#pragma once

#include "base/date.h"
#include "base/writer.h"

#include <crawl/fingerprint.h>

#include <zlib.h>

/* A record identifier: "urn:uuid:" and a UUID (RFC 9562) of version 4, random or derived from a secret. */
typedef struct cw_warc_id {
    char text[46];
} cw_warc_id;

#define CW_WARC_SECRET_SIZE 16

/* Makes random bytes that nobody can guess. CRAWL_EIO: the system has no random numbers. */
crawl_err cw_warc_secret_make(unsigned char secret[CW_WARC_SECRET_SIZE]);

/* Buffers and compressor for making records, one after the other. Single-threaded. */
typedef struct cw_warc_press {
    z_stream gzip;
    crawl_fingerprinter *sha1;
    crawl_buf head_text;  /* of the present record: version and fields */
    crawl_buf block_text; /* of the present record */
    cw_writer head;       /* writes to head_text */
    cw_writer block;      /* writes to block_text */
    crawl_buf out;        /* finished members, one after the other */
} cw_warc_press;

crawl_err cw_warc_press_create(cw_warc_press **out);
void cw_warc_press_free(cw_warc_press *press);

/* Derives the identifier of number from this secret: always the same one. CRAWL_ENOMEM. */
crawl_err cw_warc_id_of(cw_warc_press *press, const unsigned char secret[CW_WARC_SECRET_SIZE], uint64_t number,
                        cw_warc_id *id);

/* Begins a record: clears head and block. type: "response", ...; id NULL: a new one. cw_warc_end returns later
 * failures. */
void cw_warc_begin(cw_warc_press *press, const char *type, const cw_warc_id *id, const cw_date *date);
/* Adds "Name: value". Omits line ends and NULs in value. */
void cw_warc_field(cw_warc_press *press, const char *name, crawl_slice value);
void cw_warc_field_text(cw_warc_press *press, const char *name, const char *value);
void cw_warc_field_id(cw_warc_press *press, const char *name, const cw_warc_id *id); /* in angle brackets */
void cw_warc_field_digest(cw_warc_press *press, const char *name, const crawl_fingerprint *digest);
/* Ends the record: adds digest and length of the block, and appends the member to out. CRAWL_ENOMEM; CRAWL_EIO: the
 * system has no random numbers for its identifier. */
crawl_err cw_warc_end(cw_warc_press *press);

/* Appends the data of a body in chunked coding (RFC 9112, 7.1), as far as it is valid. */
crawl_err cw_warc_dechunk(crawl_slice body, crawl_buf *out);
