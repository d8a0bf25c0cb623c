/* Memory for large arrays that are accessed at random: in huge pages, taken from the machine when it is touched or step
 * by step, so that no single call waits long. */
#pragma once

#include "base/huge_page.h"

#include <crawl/base.h>

/* The most that one call takes from the machine at once: a huge page. */
#define CW_BLOOM_PAGES_STEP CW_HUGE_PAGE

typedef enum cw_bloom_pages_how { CW_PAGES_HEAP, CW_PAGES_MAPPED, CW_PAGES_FILE } cw_bloom_pages_how;

typedef struct cw_bloom_pages {
    void *data; /* aligned to 64 bytes at least */
    size_t bytes;
    cw_bloom_pages_how how;
} cw_bloom_pages;

/* Allocates bytes of zeros. From 2 MiB on they are mapped, aligned for huge pages, and taken from the machine when
 * first touched. CRAWL_ENOMEM: refused, and *out is unchanged; also for more than `most` bytes, see
 * cw_bloom_pages_most. */
crawl_err cw_bloom_pages_get(uint64_t bytes, uint64_t most, cw_bloom_pages *out);

/* A private copy of a part of a file, read when first touched: what is written to it stays in memory. offset is a
 * multiple of the size of a page. CRAWL_ENOMEM: refused. */
crawl_err cw_bloom_pages_of_file(int file, uint64_t offset, uint64_t bytes, cw_bloom_pages *out);

/* Makes the memory larger; the added part is zero and not yet taken from the machine. The memory may move: mapped pages
 * without a copy (some microseconds for each GiB of huge pages), others with a copy. CRAWL_ENOMEM: nothing has
 * changed. */
crawl_err cw_bloom_pages_grow(cw_bloom_pages *pages, uint64_t bytes, uint64_t most);

/* Takes the memory of this range from the machine now, so that no later access has to wait for it: some 0.1 to 0.5 ms
 * for CW_BLOOM_PAGES_STEP. Content stays as it is. from + bytes may lie beyond the end. */
void cw_bloom_pages_touch(const cw_bloom_pages *pages, size_t from, size_t bytes);

/* Gives the whole pages in this range back to the machine. Their content is lost: it may read as anything. */
void cw_bloom_pages_drop(cw_bloom_pages *pages, size_t from, size_t bytes);

void cw_bloom_pages_free(cw_bloom_pages *pages);

/* The bytes of memory that the machine has. A larger filter is refused at once: a kernel that overcommits would grant
 * it, and kill the process later. */
uint64_t cw_bloom_pages_most(void);
