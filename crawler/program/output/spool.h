/* Lines that a crawl keeps until its end, when an output is made from all of them. They are in the directory of
 * --state, where the lines of all runs come together, otherwise in an unnamed file, which disappears with the
 * process. */
#pragma once

#include <crawl/output.h>

/* A closed spool is {.file = -1}. */
typedef struct cw_spool {
    crawl_lines *lines; /* NULL: another output writes the file */
    crawl_buf path;     /* to read the file */
    int file;           /* unnamed file; -1: it has a name */
} cw_spool;

/* Opens a spool. name: in the directory of config->state. beside: path beside which an unnamed file is created, in an
 * existing folder. resumed: keeps the lines of earlier runs. CRAWL_EIO, CRAWL_ENOMEM. */
crawl_err cw_spool_open(cw_spool *spool, const crawl_config *config, const char *name, const char *beside, bool resumed,
                        crawl_error *error);
/* Ends writing; the lines can be read until cw_spool_free. CRAWL_EIO. */
crawl_err cw_spool_close(cw_spool *spool, crawl_error *error);
void cw_spool_free(cw_spool *spool);
