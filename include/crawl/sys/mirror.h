/* An offline copy of what is crawled, as output.mirror makes it. Files are written as pages come, at paths made from
 * their URLs; at the end the links of pages and style sheets are rewritten, to files of the copy or to where they lead
 * in the web. Pages are kept as they came beside the copy, so that this can be done again when there are more files.
 * Nothing is ever written outside the folder, whatever a URL says and whatever was planted there: docs/mirror.md. */
#ifndef CRAWL_MIRROR_H
#define CRAWL_MIRROR_H

#include <crawl/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Thread-safe but for opening and closing. */
typedef struct crawl_mirror crawl_mirror;

/* Figures of a run. */
typedef struct crawl_mirror_figures {
    uint64_t written;   /* files that are new, or have changed */
    uint64_t rewritten; /* pages and sheets whose links were written anew at the end */
    uint64_t removed;
    char first[1024];      /* path of the page that was there first; empty: links were not rewritten */
    uint64_t left;         /* pages and sheets that were not come to, as crawl_mirror_progress had it */
    uint64_t as_they_came; /* pages and sheets that would have become too long: their links stayed as they were */
    uint64_t reserved[2];  /* 0, for later versions */
} crawl_mirror_figures;

/* Is told how far the end of a copy is, by the thread that closes it: before the first page or sheet whose links are
 * looked at, and after each, of how many. false: the others are left as they are, for the next run into the folder. */
typedef bool (*crawl_mirror_progress)(void *user, uint64_t finished, uint64_t all);

/* Is config->mirror a folder that the copy may be in? Nothing is made. CRAWL_EINVAL, CRAWL_EIO. */
CRAWL_API crawl_err crawl_mirror_check(const crawl_config *config, crawl_error *error);
/* config names the folder, and by which key two URLs are one page; it is borrowed. CRAWL_EINVAL: the folder is no copy
 * of ours. CRAWL_ESTATE: another crawl writes it. CRAWL_EIO, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_mirror_open(const crawl_config *config, crawl_mirror **out, crawl_error *error);
/* Takes a record with its body, as on_record does. CRAWL_EIO, CRAWL_ENOMEM: something was not written, now or before;
 * crawl_mirror_close says what. */
CRAWL_API crawl_err crawl_mirror_record(crawl_mirror *mirror, const crawl_record *record);
/* From now on progress is told; NULL: nobody. */
CRAWL_API void crawl_mirror_watch(crawl_mirror *mirror, crawl_mirror_progress progress, void *user);
/* Rewrites links, unless finishes is false or nothing has changed since that was done; frees. Errors are those of the
 * first call that failed. */
CRAWL_API crawl_err crawl_mirror_close(crawl_mirror *mirror, bool finishes, crawl_mirror_figures *figures,
                                       crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
