/* ZIP files as WACZ has them: written with stored entries alone, and read with what is wrong in them. */
#pragma once

#include <crawl/base.h>

/* The most entries that are written, and read. */
#define CW_ZIP_ENTRIES_MAX 20000u

typedef struct cw_zip_entry {
    char *name;      /* owned */
    uint64_t header; /* offset of its local header */
    uint64_t size;   /* inflated */
    uint32_t crc;
    char sha256[65];  /* of what was written */
    crawl_slice data; /* of what was read, as it lies in the file: borrowed; without data: it lies nowhere */
    uint16_t method;  /* 0: stored; 8: deflated */
} cw_zip_entry;

typedef struct cw_zip {
    int file; /* to write to; borrowed */
    uint64_t bytes;
    cw_zip_entry *entries;
    size_t count, capacity;
} cw_zip;

/* Writes an entry. CRAWL_EIO: errno says why. CRAWL_ENOMEM. CRAWL_FULL: there are too many. */
crawl_err cw_zip_add(cw_zip *zip, const char *name, crawl_slice content);
/* Writes the directory of all entries. Errors as above. */
crawl_err cw_zip_end(cw_zip *zip);
void cw_zip_free(cw_zip *zip);

/* Gets each fault of a file: at which byte, and what. */
typedef void (*cw_zip_fault)(void *user, uint64_t offset, const char *what);

/* Reads the directory of a file in memory, and holds the local headers against it; not the data. CRAWL_ECORRUPT: the
 * directory ends where an entry cannot be read, which was told. CRAWL_ENOMEM. To be freed whatever it returns. */
crawl_err cw_zip_read(crawl_slice bytes, cw_zip *out, cw_zip_fault fault, void *user);

/* NULL: there is no such entry. */
const cw_zip_entry *cw_zip_find(const cw_zip *zip, const char *name);
/* The entry's content: its data, or what they are deflated of, in room. CRAWL_ECORRUPT: they cannot be inflated, or
 * their size or checksum is another one. CRAWL_ENOMEM. */
crawl_err cw_zip_content(const cw_zip_entry *entry, crawl_buf *room, crawl_slice *out);

/* SHA-256 as 64 hexadecimal digits. CRAWL_ENOMEM: the library failed. */
crawl_err cw_zip_sha256(crawl_slice bytes, char hex[65]);
