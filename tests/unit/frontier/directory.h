/* Directories for durable frontiers: made in memory where there is such a file system, so that bringing files to the disk takes no
 * time, or else below that for temporary files; and removed with all that is in them. */
#ifndef TEST_FRONTIER_DIRECTORY_H
#define TEST_FRONTIER_DIRECTORY_H

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

static inline int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline void remove_directory(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
