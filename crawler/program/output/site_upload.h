/* Uploads the files of a crawl to a bucket (--upload), by `crawl upload`: each WARC file of this run and its index as
 * soon as it is finished, one at a time, on a thread that runs the tool; at the end the remaining ones, the WACZ and
 * the records. */
#pragma once

#include "config/config_values.h"

typedef struct cw_site_upload cw_site_upload;

/* Checks that there is something to upload, and that the bucket exists. Returns the exit status, after a message. */
int cw_site_upload_check(const crawl_config *config);

/* Call before the first WARC file is begun. config is borrowed. CRAWL_EIO, CRAWL_ENOMEM: error says why. */
crawl_err cw_site_upload_open(const crawl_config *config, cw_site_upload **out, crawl_error *error);

/* Uploads the rest; call once all files are finished. Puts a line about the upload into *said. Returns the exit status;
 * failures were reported to the user, and such files stay. */
int cw_site_upload_finish(cw_site_upload *upload, crawl_buf *said);

/* Waits for the tool if it runs. NULL is allowed. */
void cw_site_upload_free(cw_site_upload *upload);
