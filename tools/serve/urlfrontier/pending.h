/* Records that wait to be written: a call gathers them, and all leave in one write of the frontier before anybody is
 * told. */
#pragma once

#include "tools/serve/urlfrontier/service_record.h"

#include <crawl/frontier.h>

/* Records that wait at most; those of more items are written in parts. */
#define CW_SERVICE_PENDING_MAX 1024u

typedef struct cw_service_pending {
    crawl_buf bytes;                         /* name and note of each, one behind the other */
    uint32_t names[CW_SERVICE_PENDING_MAX];  /* bytes of the name, */
    uint32_t notes[CW_SERVICE_PENDING_MAX];  /* and of the note */
    uint64_t prints[CW_SERVICE_PENDING_MAX]; /* the first bytes of the fingerprint */
    size_t count;
    crawl_err failed; /* the first failure since the last end */
} cw_service_pending;

void cw_service_pending_free(cw_service_pending *pending);

/* Adds a record, and writes all where there are many. CRAWL_EINVAL: it is too large for a note. CRAWL_ENOMEM. Any other
 * error is of a write, and flush and end answer it too. */
crawl_err cw_service_pending_add(cw_service_pending *pending, crawl_frontier *frontier, crawl_slice name,
                                 const crawl_fingerprint *fingerprint, const cw_service_record *record);
/* May a record of this fingerprint wait? */
bool cw_service_pending_has(const cw_service_pending *pending, const crawl_fingerprint *fingerprint);

/* Writes what waits. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some that were added since the last end are not kept. */
crawl_err cw_service_pending_flush(cw_service_pending *pending, crawl_frontier *frontier);
/* The same at the end of a call, of which the next one then knows nothing. */
crawl_err cw_service_pending_end(cw_service_pending *pending, crawl_frontier *frontier);
