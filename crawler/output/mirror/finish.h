/* The end of an offline copy: removes files of pages that are gone, and rewrites links. */
#pragma once

#include "crawler/output/mirror/mirror_table.h"

#include <crawl/sys/mirror.h>

/* Appends the path of the original of a page or style sheet, made from the SHA-1 of its path in the copy.
 * CRAWL_ENOMEM. */
crawl_err cw_mirror_original(crawl_slice path, crawl_buf *out);

/* Arguments for finishing a copy. */
typedef struct cw_mirror_finishing {
    cw_mirror_files *files;
    cw_mirror_table *table;
    const crawl_canonical_options *keys; /* how to make canonical forms */
    const char *lazy;                    /* as crawl_rewrite.lazy */
    crawl_mirror_progress progress;      /* NULL: not reported */
    void *user;
} cw_mirror_finishing;

/* Finishes the copy. If progress stops it, figures->left is not 0, and the next call does the rest. CRAWL_EIO,
 * CRAWL_ENOMEM. */
crawl_err cw_mirror_finish(const cw_mirror_finishing *with, crawl_mirror_figures *figures, crawl_error *error);
