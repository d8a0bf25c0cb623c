/* Measures how current the copies of a revisiting crawl are, where each page changes at random at its own rate, and
 * compares this with the best that the same number of visits could do. */
#pragma once

#include "tests/simulation/sim_web.h"

/* Notes a visit of the page at the present time, and how often it has changed by then. */
void sim_fresh_visit(sim_place place);
/* Prints the figures after the last life, and reports a fault if they are worse than docs/revisit.md promises. */
void sim_fresh_check(void);
