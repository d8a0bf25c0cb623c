/* What binds a crawl (frontier/hosts/binding.h), in words: what it waits for now and until when, and at its end what it
 * mostly waited for. */
#ifndef CW_REPORT_BOUND_H
#define CW_REPORT_BOUND_H

#include <crawl/bound.h>

/* Prints what binds the crawl now, and until when; if nothing does, prints nothing. */
void cw_report_bound(const crawl_load *load, crawl_bound bound, crawl_buf *out);

/* The lines of the summary about what bound the crawl, and which setting would change it; none of a crawl that was too
 * short to tell. */
void cw_report_bound_tally(const crawl_bound_tally *tally, crawl_buf *out);

#endif
