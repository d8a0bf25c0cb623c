/* The record of a URL: when it was added, when it may be handed out, whether it is out or completed, and its client's
 * data. Records are notes of the frontier, named "#u", the key of the queue, a NUL and the URL. The frontier's requests
 * tell only which record they are for. */
#pragma once

#include <crawl/base.h>

typedef struct cw_service_record {
    uint64_t version;   /* of the request in the frontier that stands for it; others are stale. 0: none */
    int64_t created_ms; /* since 1970 */
    int64_t date_ms;    /* not handed out before */
    int64_t leased_ms;  /* handed out until then; 0: not out */
    bool completed;     /* not handed out again unless a client asks for it */
    crawl_slice info;   /* a packed URLInfo */
} cw_service_record;

#define CW_SERVICE_VERSION_SIZE 8u

/* Appends the name of the note. CRAWL_ENOMEM. */
crawl_err cw_service_record_name(crawl_slice key, crawl_slice url, crawl_buf *out);
/* Appends the prefix of the names of all URLs in a queue. CRAWL_ENOMEM. */
crawl_err cw_service_record_prefix(crawl_slice key, crawl_buf *out);
/* Splits such a name. */
void cw_service_record_split(crawl_slice name, crawl_slice *key, crawl_slice *url);

/* Returns the size of the note. */
size_t cw_service_record_size(const cw_service_record *record);
/* Appends the note. CRAWL_ENOMEM. */
crawl_err cw_service_record_write(const cw_service_record *record, crawl_buf *out);
/* Reads a note. info is borrowed. CRAWL_ECORRUPT: not a record. */
crawl_err cw_service_record_read(crawl_slice note, cw_service_record *out);
