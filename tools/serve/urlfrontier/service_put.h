/* URLs put by clients: found ones, and known ones with the date of their next visit. */
#pragma once

#include "tools/serve/urlfrontier/service.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

typedef Urlfrontier__AckMessage__Status cw_service_status;

typedef struct cw_service_item {
    const Urlfrontier__URLInfo *info; /* NULL: missing from the message */
    bool known;                       /* has a date */
    uint64_t date_s;                  /* of the next visit, since 1970; 0: never */
    cw_service_status status;         /* the answer */
    /* Filled by cw_service_put: */
    cw_service_crawl *crawl;
    cw_service_queue *queue;
    crawl_fingerprint fingerprint;
    uint64_t version;
    char memo[CW_SERVICE_VERSION_SIZE];
} cw_service_item;

/* Maximum length of a URL. A longer one is skipped: nobody serves such a page, and one could fill a whole listing. */
#define CW_SERVICE_URL_MAX 65536u

/* Takes items in order. Consecutive found ones are a single write of the frontier. */
void cw_service_put(cw_service *service, cw_service_item *items, size_t count);
