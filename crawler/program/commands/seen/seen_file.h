/* A filter kept in a file from run to run. One run uses it at a time; it is loaded as a whole or created, and replaced
 * at the end. */
#pragma once

#include <crawl/bloom.h>

typedef struct cw_seen_file cw_seen_file;

/* Opens or creates path, and locks it until it is closed. *filter is its contents, for the caller to free; NULL: the
 * file is new or empty. CRAWL_EIO: no access, or another run has it; CRAWL_ECORRUPT: it is not a filter; CRAWL_ENOMEM.
 * error names path and says why; an existing file stays unchanged. */
crawl_err cw_seen_file_open(const char *path, cw_seen_file **out, crawl_bloom **filter, crawl_error *error);
/* Closes the file. Removes a file that open created and that was never saved. */
void cw_seen_file_close(cw_seen_file *file);

/* Saves the filter. First syncs the file at descriptor out, if it is one (-1: no output), so that no crash leaves a
 * line in the filter that is not in the output. CRAWL_EIO: the filter's file is unchanged; error says why. */
crawl_err cw_seen_file_save(cw_seen_file *file, const crawl_bloom *filter, int out, crawl_error *error);
