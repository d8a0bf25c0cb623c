/* The end of an offline copy: removes files that are none any more, and rewrites links. */
#ifndef CW_MIRROR_FINISH_H
#define CW_MIRROR_FINISH_H

#include "crawler/output/mirror/table.h"

#include <crawl/mirror.h>

/* Where a page that is rewritten is kept as it came: by the SHA-1 of its path. CRAWL_ENOMEM. */
crawl_err cw_mirror_original(crawl_slice path, crawl_buf *out);

/* keys: how canonical forms are made. */
crawl_err cw_mirror_finish(cw_mirror_files *files, cw_mirror_table *table, const crawl_canonical_options *keys,
                           crawl_mirror_figures *figures, crawl_error *error);

#endif
