/* ZIP files for WACZ: writes only stored entries, and reports faults when reading. */
#pragma once

#include <crawl/base.h>

/* Maximum number of entries, written or read. */
#define CW_ZIP_ENTRIES_MAX 20000u

typedef struct cw_zip_entry {
    char *name;      /* owned */
    uint64_t header; /* offset of its local header */
    uint64_t size;   /* decompressed */
    uint32_t crc;
    char sha256[65];  /* of written content */
    crawl_slice data; /* of read content, borrowed from the file; data NULL: not found */
    uint16_t method;  /* 0: stored; 8: deflated */
} cw_zip_entry;

typedef struct cw_zip {
    int file; /* for writing; borrowed */
    uint64_t bytes;
    cw_zip_entry *entries;
    size_t count, capacity;
} cw_zip;

/* Writes an entry. CRAWL_EIO: errno says why. CRAWL_ENOMEM. CRAWL_FULL: too many entries. */
crawl_err cw_zip_add(cw_zip *zip, const char *name, crawl_slice content);
/* Writes the directory. Errors as above. */
crawl_err cw_zip_end(cw_zip *zip);
void cw_zip_free(cw_zip *zip);

/* Called for each fault of a file: its offset, and what is wrong. */
typedef void (*cw_zip_fault)(void *user, uint64_t offset, const char *what);

/* Reads the directory of a file in memory, and compares it with the local headers, but not with the data.
 * CRAWL_ECORRUPT: the directory ends at an unreadable entry, which was reported. CRAWL_ENOMEM. Free the result in any
 * case. */
crawl_err cw_zip_read(crawl_slice bytes, cw_zip *out, cw_zip_fault fault, void *user);

/* NULL: no such entry. */
const cw_zip_entry *cw_zip_find(const cw_zip *zip, const char *name);
/* Gets the entry's content: its data, or the inflated data in room. CRAWL_ECORRUPT: it cannot be inflated, or has
 * another size or checksum. CRAWL_ENOMEM. */
crawl_err cw_zip_content(const cw_zip_entry *entry, crawl_buf *room, crawl_slice *out);

/* Computes a SHA-256 as 64 hexadecimal digits. CRAWL_ENOMEM: the library failed. */
crawl_err cw_zip_sha256(crawl_slice bytes, char hex[65]);
