/* Finishes a WARC file that a killed crawl has left open: what it ends with of a record that is not whole is cut off,
 * it gets its name, and the index that the crawl would have written. */
#ifndef CW_WARC_FINISH_H
#define CW_WARC_FINISH_H

#include <crawl/base.h>

typedef struct cw_warc_finished {
    uint64_t records;
    uint64_t indexed;
    uint64_t cut; /* bytes of a record that was not whole */
    char *path;   /* the caller frees it; of the finished file */
} cw_warc_finished;

/* path: with its ".open". After an error the file is as it was. CRAWL_EINVAL: its name does not end so, or the name
 * that it would get is taken. CRAWL_ESTATE: a crawl is writing it. CRAWL_ECORRUPT: a record is damaged and whole ones
 * come behind it, or there is no whole one. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_warc_finish(const char *path, cw_warc_finished *out, crawl_error *error);

#endif
