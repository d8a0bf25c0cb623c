/* Lines that a crawl keeps until its end, when something is made of them all. They stand in the directory of --state,
 * where the lines of all its runs come together, or else in a file without a name, which is gone with the process. */
#pragma once

#include <crawl/output.h>

/* A spool that is not open is {.file = -1}. */
typedef struct cw_spool {
    crawl_lines *lines; /* NULL: something else writes the file */
    crawl_buf path;     /* by which the file can be read */
    int file;           /* the file without a name; -1: it has a name */
} cw_spool;

/* name: in the directory of config->state. beside: what the file without a name is made beside; its folder is there.
 * resumed: lines of earlier runs stay. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_spool_open(cw_spool *spool, const crawl_config *config, const char *name, const char *beside, bool resumed,
                        crawl_error *error);
/* Ends the writing; what was written can be read until it is freed. CRAWL_EIO. */
crawl_err cw_spool_close(cw_spool *spool, crawl_error *error);
void cw_spool_free(cw_spool *spool);
