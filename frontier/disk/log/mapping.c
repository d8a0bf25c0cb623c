#include "frontier/disk/log/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

/* The numbers of these file systems in statfs(2). */
#define EXT4_TYPE 0xef53
#define TMPFS_TYPE 0x01021994

/* Bytes reserved by one call: one call serves many hundred writes, and no more space than this lies idle in a small
 * directory or on a nearly full disk. */
#define STEP ((size_t)64 << 10)

_Static_assert(sizeof(_Atomic uint64_t) == CW_DISK_MAPPING_WORD, "an atomic word is a word");

static bool may_be_mapped(int file)
{
    struct statfs system;
    return fstatfs(file, &system) == 0 && (system.f_type == EXT4_TYPE || system.f_type == TMPFS_TYPE);
}

void cw_disk_mapping_open(cw_disk_mapping *mapping, int file, size_t size)
{
    *mapping = (cw_disk_mapping){.file = file};
    if (!may_be_mapped(file))
        return;
    void *words = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (words == MAP_FAILED)
        return;
    mapping->words = words;
    mapping->size = size;
}

void cw_disk_mapping_close(cw_disk_mapping *mapping)
{
    if (mapping->words)
        munmap((void *)mapping->words, mapping->size);
    mapping->words = NULL;
}

static bool reserve_step(cw_disk_mapping *mapping)
{
    size_t left = mapping->size - mapping->reserved;
    size_t step = left < STEP ? left : STEP;
    int failed;
    do
        failed = fallocate(mapping->file, 0, (off_t)mapping->reserved, (off_t)step);
    while (failed && errno == EINTR);
    mapping->reserved += failed ? 0 : step;
    return !failed;
}

/* Returns true if the file is mapped and the blocks up to this byte are allocated. */
static bool may_store(cw_disk_mapping *mapping, size_t end)
{
    while (mapping->words && mapping->reserved < end)
        if (!reserve_step(mapping))
            cw_disk_mapping_close(mapping);
    return mapping->words;
}

bool cw_disk_mapping_write_by_call(int file, const void *bytes, size_t size, size_t at)
{
    ssize_t written = pwrite(file, bytes, size, (off_t)at);
    if (written >= 0 && written < (ssize_t)size)
        errno = ENOSPC;
    return written == (ssize_t)size;
}

bool cw_disk_mapping_write(cw_disk_mapping *mapping, const void *bytes, size_t size, size_t at)
{
    if (!may_store(mapping, at + size))
        return cw_disk_mapping_write_by_call(mapping->file, bytes, size, at);
    _Atomic uint64_t *to = mapping->words + at / CW_DISK_MAPPING_WORD;
    for (const char *from = bytes; size; size -= CW_DISK_MAPPING_WORD, from += CW_DISK_MAPPING_WORD) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        atomic_store_explicit(to++, word, memory_order_release);
    }
    return true;
}
