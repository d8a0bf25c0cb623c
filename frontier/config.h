/* What of a frontier's options is decided once, when its directory is made: the order, the seen-set, and what
 * fingerprints are made of. Kept as a record, and compared with what is asked for when the directory is opened
 * again. */
#ifndef CW_FRONTIER_CONFIG_H
#define CW_FRONTIER_CONFIG_H

#include <crawl/frontier.h>

/* Appends the record. CRAWL_ENOMEM. */
crawl_err cw_config_write(const crawl_frontier_options *options, crawl_buf *out);

/* Sets in *options what the record says; fingerprints becomes a slice of it. CRAWL_ECORRUPT: is none. */
crawl_err cw_config_read(crawl_slice record, crawl_frontier_options *options, crawl_slice *fingerprints,
                         crawl_error *error);

/* CRAWL_EINVAL: they differ; error names the first option that does, and both values. */
crawl_err cw_config_compare(const crawl_frontier_options *saved, crawl_slice fingerprints,
                            const crawl_frontier_options *asked, crawl_error *error);

#endif
