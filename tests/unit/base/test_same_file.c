/* Paths that lead to one file, whether it exists or not. */
#include "base/files/same_file.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

Test(same_file, spellings_and_links)
{
    static const struct {
        const char *path, *other;
        bool is_same;
    } cases[] = {
        {"new", "new", true},
        {"new", "./new", true},
        {"new", "sub/../new", true},
        {"new", "link/../new", true},
        {"sub/new", "link/new", true},
        {"new", "sub/new", false},
        {"new", "other", false},
        {"none/new", "./none/new", false},
        {"old", "./old", true},
        {"old", "symbolic", true},
        {"old", "hard", true},
        {"old", "new", false},
        {"old", "sub/old", false},
        {"/dev/null", "/dev/../dev/null", false},
        {"/new-name", "//new-name", true},
    };
    char folder[] = "/tmp/crawl-same-XXXXXX";
    cr_assert(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(mkdir("sub", 0755), 0);
    close(open("old", O_CREAT | O_WRONLY, 0644));
    close(open("sub/old", O_CREAT | O_WRONLY, 0644));
    cr_assert_eq(symlink("sub", "link") | symlink("old", "symbolic") | link("old", "hard"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(cw_same_file(cases[i].path, cases[i].other), cases[i].is_same, "%s and %s", cases[i].path,
                     cases[i].other);
    cr_assert_eq(unlink("sub/old") | unlink("old") | unlink("hard") | unlink("symbolic") | unlink("link"), 0);
    cr_assert_eq(rmdir("sub") | rmdir(folder), 0);
}
