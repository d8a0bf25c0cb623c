/* Reads the records of a WARC file in memory: gzip members of one record each, or uncompressed records one after the
 * other. */
#pragma once

#include <crawl/base.h>

#include <zlib.h>

/* Enough of a record for its header and that of the message in it, which fetch.max_header limits to 16 MiB. */
#define CW_WARC_HEAD_MAX ((size_t)17 << 20)

typedef struct cw_warc_reader {
    crawl_slice bytes; /* the whole file, borrowed */
    size_t most;       /* bytes kept of a record: CW_WARC_HEAD_MAX, or SIZE_MAX for whole records */
    z_stream gzip;
    crawl_buf content; /* of the present record, inflated */
} cw_warc_reader;

/* A record, borrowed from the reader until the next one is read. */
typedef struct cw_warc_piece {
    uint64_t offset;
    uint64_t length;    /* in the file: of the gzip member, or of the record with the two line ends after it */
    crawl_slice header; /* lines from "WARC/1.1" on, with their ends */
    crawl_slice block;  /* as much as was kept */
    bool is_cut;        /* the file ends within it */
    const char *fault;  /* why it is not a whole record, in words; NULL: it is */
} cw_warc_piece;

/* Maps an open file. CRAWL_EINVAL: not a regular file. CRAWL_EIO. error names path. */
crawl_err cw_warc_map(int file, const char *path, crawl_slice *out, crawl_error *error);
void cw_warc_unmap(crawl_slice bytes);

/* CRAWL_ENOMEM. Must be closed whatever it returns. */
crawl_err cw_warc_reader_open(cw_warc_reader *reader, crawl_slice bytes, size_t most);
void cw_warc_reader_close(cw_warc_reader *reader);

/* Returns true if the file consists of gzip members. */
bool cw_warc_reader_is_gzip(const cw_warc_reader *reader);

/* Reads the record at offset. CRAWL_ECORRUPT: no whole record; out->fault says why. CRAWL_ENOMEM. */
crawl_err cw_warc_read(cw_warc_reader *reader, uint64_t offset, cw_warc_piece *out);

/* Returns the next offset at which a record begins; the file's size: none. Keeps no content. */
uint64_t cw_warc_next_record(cw_warc_reader *reader, uint64_t offset);

/* Cuts the lines of a header off *rest, and the blank line that ends it, which is not returned. Empty: none. */
crawl_slice cw_warc_cut_header(crawl_slice *rest);
/* Does the same for an HTTP message, whose lines may end in LF. If it ends before the blank line, all is header. */
crawl_slice cw_warc_cut_message(crawl_slice *rest);

/* Returns the first value of that name, ignoring case. Empty: none. */
crawl_slice cw_warc_field_of(crawl_slice header, const char *wanted);

/* Does the same for a URI, which WARC/1.0 puts in angle brackets. */
crawl_slice cw_warc_uri_of(crawl_slice header, const char *wanted);

/* Returns the status of a line such as "HTTP/1.1 200 OK"; 0: none. */
int cw_warc_status_of(crawl_slice line);
