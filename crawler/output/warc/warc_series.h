/* The files of one kind that a WARC sink writes, one after the other: each begins with a warcinfo record, and ends when
 * it has reached a size. */
#ifndef CW_WARC_SERIES_H
#define CW_WARC_SERIES_H

#include "crawler/output/warc/warc_file.h"

/* The fields of the warcinfo record, besides the name of its file. */
typedef struct cw_warc_origin {
    const char *user_agent; /* NULL: none */
    bool robots;            /* robots.txt is obeyed */
    const char *text;       /* the form of the texts in conversion records, "plain"; NULL: there are none */
} cw_warc_origin;

typedef struct cw_warc_series {
    cw_warc_file file;
    cw_warc_origin origin;
    uint64_t max_file_bytes;
} cw_warc_series;

/* Begins the first file, or the next one if the last has reached its size. CRAWL_EIO: this failed now or before, and
 * file.failure is set. CRAWL_ENOMEM. */
crawl_err cw_warc_series_ready(cw_warc_series *series);

#endif
