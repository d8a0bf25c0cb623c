/* The files of a WARC sink: their names, their ends, and their indexes. */
#pragma once

#include <crawl/base.h>

/* Lines of an index, kept until the file is finished: some 300 bytes per response. */
typedef struct cw_warc_index {
    crawl_buf text;
    size_t *at; /* start of each line in text */
    size_t count;
    size_t capacity;
} cw_warc_index;

/* Adds a line without its end. CRAWL_ENOMEM. */
crawl_err cw_warc_index_add(cw_warc_index *index, crawl_slice line);
/* Appends the lines, sorted by bytes, each with its end. CRAWL_ENOMEM. */
crawl_err cw_warc_index_sort(cw_warc_index *index, crawl_buf *sorted);
void cw_warc_index_free(cw_warc_index *index);

typedef struct cw_warc_file {
    const char *prefix;
    const char *suffix; /* of the name: ".warc.gz" */
    bool has_index;     /* writes a sorted "PREFIX-....cdxj" beside it */
    unsigned serial;    /* of the next file */
    int fd;             /* -1: none open */
    uint64_t bytes;
    char *path; /* without ".open" */
    cw_warc_index index;
    crawl_error failure; /* of the first failure */
} cw_warc_file;

/* Creates a new PREFIX-YYYYMMDDhhmmss-NNNNN with the suffix and ".open". CRAWL_EIO: failure is set. */
crawl_err cw_warc_file_open(cw_warc_file *file, int64_t wall_ms);
/* Returns the name of the present file, without its folder. */
const char *cw_warc_file_name(const cw_warc_file *file);
/* Appends whole members. */
crawl_err cw_warc_file_append(cw_warc_file *file, crawl_slice members);
/* Syncs the file, gives it its name, and writes its index if it has one. CRAWL_OK also if none is open. */
crawl_err cw_warc_file_finish(cw_warc_file *file);
/* Removes the open file, which has no record yet. */
void cw_warc_file_drop(cw_warc_file *file);
/* Frees the memory. An open file is not finished: it keeps its ".open". */
void cw_warc_file_free(cw_warc_file *file);
