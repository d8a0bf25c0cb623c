/* Bodies that were written to WARC files, in this run and in earlier ones. When a body comes again, a revisit record is
 * written, which names the record that has the body. Originals are kept in memory and, where there is an engine with a
 * directory, in its notes. */
#pragma once

#include "base/files/note_log.h"
#include "base/map.h"
#include "crawler/output/warc/warc_record.h"

#include <crawl/engine.h>

#include <pthread.h>

/* The response record that a revisit record refers to. It never changes, and lives as long as the originals. */
typedef struct cw_warc_original {
    struct cw_warc_original *next;
    crawl_fingerprint digest; /* of the body */
    cw_warc_id id;            /* of the response record; empty: not known */
    cw_date date;             /* of the response record */
    size_t url_size;
    char url[];
} cw_warc_original;

/* Thread-safe but for open and close. */
typedef struct cw_warc_originals {
    pthread_mutex_t lock;
    cw_map *map; /* digest -> original */
    cw_warc_original *all;
    size_t count;
    cw_note_log log;
} cw_warc_originals;

/* engine: in its notes are the originals of earlier runs; NULL: there are none. Errors as those of crawl_engine_notes;
 * CRAWL_ENOMEM. */
crawl_err cw_warc_originals_open(cw_warc_originals *originals, crawl_engine *engine);
/* To be called whatever cw_warc_originals_open has returned. */
void cw_warc_originals_close(cw_warc_originals *originals);

/* The original with this body; NULL: no such body was written. */
const cw_warc_original *cw_warc_originals_find(cw_warc_originals *originals, const crawl_fingerprint *digest);

/* To be called when a response record with this body is written. *made: the new original; NULL: the body was known, or
 * there are CRAWL_WARC_MAX_ORIGINALS already. CRAWL_ENOMEM. */
crawl_err cw_warc_originals_add(cw_warc_originals *originals, const cw_warc_original *fields, crawl_slice url,
                                const cw_warc_original **made);
/* Adds the answers of an index in the form CDXJ, or in gzip, whose digests are SHA-1. CRAWL_EPARSE: a line is none.
 * CRAWL_EIO. error names the file and the line. CRAWL_ENOMEM. */
crawl_err cw_warc_originals_of_index(cw_warc_originals *originals, const char *path, crawl_error *error);

/* Keeps the original for later runs. flush writes down those that were kept since the last flush. Errors as those of
 * crawl_engine_note_set. */
crawl_err cw_warc_originals_keep(cw_warc_originals *originals, const cw_warc_original *one);
crawl_err cw_warc_originals_flush(cw_warc_originals *originals);
