/* Computes how many connections the descriptors of this process suffice for. The program may raise the limit of the
 * process; an embedder has its own limit. */
#pragma once

#include <crawl/config.h>

/* Returns how many descriptors are open now, for whatever purpose. */
unsigned cw_engine_descriptors_open(void);

typedef struct cw_engine_descriptors {
    unsigned limit;       /* of the process */
    unsigned connections; /* in use at once */
    unsigned idle;        /* in addition, kept for reuse */
    unsigned sessions;    /* hosts that take turns at once, so that each finds its connection open */
    unsigned most;        /* the most that may be in use at once, besides the idle ones */
} cw_engine_descriptors;

/* Shares out the descriptors that are left. open: the number open before the engine opened any. CRAWL_EIO: too few for
 * the workers; error says how many are needed. */
crawl_err cw_engine_descriptors_share(const crawl_config *config, unsigned workers, unsigned open,
                                      cw_engine_descriptors *out, crawl_error *error);
