/* See bloom_memory.h. A filter is accessed at random, so nearly every access misses the TLB with 4 KiB pages: huge
 * pages make operations on large filters up to twice as fast. */
#include "bloom/bloom_memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE 64

static size_t bloom_memory_round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Maps one huge page more than requested, and unmaps the parts before and after the aligned range. */
static void *map_aligned(size_t bytes)
{
    char *whole = mmap(NULL, bytes + CW_HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED)
        return NULL;
    size_t before = cw_before_huge_page(whole);
    if (before)
        munmap(whole, before);
    munmap(whole + before + bytes, CW_HUGE_PAGE - before);
    cw_ask_for_huge_pages(whole + before, bytes);
    return whole + before;
}

crawl_err cw_bloom_pages_get(uint64_t bytes, uint64_t most, cw_bloom_pages *out)
{
    if (bytes > most || bytes > SIZE_MAX / 2)
        return CRAWL_ENOMEM;
    bool large = bytes >= CW_HUGE_PAGE;
    size_t size = bloom_memory_round_up((size_t)bytes, large ? page_size() : LINE);
    void *data = large ? map_aligned(size) : aligned_alloc(LINE, size);
    if (!data)
        return CRAWL_ENOMEM;
    if (!large)
        memset(data, 0, size);
    *out = (cw_bloom_pages){.data = data, .bytes = size, .how = large ? CW_PAGES_MAPPED : CW_PAGES_HEAP};
    return CRAWL_OK;
}

crawl_err cw_bloom_pages_of_file(int file, uint64_t offset, uint64_t bytes, cw_bloom_pages *out)
{
    if (bytes == 0 || bytes > SIZE_MAX / 2 || offset > INT64_MAX)
        return CRAWL_ENOMEM;
    size_t size = bloom_memory_round_up((size_t)bytes, page_size());
    /* No reserve for all of it, since hardly all of it will be written to: it may be larger than the memory. */
    void *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, file, (off_t)offset);
    if (data == MAP_FAILED)
        return CRAWL_ENOMEM;
    *out = (cw_bloom_pages){.data = data, .bytes = size, .how = CW_PAGES_FILE};
    return CRAWL_OK;
}

/* Enlarges a mapping and moves its pages if needed, in one call: it stays one mapping, which can be moved again. */
static bool move_mapped(cw_bloom_pages *pages, size_t size)
{
    char *data = map_aligned(size);
    if (!data)
        return false;
    if (mremap(pages->data, pages->bytes, size, MREMAP_MAYMOVE | MREMAP_FIXED, data) == MAP_FAILED) {
        munmap(data, size);
        return false;
    }
    pages->data = data;
    pages->bytes = size;
    return true;
}

crawl_err cw_bloom_pages_grow(cw_bloom_pages *pages, uint64_t bytes, uint64_t most)
{
    if (bytes <= pages->bytes)
        return CRAWL_OK;
    if (bytes > most || bytes > SIZE_MAX / 2)
        return CRAWL_ENOMEM;
    if (pages->how == CW_PAGES_MAPPED)
        return move_mapped(pages, bloom_memory_round_up((size_t)bytes, page_size())) ? CRAWL_OK : CRAWL_ENOMEM;
    cw_bloom_pages larger;
    crawl_err err = cw_bloom_pages_get(bytes, most, &larger);
    if (err)
        return err;
    memcpy(larger.data, pages->data, pages->bytes);
    cw_bloom_pages_free(pages);
    *pages = larger;
    return CRAWL_OK;
}

/* For kernels before Linux 5.14, which lack the call: rewrites each page with its content. */
static void touch_by_hand(volatile char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += page_size())
        data[i] = data[i];
}

void cw_bloom_pages_touch(const cw_bloom_pages *pages, size_t from, size_t bytes)
{
    if (pages->how == CW_PAGES_HEAP || from >= pages->bytes)
        return;
    size_t end = bytes < pages->bytes - from ? from + bytes : pages->bytes;
    size_t begin = from / page_size() * page_size();
    char *data = (char *)pages->data + begin;
#ifdef MADV_POPULATE_WRITE
    if (madvise(data, bloom_memory_round_up(end, page_size()) - begin, MADV_POPULATE_WRITE) == 0)
        return;
#endif
    touch_by_hand(data, end - begin);
}

void cw_bloom_pages_drop(cw_bloom_pages *pages, size_t from, size_t bytes)
{
    if (pages->how == CW_PAGES_HEAP || from >= pages->bytes)
        return;
    size_t end = (bytes < pages->bytes - from ? from + bytes : pages->bytes) / page_size() * page_size();
    size_t begin = bloom_memory_round_up(from, page_size());
    if (begin < end)
        madvise((char *)pages->data + begin, end - begin, MADV_DONTNEED);
}

void cw_bloom_pages_free(cw_bloom_pages *pages)
{
    if (pages->how != CW_PAGES_HEAP)
        munmap(pages->data, pages->bytes);
    else
        free(pages->data);
    *pages = (cw_bloom_pages){0};
}

uint64_t cw_bloom_pages_most(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}
