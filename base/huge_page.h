/* Requests huge pages. Random access to memory in 4 KiB pages misses the TLB nearly every time. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define CW_HUGE_PAGE ((size_t)2 << 20)

/* Returns the bytes from a block's start to the first huge page boundary. */
static inline size_t cw_before_huge_page(const void *block)
{
    return (CW_HUGE_PAGE - (uintptr_t)block % CW_HUGE_PAGE) % CW_HUGE_PAGE;
}

/* Requests huge pages, from the first boundary in a block to the block's end. A hint: without it everything works, but
 * slower. */
static inline void cw_ask_for_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    size_t before = cw_before_huge_page(block);
    if (bytes >= before + CW_HUGE_PAGE)
        madvise((char *)block + before, bytes - before, MADV_HUGEPAGE);
#else
    (void)block;
    (void)bytes;
#endif
}
