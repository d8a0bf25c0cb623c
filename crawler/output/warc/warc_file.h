/* The files of a WARC sink: their names, their ends, and the index of each. */
#pragma once

#include <crawl/base.h>

/* Lines of an index, kept until the file is finished: some 300 bytes for each response in it. */
typedef struct cw_warc_index {
    crawl_buf text;
    size_t *at; /* where each line begins in text */
    size_t count;
    size_t capacity;
} cw_warc_index;

/* Adds a line without its end. CRAWL_ENOMEM. */
crawl_err cw_warc_index_add(cw_warc_index *index, crawl_slice line);
/* Appends the lines in the order of their bytes, each with its end. CRAWL_ENOMEM. */
crawl_err cw_warc_index_sort(cw_warc_index *index, crawl_buf *sorted);
void cw_warc_index_free(cw_warc_index *index);

typedef struct cw_warc_file {
    const char *prefix;
    const char *suffix; /* of its name: ".warc.gz" */
    bool has_index;     /* a sorted file beside it, "PREFIX-....cdxj" */
    unsigned serial;    /* of the next file */
    int fd;             /* -1: none is open */
    uint64_t bytes;
    char *path; /* without ".open" */
    cw_warc_index index;
    crawl_error failure; /* the first one */
} cw_warc_file;

/* Makes PREFIX-YYYYMMDDhhmmss-NNNNN and the suffix, with ".open" behind it, which must not be there. CRAWL_EIO: failure
 * is set. */
crawl_err cw_warc_file_open(cw_warc_file *file, int64_t wall_ms);
/* The name of the present file, without its folder. */
const char *cw_warc_file_name(const cw_warc_file *file);
/* Appends whole members. */
crawl_err cw_warc_file_append(cw_warc_file *file, crawl_slice members);
/* Brings the file to the disk, gives it its name, and writes its index if it has one. CRAWL_OK also where none is open.
 */
crawl_err cw_warc_file_finish(cw_warc_file *file);
/* Frees the memory. A file that is open is not finished: it keeps ".open" behind its name. */
void cw_warc_file_free(cw_warc_file *file);
