/* Bodies written to WARC files, in this run and earlier ones. When a body comes again, a revisit record is written that
 * names the record with the body. Originals are kept in memory and, if there is an engine with a directory, in its
 * notes. */
#pragma once

#include "base/files/note_log.h"
#include "base/map.h"
#include "crawler/output/warc/warc_record.h"

#include <crawl/engine.h>

#include <pthread.h>

/* The response record that a revisit record refers to. It never changes, and lives as long as the originals. */
typedef struct cw_warc_original {
    struct cw_warc_original *next;
    crawl_fingerprint digest; /* of the body; for a revisit record, its cw_warc_exchange_date_key */
    cw_warc_id id;            /* of the response record; empty: unknown */
    cw_date date;             /* of the response record */
    size_t url_size;
    char url[];
} cw_warc_original;

/* Thread-safe, except for open and close. */
typedef struct cw_warc_originals {
    pthread_mutex_t lock;
    cw_map *map; /* digest -> original */
    cw_warc_original *all;
    size_t count;
    cw_note_log log;
} cw_warc_originals;

/* Opens the originals. engine: its notes have those of earlier runs; NULL: none. Errors as those of crawl_engine_notes;
 * CRAWL_ENOMEM. */
crawl_err cw_warc_originals_open(cw_warc_originals *originals, crawl_engine *engine);
/* Call whatever cw_warc_originals_open has returned. */
void cw_warc_originals_close(cw_warc_originals *originals);

/* Returns the original with this body. NULL: no such body was written. */
const cw_warc_original *cw_warc_originals_find(cw_warc_originals *originals, const crawl_fingerprint *digest);

/* Adds an original; call when a response record with this body is written. *made: the new original; NULL: the body was
 * known, or there are CRAWL_WARC_MAX_ORIGINALS. CRAWL_ENOMEM. */
crawl_err cw_warc_originals_add(cw_warc_originals *originals, const cw_warc_original *fields, crawl_slice url,
                                const cw_warc_original **made);
/* Adds the answers with SHA-1 digests from an index in CDXJ, perhaps with gzip. CRAWL_EPARSE: a line is not CDXJ.
 * CRAWL_EIO. error names the file and the line. CRAWL_ENOMEM. */
crawl_err cw_warc_originals_of_index(cw_warc_originals *originals, const char *path, crawl_error *error);

/* Keep an original for later runs; flush writes those kept since the last flush. Errors as those of
 * crawl_engine_note_set. */
crawl_err cw_warc_originals_keep(cw_warc_originals *originals, const cw_warc_original *one);
crawl_err cw_warc_originals_flush(cw_warc_originals *originals);
