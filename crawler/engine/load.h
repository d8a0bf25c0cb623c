/* Looks at an engine's figures, a few times a second, to tell what binds it. The looks come from one thread, that of
 * worker 0; the tally may be read from any. */
#ifndef CW_LOAD_H
#define CW_LOAD_H

#include "crawler/engine/bound.h"

#include <crawl/engine.h>
#include <pthread.h>

typedef struct cw_load {
    pthread_mutex_t lock; /* of the two below */
    crawl_bound_tally tally;
    cw_named named;
    int64_t looked_us;    /* monotonic; 0: not yet */
    int64_t processor_us; /* of all loops, then */
    int64_t disk_us;      /* of all loops, then */
} cw_load;

void cw_load_init(cw_load *load);
void cw_load_free(cw_load *load);

/* The tally as it is now. */
void cw_load_read(cw_load *load, crawl_bound_tally *out);

/* From worker 0 alone. */
void cw_load_look(crawl_engine *engine);

#endif
