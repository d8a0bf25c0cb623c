/* Reads the records of a WARC file as it lies in memory: gzip members of one record each, or plain records one after
 * the other. */
#pragma once

#include <crawl/base.h>

#include <zlib.h>

/* How much of a record tells its header and that of the message in it, for which fetch.max_header allows 16 MiB at
 * most. */
#define CW_WARC_HEAD_MAX ((size_t)17 << 20)

typedef struct cw_warc_reader {
    crawl_slice bytes; /* of the whole file, borrowed */
    size_t most;       /* bytes of a record that are kept at once: CW_WARC_HEAD_MAX, or SIZE_MAX for whole records */
    z_stream gzip;
    crawl_buf content; /* of the record at work, inflated */
} cw_warc_reader;

/* A record, borrowed from the reader until it reads the next one. */
typedef struct cw_warc_piece {
    uint64_t offset;
    uint64_t length;    /* in the file: of the gzip member, or of the record with the two line ends behind it */
    crawl_slice header; /* the lines from "WARC/1.1" on, with their ends */
    crawl_slice block;  /* as much of it as was kept */
    bool is_cut;        /* the file ends within it */
    const char *fault;  /* why it is none, in words; NULL: it is whole */
} cw_warc_piece;

/* The bytes of an open file. CRAWL_EINVAL: it is no regular one. CRAWL_EIO. error names path. */
crawl_err cw_warc_map(int file, const char *path, crawl_slice *out, crawl_error *error);
void cw_warc_unmap(crawl_slice bytes);

/* CRAWL_ENOMEM. To be closed whatever it returns. */
crawl_err cw_warc_reader_open(cw_warc_reader *reader, crawl_slice bytes, size_t most);
void cw_warc_reader_close(cw_warc_reader *reader);

/* Does the file consist of gzip members? */
bool cw_warc_reader_is_gzip(const cw_warc_reader *reader);

/* Reads the record at offset. CRAWL_ECORRUPT: there is no whole one; out->fault says why. CRAWL_ENOMEM. */
crawl_err cw_warc_read(cw_warc_reader *reader, uint64_t offset, cw_warc_piece *out);

/* The next place behind offset at which a record begins; the file's size: there is none. Of the content nothing is kept
 * then. */
uint64_t cw_warc_next_record(cw_warc_reader *reader, uint64_t offset);

/* Cuts the lines of a header off *rest, with the empty one that ends it, which is not returned. Empty: there is none.
 */
crawl_slice cw_warc_cut_header(crawl_slice *rest);

/* The first value of that name, in any case; empty: there is none. */
crawl_slice cw_warc_field_of(crawl_slice header, const char *wanted);

/* The same of a URI, which WARC/1.0 puts in angle brackets. */
crawl_slice cw_warc_uri_of(crawl_slice header, const char *wanted);

/* The status in a line such as "HTTP/1.1 200 OK"; 0: there is none. */
int cw_warc_status_of(crawl_slice line);
