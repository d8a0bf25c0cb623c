/* The checks of WARC and WACZ files. They may change check->inner; the program ends when out of memory. */
#pragma once

#include "base/map.h"
#include "tools/warc/zip.h"

/* The state of a check: the place, and the number of faults. */
typedef struct cw_check {
    const char *path;  /* of the file */
    const char *inner; /* of a file in the WACZ; NULL: the whole */
    uint64_t faults;
    cw_map *ids; /* of the records so far */
} cw_check;

/* Prints a fault: a line on standard output with the file, the place in it, and what is wrong. unit: of place, "byte"
 * or "line"; NULL: the whole file. */
void cw_check_fault(cw_check *check, const char *unit, uint64_t place, const char *format, ...) CRAWL_PRINTF(4, 5);

/* Adds an id to a set, which cw_map_free_values frees. Returns false if the set had it. */
bool cw_check_is_new_id(cw_map *ids, crawl_slice id);

/* Returns true for a date such as "2026-01-31T23:59:59Z", with an optional fraction. */
bool cw_check_is_date(crawl_slice date);

/* `crawl warc --check`: checks the files, and prints their faults. Returns the exit status. */
int cw_check_files(const char *tool, int count, char **paths);

/* A whole record. An index has all answers but those to HEAD, and may have other records. */
typedef struct cw_check_record {
    uint64_t offset;
    bool is_answer;
    bool is_indexed;
} cw_check_record;

typedef struct cw_check_archive {
    const char *name; /* without its folder; borrowed */
    crawl_slice bytes;
    cw_check_record *records; /* sorted by offset */
    size_t count, capacity;
} cw_check_archive;

/* Checks the records of a WARC, whose name and bytes are set. */
void cw_check_warc(cw_check *check, cw_check_archive *warc);
void cw_check_archive_free(cw_check_archive *warc);

/* Checks the lines of an index against the records of these files, and marks the indexed records. resolves: the index
 * must also have the answers that revisits refer to. */
void cw_check_index(cw_check *check, crawl_slice lines, cw_check_archive *warcs, size_t count, bool resolves);
/* Reports answers of a file that the index lacks. */
void cw_check_indexed(cw_check *check, const cw_check_archive *warc);

/* Checks a WACZ in memory. */
void cw_check_wacz(cw_check *check, crawl_slice bytes);

/* Checks datapackage.json against the entries, and its digest and signature. *requires: it names other WACZ that it
 * needs. */
void cw_check_wacz_manifest(cw_check *check, const cw_zip *zip, bool *requires);
/* Finds the index, and checks the blocks of a compressed one. index: its lines, borrowed or in room; data NULL: none.
 * check->inner names it. */
void cw_check_wacz_index(cw_check *check, const cw_zip *zip, crawl_buf *room, crawl_slice *index);
/* Checks a list of pages, each of which must be in the index. */
void cw_check_wacz_pages(cw_check *check, const cw_zip_entry *pages, crawl_slice index);
