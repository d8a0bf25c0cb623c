/* Asks for huge pages. Memory that is accessed at random misses the TLB at nearly every access if its pages have 4
 * KiB. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define CW_HUGE_PAGE ((size_t)2 << 20)

/* Bytes from a block's start to the first huge page that begins in it. */
static inline size_t cw_before_huge_page(const void *block)
{
    return (CW_HUGE_PAGE - (uintptr_t)block % CW_HUGE_PAGE) % CW_HUGE_PAGE;
}

/* Asks for huge pages, from the first one that begins in a block to the block's end. It is advice: if the kernel does
 * not take it, everything works, only slower. */
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
