/* Numbers that order what is said of a page: each is greater than all before it, also those of earlier runs in the same
 * directory of --state, and also where the clock was set back. They are milliseconds since 1970 as long as there are
 * less than a thousand a second, so that a later crawl of the same pages in another directory has greater ones too. */
#ifndef CW_EXEC_VERSIONS_H
#define CW_EXEC_VERSIONS_H

#include <crawl/base.h>

typedef struct cw_exec_versions {
    crawl_buf path; /* of the file that says which may have been used; empty: none */
    int64_t last;   /* that was given */
    int64_t end;    /* of those that may be given before the file is written again */
} cw_exec_versions;

/* state: the directory of the crawl; NULL: none. CRAWL_ECORRUPT: the file there has no number; CRAWL_EIO,
 * CRAWL_ENOMEM. */
crawl_err cw_exec_versions_open(const char *state, cw_exec_versions *out, crawl_error *error);
void cw_exec_versions_free(cw_exec_versions *versions);

/* now_ms: since 1970. CRAWL_EIO: the file cannot be written. CRAWL_ENOMEM. */
crawl_err cw_exec_versions_next(cw_exec_versions *versions, int64_t now_ms, int64_t *out, crawl_error *error);

#endif
