/* Requests that come from outside of the workers: seeds, and what a spider pushes. From any thread, one at a time.
 *
 * While seeds are being read into a directory a note there says so, CW_SCOPE_SEEDS_NOTE, from before the first until
 * after the last: whatever ends the process in between, the next run knows that seeds are missing. */
#ifndef CW_LINKS_INTAKE_H
#define CW_LINKS_INTAKE_H

#include <crawl/engine.h>

typedef struct cw_links_intake cw_links_intake;

/* After the engine's scope is there. NULL: no memory. */
cw_links_intake *cw_links_intake_create(crawl_engine *engine);
void cw_links_intake_free(cw_links_intake *intake);

#endif
