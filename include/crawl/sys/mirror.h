/* An offline copy of a crawl, as made by output.mirror. Files are written as pages arrive, at paths made from their
 * URLs. At the end the links of pages and style sheets are rewritten, to files of the copy or to their targets on the
 * web. The original pages are kept beside the copy, so that this can be repeated when there are more files. Nothing is
 * ever written outside the folder, whatever a URL says and whatever was planted there: docs/mirror.md. */
#ifndef CRAWL_MIRROR_H
#define CRAWL_MIRROR_H

#include <crawl/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A copy. Thread-safe, except for opening and closing. */
typedef struct crawl_mirror crawl_mirror;

/* The figures of a run. */
typedef struct crawl_mirror_figures {
    uint64_t written;   /* new or changed files */
    uint64_t rewritten; /* pages and sheets whose links were rewritten at the end */
    uint64_t removed;
    char first[1024];      /* path of the copy's first page; empty: links were not rewritten */
    uint64_t left;         /* pages and sheets not reached, because crawl_mirror_progress ended it */
    uint64_t as_they_came; /* pages and sheets that would have become too long: their links are unchanged */
    uint64_t reserved[2];  /* 0, for later versions */
} crawl_mirror_figures;

/* Reports the progress of finishing a copy, in the thread that closes it: before the first page or sheet and after
 * each, with the total. false: leaves the others to the next run into the folder. */
typedef bool (*crawl_mirror_progress)(void *user, uint64_t finished, uint64_t all);

/* Checks whether config->mirror is a folder that can hold the copy; creates nothing. CRAWL_EINVAL, CRAWL_EIO. */
CRAWL_API crawl_err crawl_mirror_check(const crawl_config *config, crawl_error *error);
/* Opens a copy. config names the folder and the key by which two URLs are one page; it is borrowed. CRAWL_EINVAL: the
 * folder is not a copy made by this library. CRAWL_ESTATE: another crawl is writing it. CRAWL_EIO, CRAWL_ENOMEM. */
CRAWL_API crawl_err crawl_mirror_open(const crawl_config *config, crawl_mirror **out, crawl_error *error);
/* Adds a record with its body, as on_record does. CRAWL_EIO, CRAWL_ENOMEM: something was not written, now or before;
 * crawl_mirror_close says what. */
CRAWL_API crawl_err crawl_mirror_record(crawl_mirror *mirror, const crawl_record *record);
/* Sets the progress callback from now on; NULL: none. */
CRAWL_API void crawl_mirror_watch(crawl_mirror *mirror, crawl_mirror_progress progress, void *user);
/* Rewrites links, unless finishes is false or nothing has changed since the last time, and frees the copy. Errors are
 * those of the first call that failed. */
CRAWL_API crawl_err crawl_mirror_close(crawl_mirror *mirror, bool finishes, crawl_mirror_figures *figures,
                                       crawl_error *error);

#ifdef __cplusplus
}
#endif
#endif
