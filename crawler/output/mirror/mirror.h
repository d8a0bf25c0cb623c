/* An offline copy of what is crawled: what --mirror does. Files are written as pages come, at paths made from their
 * URLs (path.h); at the end the links of pages and style sheets are rewritten, to files of the copy or to where they
 * lead in the web. Pages are kept as they came beside the copy, so that this can be done again when there are more
 * files. docs/mirror.md */
#ifndef CW_MIRROR_H
#define CW_MIRROR_H

#include <crawl/engine.h>

/* Thread-safe but for opening and closing. */
typedef struct cw_mirror cw_mirror;

/* What a run has done. */
typedef struct cw_mirror_figures {
    uint64_t written;   /* files that are new, or have changed */
    uint64_t rewritten; /* pages and sheets whose links were written anew at the end */
    uint64_t removed;
    char first[1024]; /* path of the page that was there first; empty: links were not rewritten */
} cw_mirror_figures;

/* Is config->mirror a folder that the copy may be in? CRAWL_EINVAL, CRAWL_EIO. */
crawl_err cw_mirror_check(const crawl_config *config, crawl_error *error);
/* config is borrowed. CRAWL_EINVAL: the folder is no copy of ours; CRAWL_ESTATE: another crawl writes it; CRAWL_EIO;
 * CRAWL_ENOMEM. */
crawl_err cw_mirror_open(const crawl_config *config, cw_mirror **out, crawl_error *error);
/* Takes a record, as on_record does. CRAWL_EIO, CRAWL_ENOMEM: something was not written, now or before;
 * cw_mirror_close says what. */
crawl_err cw_mirror_record(cw_mirror *mirror, const crawl_record *record);
/* Rewrites links, unless finishes is false or nothing has changed since that was done; frees. Errors are those of the
 * first call that failed. */
crawl_err cw_mirror_close(cw_mirror *mirror, bool finishes, cw_mirror_figures *figures, crawl_error *error);

#endif
