/* The options of a frontier that are fixed when its directory is created: the order, the seen-set, and what
 * fingerprints are made of. They are stored beside the format number and compared with the requested ones when the
 * directory is opened again. */
#pragma once

#include "frontier/disk/disk.h"

/* Checks that the directory's format is known. CRAWL_ABSENT: the directory is new. CRAWL_ECORRUPT: unknown.
 * CRAWL_EIO. */
crawl_err cw_disk_config_check_format(cw_disk_database *database, crawl_error *error);

/* Reads the options the directory was created with; fingerprints becomes a slice of *record, which holds the record.
 * CRAWL_EIO, CRAWL_ECORRUPT, CRAWL_ENOMEM. */
crawl_err cw_disk_config_get(cw_disk_database *database, crawl_buf *record, crawl_frontier_options *options,
                             crawl_slice *fingerprints, crawl_error *error);

/* Writes format and options to a new directory; compares those of an existing one with `options`. Sets by_depth to the
 * stored value. CRAWL_EINVAL: they differ; error names the first option that does, and both values. Other errors as
 * above. */
crawl_err cw_disk_config_agree(cw_disk *disk, crawl_frontier_options *options, crawl_error *error);
