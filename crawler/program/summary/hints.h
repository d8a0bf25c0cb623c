/* The lines of the summary that say which option would have made more of the crawl. */
#ifndef CW_REPORT_HINTS_H
#define CW_REPORT_HINTS_H

#include <crawl/engine.h>

void cw_report_hints(const crawl_engine_stats *stats, const crawl_config *config, crawl_buf *out);

#endif
