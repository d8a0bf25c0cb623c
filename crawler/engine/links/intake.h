/* Requests from outside the workers: seeds, and requests that a spider pushes. They may come from any thread, and are
 * taken one at a time.
 *
 * From before the first seed until after the last, a note of the crawl's directory, CW_SCOPE_SEEDS_NOTE, says that
 * seeds are being read. However the process ends in between, the next run knows that seeds are missing. */
#pragma once

#include <crawl/engine.h>

typedef struct cw_links_intake cw_links_intake;

/* Call when the engine has its scope. NULL: out of memory. */
cw_links_intake *cw_links_intake_create(crawl_engine *engine);
/* Queues the waiting seeds. Call before the frontier is closed. */
void cw_links_intake_free(cw_links_intake *intake);
