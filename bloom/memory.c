/* See memory.h. A filter is hit at random, so nearly every access misses the TLB under 4 KiB pages: huge pages make
 * operations on large filters up to twice as fast. */
#include "bloom/memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define LINE 64

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Maps a huge page more than asked for, and gives back what lies before and behind the aligned part. */
static void *map_aligned(size_t bytes)
{
    char *whole = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED)
        return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)whole % HUGE_PAGE) % HUGE_PAGE;
    if (before)
        munmap(whole, before);
    munmap(whole + before + bytes, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(whole + before, bytes, MADV_HUGEPAGE); /* advice: without it the filter is slower, not wrong */
#endif
    return whole + before;
}

crawl_err cw_pages_get(uint64_t bytes, uint64_t most, cw_pages *out)
{
    if (bytes > most || bytes > SIZE_MAX / 2)
        return CRAWL_ENOMEM;
    bool large = bytes >= HUGE_PAGE;
    size_t size = round_up((size_t)bytes, large ? (size_t)sysconf(_SC_PAGESIZE) : LINE);
    void *data = large ? map_aligned(size) : aligned_alloc(LINE, size);
    if (!data)
        return CRAWL_ENOMEM;
    if (!large)
        memset(data, 0, size);
    *out = (cw_pages){.data = data, .bytes = size};
    return CRAWL_OK;
}

void cw_pages_free(cw_pages *pages)
{
    if (pages->bytes >= HUGE_PAGE)
        munmap(pages->data, pages->bytes);
    else
        free(pages->data);
    *pages = (cw_pages){0};
}

uint64_t cw_pages_most(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}
