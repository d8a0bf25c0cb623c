/* Zeroed memory for large arrays that are hit at random. */
#ifndef CW_BLOOM_MEMORY_H
#define CW_BLOOM_MEMORY_H

#include <crawl/base.h>

typedef struct cw_pages {
    void *data; /* aligned to 64 bytes at least */
    size_t bytes;
} cw_pages;

/* bytes zeroed. From 2 MiB on they are mapped, aligned for huge pages, and taken from the machine when first touched.
 * CRAWL_ENOMEM: refused, *out is as it was; also for more than `most` bytes, see cw_pages_most. */
crawl_err cw_pages_get(uint64_t bytes, uint64_t most, cw_pages *out);
void cw_pages_free(cw_pages *pages);

/* Bytes of memory the machine has. A filter larger than that is refused at once: where the kernel overcommits it would
 * be granted, and the process killed later. */
uint64_t cw_pages_most(void);

#endif
