/* Directories for durable frontiers: in a file system in memory if there is one, so that syncs take no time, otherwise
 * in the temporary folder; removed with all contents. */
#pragma once

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { RESERVED_MOST = 1 << 20 };

/* Replaces the C library's: RocksDB preallocates 70 MiB for each log, which a file system in memory would clear page by
 * page at each opening, and release at each close. Our own reserve is far smaller, and is made. */
__attribute__((visibility("default"))) int fallocate(int file, int mode, off_t offset, off_t size)
{
    return size > RESERVED_MOST ? 0 : (int)syscall(SYS_fallocate, file, mode, offset, size);
}

typedef struct directory {
    char path[256];
} directory;

static inline directory make_directory(void)
{
    directory made;
    const char *base = getenv("TMPDIR");
    if (access("/dev/shm", W_OK) == 0)
        base = "/dev/shm";
    snprintf(made.path, sizeof made.path, "%s/crawl-frontier-XXXXXX", base && *base ? base : "/tmp");
    cr_assert_not_null(mkdtemp(made.path));
    return made;
}

static inline int remove_entry(const char *path, const struct stat *, int, struct FTW *)
{
    return remove(path);
}

static inline void remove_directory(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Simulates a restart of the machine: the last writes of a process may be missing. Gives `written` another boot. */
static inline void start_machine_anew(const char *where)
{
    unsigned char bytes[80];
    char path[300];
    snprintf(path, sizeof path, "%s/written", where);
    int file = open(path, O_RDWR);
    cr_assert(file >= 0 && pread(file, bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes);
    bytes[8] ^= 1;
    uint64_t check = XXH3_64bits(bytes, 72);
    for (int i = 0; i < 8; i++)
        bytes[72 + i] = (unsigned char)(check >> (8 * i));
    cr_assert_eq(pwrite(file, bytes, sizeof bytes, 0), (ssize_t)sizeof bytes);
    close(file);
}
