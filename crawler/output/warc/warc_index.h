/* A line of the index of a WARC file, in CDXJ: the key of the URL, the time, and the place of the record. */
#pragma once

#include "crawler/output/warc/warc_file.h"
#include "crawler/output/warc/warc_reader.h"

/* The parts of a line. The texts are verbatim, and are escaped here. */
typedef struct cw_warc_entry {
    crawl_slice url;
    crawl_slice date;         /* "2026-01-31T23:59:59.123Z" */
    crawl_slice content_type; /* of the answer; empty: none */
    bool is_revisit;
    int status;
    crawl_slice digest; /* of the payload in base32; "-": unknown */
    uint64_t length;    /* of the member */
    uint64_t offset;    /* of the member, in its file */
    crawl_slice file;   /* name of the file */
} cw_warc_entry;

/* Appends the beginning of a line: the URL as its key, a space, and the date as digits, to the second. Errors as those
 * of crawl_text_canonical. */
crawl_err cw_warc_index_key(crawl_slice url, crawl_slice date, crawl_buf *out);

/* Appends the line without its end. CRAWL_ENOMEM. */
crawl_err cw_warc_index_line(const cw_warc_entry *entry, crawl_buf *out);

/* Changes the last line, if it is that of this URL at this date, to say how it was asked for. The method, unless it is
 * GET, and a form are also parts of the key, as readers expect. For HEAD, whose answer shows nothing, the line is
 * removed. request: as on the wire. CRAWL_ENOMEM. */
crawl_err cw_warc_index_ask(cw_warc_index *index, crawl_slice url, crawl_slice date, crawl_slice request);

/* Adds the line of a response or revisit record in the file of that name, or changes it by the request record that
 * follows. Other records change nothing. CRAWL_ENOMEM. */
crawl_err cw_warc_index_record(cw_warc_index *index, const cw_warc_piece *record, crawl_slice file);
