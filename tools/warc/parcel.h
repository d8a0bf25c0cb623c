/* Makes a WACZ file from WARC files (WACZ 1.1.1). */
#pragma once

#include "crawler/output/warc/warc_file.h"
#include "tools/warc/zip.h"

typedef struct cw_parcel {
    const char *path;         /* of the parcel */
    const char *const *warcs; /* paths of finished WARC files, borrowed */
    size_t warc_count;
    cw_warc_index index;     /* a line for each answer */
    crawl_buf lines;         /* of index, sorted */
    crawl_buf revisits;      /* a line for each answer that refers to another: the other's URL, a space, its date */
    crawl_buf seeds, others; /* lines of pages at depth 0, and of other pages */
    uint64_t seed_count, page_count;
    crawl_buf main_url, main_title; /* of the first seed */
    uint64_t unresolved;            /* answers that refer to others outside the parcel */
    uint64_t bytes;                 /* of the parcel */
    crawl_error error;
} cw_parcel;

/* Makes the parcel as PATH.new, and renames it once it is whole and on disk. CRAWL_ABSENT: no pages; an existing file
 * stays. CRAWL_ECORRUPT: a WARC file is damaged. CRAWL_EINVAL: a file is not named like a WARC file, or two have the
 * same name. CRAWL_ESTATE: another process is making the parcel. CRAWL_FULL: too many files. CRAWL_EIO, CRAWL_ENOMEM.
 * parcel->error says which file, and why. */
crawl_err cw_parcel_make(cw_parcel *parcel);
void cw_parcel_free(cw_parcel *parcel);

/* Returns a byte of a file's name as the manifest has it: lower case, and few other characters (Frictionless). */
char cw_parcel_name_byte(char c);

/* The steps of cw_parcel_make. They set parcel->error, except for CRAWL_ENOMEM and failures of zip->file. */

/* Reads the WARC files: fills index, revisits and pages. */
crawl_err cw_parcel_read(cw_parcel *parcel);
/* Writes the files of the ZIP. */
crawl_err cw_parcel_write(cw_parcel *parcel, cw_zip *zip);
