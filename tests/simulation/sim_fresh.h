/* How current the copies of a revisiting crawl are, where each page changes at random at a rate of its own, beside the
 * best that as many visits could do. */
#pragma once

#include "tests/simulation/sim_web.h"

/* How often a page has changed by now. */
uint32_t sim_fresh_edition(sim_place place);
/* A page is visited now. */
void sim_fresh_visit(sim_place place);
/* After the last life: says the figures, and whether they are as docs/revisit.md promises. */
void sim_fresh_check(void);
