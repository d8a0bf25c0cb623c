/* The checks of WARC and WACZ files. All return CRAWL_OK or CRAWL_ENOMEM, and leave check->inner as any. */
#ifndef CW_CHECK_PARTS_H
#define CW_CHECK_PARTS_H

#include "tools/warc/check_fault.h"
#include "tools/warc/zip.h"

/* A whole record. An index has all answers, and may have others. */
typedef struct cw_check_record {
    uint64_t offset;
    bool is_answer;
    bool is_indexed;
} cw_check_record;

typedef struct cw_check_archive {
    const char *name; /* without its folder; borrowed */
    crawl_slice bytes;
    cw_check_record *records; /* in the order of their offsets */
    size_t count, capacity;
} cw_check_archive;

/* Checks the records of a WARC, whose name and bytes are set. */
crawl_err cw_check_warc(cw_check *check, cw_check_archive *warc);
void cw_check_archive_free(cw_check_archive *warc);

/* Checks the lines of an index against the records of these files, and marks those that have a line. resolves: answers
 * that revisits refer to are to be in it too. */
crawl_err cw_check_index(cw_check *check, crawl_slice lines, cw_check_archive *warcs, size_t count, bool resolves);
/* Tells answers of a file without a line in the index. */
void cw_check_indexed(cw_check *check, const cw_check_archive *warc);

/* Checks a WACZ in memory. */
crawl_err cw_check_wacz(cw_check *check, crawl_slice bytes);

/* Checks datapackage.json against the entries, and its digest and signature. requires: does it name other WACZ that it
 * needs? */
crawl_err cw_check_wacz_manifest(cw_check *check, const cw_zip *zip, bool *requires);
/* Finds the index, and checks the blocks of a packed one. index: its lines, borrowed or in room; without data: there is
 * none. check->inner names it. */
crawl_err cw_check_wacz_index(cw_check *check, const cw_zip *zip, crawl_buf *room, crawl_slice *index);
/* Checks a list of pages, each of which must be in the index. */
crawl_err cw_check_wacz_pages(cw_check *check, const cw_zip_entry *pages, crawl_slice index);

#endif
