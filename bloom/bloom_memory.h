/* Memory for large arrays that are accessed at random: in huge pages, faulted in when touched or step by step, so that
 * no single call waits long. */
#pragma once

#include "base/huge_page.h"

#include <crawl/base.h>

/* Maximum memory faulted in by one call: a huge page. */
#define CW_BLOOM_PAGES_STEP CW_HUGE_PAGE

typedef enum cw_bloom_pages_how { CW_PAGES_HEAP, CW_PAGES_MAPPED, CW_PAGES_FILE } cw_bloom_pages_how;

typedef struct cw_bloom_pages {
    void *data; /* aligned to at least 64 bytes */
    size_t bytes;
    cw_bloom_pages_how how;
} cw_bloom_pages;

/* Allocates zeroed bytes. From 2 MiB on they are mapped, aligned for huge pages, and faulted in when first touched.
 * CRAWL_ENOMEM: refused, and *out is unchanged; also for more than `most` bytes, see cw_bloom_pages_most. */
crawl_err cw_bloom_pages_get(uint64_t bytes, uint64_t most, cw_bloom_pages *out);

/* Maps a private copy of a part of a file, read when first touched; writes stay in memory. offset is a multiple of the
 * page size. CRAWL_ENOMEM: refused. */
crawl_err cw_bloom_pages_of_file(int file, uint64_t offset, uint64_t bytes, cw_bloom_pages *out);

/* Enlarges the memory; the added part is zero and not yet faulted in. The memory may move: mapped pages without a copy
 * (some microseconds per GiB of huge pages), others with a copy. CRAWL_ENOMEM: unchanged. */
crawl_err cw_bloom_pages_grow(cw_bloom_pages *pages, uint64_t bytes, uint64_t most);

/* Faults in this range now, so that no later access has to wait: about 0.1 to 0.5 ms for CW_BLOOM_PAGES_STEP. The
 * content is unchanged. from + bytes may lie beyond the end. */
void cw_bloom_pages_touch(const cw_bloom_pages *pages, size_t from, size_t bytes);

/* Returns the whole pages in this range to the kernel. Their content is lost and becomes undefined. */
void cw_bloom_pages_drop(cw_bloom_pages *pages, size_t from, size_t bytes);

void cw_bloom_pages_free(cw_bloom_pages *pages);

/* Returns the bytes of memory in the machine. A larger filter is refused at once: a kernel that overcommits would grant
 * it, and kill the process later. */
uint64_t cw_bloom_pages_most(void);
