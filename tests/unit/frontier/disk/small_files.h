/* Files that can grow to a fixed size and no more, as on a full disk. */
#pragma once

#include <criterion/criterion.h>
#include <signal.h>
#include <sys/resource.h>

enum { SMALL_FILE = 150010 }; /* bytes: more than is reserved at once, and not a whole number of records or words */

/* Limits the process of this test. */
static inline void limit_files(void)
{
    struct rlimit limit = {.rlim_cur = SMALL_FILE, .rlim_max = SMALL_FILE};
    cr_assert_neq(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
