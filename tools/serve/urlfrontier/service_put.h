/* URLs that clients put: found ones, and known ones with the date of their next visit. */
#pragma once

#include "tools/serve/urlfrontier/service.h"
#include "tools/serve/urlfrontier/urlfrontier.pb-c.h"

typedef Urlfrontier__AckMessage__Status cw_service_status;

typedef struct cw_service_item {
    const Urlfrontier__URLInfo *info; /* NULL: the message has none */
    bool known;                       /* with a date: */
    uint64_t date_s;                  /* of its next visit, since 1970; 0: never */
    cw_service_status status;         /* the answer */
    /* Filled by cw_service_put: */
    cw_service_crawl *crawl;
    cw_service_queue *queue;
    crawl_fingerprint fingerprint;
    uint64_t version;
    char memo[CW_SERVICE_VERSION_SIZE];
} cw_service_item;

/* Bytes of a URL; a longer one is skipped. Nobody serves such a page, and a listing would be all of one. */
#define CW_SERVICE_URL_MAX 65536u

/* Takes items in their order, found ones that follow each other in one write of the frontier. */
void cw_service_put(cw_service *service, cw_service_item *items, size_t count);
