/* Requests that come from outside of the workers: seeds, and what a spider pushes. */
#ifndef CW_INTAKE_H
#define CW_INTAKE_H

#include "crawler/engine/links/scope.h"

#include <crawl/engine.h>
#include <crawl/fingerprint.h>
#include <crawl/url.h>
#include <pthread.h>

/* What requests are made with that come from outside of the workers, one at a time. */
typedef struct cw_intake {
    pthread_mutex_t lock;
    crawl_url *url;
    crawl_fingerprinter *fingerprinter;
    cw_scope_reader *scope;
    crawl_buf canonical;
    crawl_buf from; /* where the seeds come from that are being read; empty: none are, or it is noted */
} cw_intake;

/* create: CRAWL_ENOMEM */
crawl_err cw_intake_create(crawl_engine *engine);
void cw_intake_free(crawl_engine *engine);

#endif
