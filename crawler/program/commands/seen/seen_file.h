/* A filter kept in a file from run to run: one run at a time, loaded whole or made new, and replaced at the end. */
#pragma once

#include <crawl/bloom.h>

typedef struct cw_seen_file cw_seen_file;

/* Opens or creates path, and keeps others from it until it is closed. *filter is what it holds, for the caller to free;
 * NULL: the file is new, or empty. CRAWL_EIO: no access, or another run has it; CRAWL_ECORRUPT: it holds something
 * else; CRAWL_ENOMEM. error names path and says why; whatever is there is left as it is. */
crawl_err cw_seen_file_open(const char *path, cw_seen_file **out, crawl_bloom **filter, crawl_error *error);
/* A file made by open and never saved is removed. */
void cw_seen_file_close(cw_seen_file *file);

/* Brings what was written to the descriptor out (-1: nothing was) to its disk first, if it is a file, so that no
 * failure of the machine leaves a line in the filter that is not in the output. CRAWL_EIO: the file is as it was; error
 * says why. */
crawl_err cw_seen_file_save(cw_seen_file *file, const crawl_bloom *filter, int out, crawl_error *error);
