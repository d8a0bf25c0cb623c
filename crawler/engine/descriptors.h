/* Computes for how many connections the descriptors of this process are enough. The program may raise the limit of
 * the process; an embedder has its own limit. */
#pragma once

#include <crawl/config.h>

/* How many descriptors are open now, for whatever purpose. */
unsigned cw_engine_descriptors_open(void);

typedef struct cw_engine_descriptors {
    unsigned limit;       /* of the process */
    unsigned connections; /* in use at once */
    unsigned idle;        /* besides, kept for use again */
    unsigned sessions;    /* hosts that take turns at once, so that each finds its connection open */
    unsigned most;        /* there may be in use at once, beside the idle ones */
} cw_engine_descriptors;

/* Shares out the descriptors that are left where `open` of them were open before the engine opened any. CRAWL_EIO:
 * there is not one for each worker; error says how many are needed. */
crawl_err cw_engine_descriptors_share(const crawl_config *config, unsigned workers, unsigned open,
                                      cw_engine_descriptors *out, crawl_error *error);
