/* Records that wait to be written. A call gathers them, and the frontier writes them all at once before anybody is
 * told. */
#pragma once

#include "tools/serve/urlfrontier/service_record.h"

#include <crawl/frontier.h>

/* Maximum number of waiting records. More are written in several parts. */
#define CW_SERVICE_PENDING_MAX 1024u

typedef struct cw_service_pending {
    crawl_buf bytes;                         /* name and note of each, in sequence */
    uint32_t names[CW_SERVICE_PENDING_MAX];  /* size of each name */
    uint32_t notes[CW_SERVICE_PENDING_MAX];  /* size of each note */
    uint64_t prints[CW_SERVICE_PENDING_MAX]; /* first bytes of each fingerprint */
    size_t count;
    crawl_err failed; /* the first failure since the last end */
} cw_service_pending;

void cw_service_pending_free(cw_service_pending *pending);

/* Adds a record, and writes all if there are many. CRAWL_EINVAL: too large for a note. CRAWL_ENOMEM. Any other error is
 * of a write, and flush and end return it too. */
crawl_err cw_service_pending_add(cw_service_pending *pending, crawl_frontier *frontier, crawl_slice name,
                                 const crawl_fingerprint *fingerprint, const cw_service_record *record);
/* Returns true if a record of this fingerprint may be waiting. */
bool cw_service_pending_has(const cw_service_pending *pending, const crawl_fingerprint *fingerprint);

/* Writes all waiting records. CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM: some records added since the last end are not
 * stored. */
crawl_err cw_service_pending_flush(cw_service_pending *pending, crawl_frontier *frontier);
/* Does the same at the end of a call, and clears the failure for the next one. */
crawl_err cw_service_pending_end(cw_service_pending *pending, crawl_frontier *frontier);
