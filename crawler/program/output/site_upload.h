/* The files of a crawl in a bucket (--upload), as `crawl upload` brings them: each WARC file of this run and its index
 * as soon as it is finished, on a thread that runs the tool, one at a time; at the end the rest of them, the WACZ and
 * the records. */
#pragma once

#include "config/config_values.h"

typedef struct cw_site_upload cw_site_upload;

/* Is there something to bring, and is the bucket there? The exit status, after a message. */
int cw_site_upload_check(const crawl_config *config);

/* To be called before the first WARC file is begun. config is borrowed. CRAWL_EIO, CRAWL_ENOMEM: error says why. */
crawl_err cw_site_upload_open(const crawl_config *config, cw_site_upload **out, crawl_error *error);

/* To be called when all files are finished. Puts a line about what was brought into *said. The exit status; the user
 * was told of what failed, and such files stay. */
int cw_site_upload_finish(cw_site_upload *upload, crawl_buf *said);

/* Waits for the tool, if it runs. NULL is allowed. */
void cw_site_upload_free(cw_site_upload *upload);
