/* A temporary folder of a test, removed with its contents: init and fini of a suite. Removal happens in this process,
 * which may no longer have the right to run another one. */
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
