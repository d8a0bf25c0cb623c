/* A folder of a test's own, removed with all that is in it: init and fini of a suite. By this process, which may have
 * no right any more to run another. */
#pragma once

#include <criterion/criterion.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/crawl-test-XXXXXX";

static inline void make_folder(void)
{
    cr_assert_not_null(mkdtemp(folder));
}

static inline int remove_one(const char *path, const struct stat *, int, struct FTW *)
{
    return remove(path);
}

static inline void remove_folder(void)
{
    cr_assert_eq(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}
