/* Whether a page is the one that it names as the right one of several, for whoever lists pages. */
#ifndef CW_OUTPUTS_CANONICAL_PAGE_H
#define CW_OUTPUTS_CANONICAL_PAGE_H

#include <crawl/record.h>

/* False: its rel=canonical leads elsewhere. Two ways to write one URL are one. Without memory: elsewhere. */
bool cw_outputs_is_canonical(const crawl_record *record);

#endif
