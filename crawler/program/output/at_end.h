/* What is made when a crawl has ended and its engine is closed: the WACZ, the sitemaps, the report; then what is
 * brought into a bucket, and who is told. */
#ifndef CW_AT_END_H
#define CW_AT_END_H

#include "crawler/program/output/outputs.h"

/* Makes all of it however the crawl ended, unless this machine has failed, brings what there is, and prints a line for
 * each. status: so far.
 * The exit status. */
int cw_outputs_at_end(cw_outputs *outputs, const crawl_engine_stats *stats, int status);

#endif
