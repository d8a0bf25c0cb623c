/* The options of a frontier that are decided once, when its directory is made: the order, the seen-set, and what
 * fingerprints are made of. They are kept as a record beside the number of the format, and compared with what is asked
 * for when the directory is opened again. */
#pragma once

#include "frontier/disk/disk.h"

/* Is the directory of a format that is known? CRAWL_ABSENT: it is new. CRAWL_ECORRUPT: it is not. CRAWL_EIO. */
crawl_err cw_disk_config_check_format(cw_disk_database *database, crawl_error *error);

/* The options that it was made with; fingerprints is a slice of *record, which holds the record then. CRAWL_EIO,
 * CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_config_get(cw_disk_database *database, crawl_buf *record, crawl_frontier_options *options,
                             crawl_slice *fingerprints, crawl_error *error);

/* Of a new directory, writes format and options; of another, holds them against these. CRAWL_EINVAL: they differ;
 * error names the first option that does, and both values. Sets by_depth to what it was made with. As the two above. */
crawl_err cw_disk_config_agree(cw_disk *disk, crawl_frontier_options *options, crawl_error *error);
