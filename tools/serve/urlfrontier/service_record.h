/* The record of a URL: when it came, when it may be handed out, whether it is out or over, and what its client said
 * of it. Records are notes of the frontier, under "#u", the key of the queue, a NUL and the URL; the frontier's
 * requests say no more than which record they are for. */
#pragma once

#include <crawl/base.h>

typedef struct cw_service_record {
    uint64_t version;   /* of the request in the frontier that stands for it; all others are stale. 0: none does */
    int64_t created_ms; /* since 1970 */
    int64_t date_ms;    /* not to be handed out before */
    int64_t leased_ms;  /* handed out until then; 0: not */
    bool completed;     /* never again, unless a client says so */
    crawl_slice info;   /* a packed URLInfo */
} cw_service_record;

#define CW_SERVICE_VERSION_SIZE 8u

/* Appends the name of the note. CRAWL_ENOMEM. */
crawl_err cw_service_record_name(crawl_slice key, crawl_slice url, crawl_buf *out);
/* The same of all URLs of a queue, as a beginning of names. */
crawl_err cw_service_record_prefix(crawl_slice key, crawl_buf *out);
/* The two parts of such a name. */
void cw_service_record_split(crawl_slice name, crawl_slice *key, crawl_slice *url);

/* Bytes of the note. */
size_t cw_service_record_size(const cw_service_record *record);
/* Appends it. CRAWL_ENOMEM. */
crawl_err cw_service_record_write(const cw_service_record *record, crawl_buf *out);
/* info is borrowed. CRAWL_ECORRUPT: it is none. */
crawl_err cw_service_record_read(crawl_slice note, cw_service_record *out);
