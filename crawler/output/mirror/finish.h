/* The end of an offline copy: files of pages that are gone are removed, and links are rewritten. */
#pragma once

#include "crawler/output/mirror/mirror_table.h"

#include <crawl/sys/mirror.h>

/* Appends the path at which a page or a style sheet is kept as it came; it is made of the SHA-1 of its path in the
 * copy. CRAWL_ENOMEM. */
crawl_err cw_mirror_original(crawl_slice path, crawl_buf *out);

/* Everything that finishing a copy takes. */
typedef struct cw_mirror_finishing {
    cw_mirror_files *files;
    cw_mirror_table *table;
    const crawl_canonical_options *keys; /* how canonical forms are made */
    const char *lazy;                    /* as crawl_rewrite.lazy */
    crawl_mirror_progress progress;      /* NULL: nobody is told */
    void *user;
} cw_mirror_finishing;

/* Finishes the copy. Where progress ends that, figures->left is not 0, and the next call does the rest. CRAWL_EIO,
 * CRAWL_ENOMEM. */
crawl_err cw_mirror_finish(const cw_mirror_finishing *with, crawl_mirror_figures *figures, crawl_error *error);
