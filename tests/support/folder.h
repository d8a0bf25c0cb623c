/* A folder of a test's own, removed with all that is in it: init and fini of a suite. By this process, which may have
 * no right any more to run another. */
#ifndef TEST_FOLDER_H
#define TEST_FOLDER_H

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/crawl-test-XXXXXX";

static inline void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
}

static inline int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static inline void remove_folder(void)
{
    cr_assert_eq(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
