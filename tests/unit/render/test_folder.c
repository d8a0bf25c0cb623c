/* Tests the browser's folder: those left behind by a killed process are removed, and no others. */
#include "render/folder.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char below[] = "/tmp/crawl-folders-XXXXXX";

static void setup(void)
{
    cr_assert(mkdtemp(below));
    setenv("TMPDIR", below, 1);
}

static void teardown(void)
{
    rmdir(below);
}

TestSuite(folder, .init = setup, .fini = teardown);

static cw_render_folder make(void)
{
    cw_render_folder folder;
    crawl_error error = {0};
    cr_assert_eq(cw_render_folder_make(&folder, &error), CRAWL_OK, "%s", error.message);
    return folder;
}

/* Runs a process that makes a folder with a file in it and is killed. */
static void leave_one(char path[128])
{
    int told[2];
    cr_assert_eq(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        cw_render_folder folder = make();
        int file = openat(folder.lock, "file", O_CREAT | O_WRONLY, 0600);
        _exit(file < 0 || write(told[1], folder.path, sizeof folder.path) != sizeof folder.path || raise(SIGKILL));
    }
    cr_assert_eq(read(told[0], path, 128), 128);
    cr_assert_eq(waitpid(pid, NULL, 0), pid);
    close(told[0]);
    close(told[1]);
}

Test(folder, one_left_behind_is_removed)
{
    char left[128];
    leave_one(left);
    cr_assert_eq(access(left, F_OK), 0);
    cw_render_folder folder = make();
    cr_assert(access(left, F_OK));
    cw_render_folder_remove(&folder);
    cr_assert(access(folder.path, F_OK));
}

Test(folder, a_path_that_is_too_long_is_named_so)
{
    cw_render_folder folder;
    crawl_error error = {0};
    char path[200] = "/";
    memset(path + 1, 'x', sizeof path - 2);
    setenv("TMPDIR", path, 1);
    cr_assert_neq(cw_render_folder_make(&folder, &error), CRAWL_OK);
    cr_assert(strstr(error.message, strerror(ENAMETOOLONG)), "%s", error.message);
}

Test(folder, those_in_use_and_those_of_others_stay)
{
    cw_render_folder used = make();
    char foreign[128], other[128];
    snprintf(foreign, sizeof foreign, "%s/crawl-render-foreign", below);
    snprintf(other, sizeof other, "%s/crawl-other", below);
    cr_assert(!mkdir(foreign, 0700) && !mkdir(other, 0700));
    bool is_foreign = !chown(foreign, 1, 1); /* only root can */
    cw_render_folder folder = make();
    cr_assert_eq(access(used.path, F_OK), 0);
    cr_assert_eq(access(other, F_OK), 0);
    cr_assert_eq(access(foreign, F_OK), is_foreign ? 0 : -1);
    cw_render_folder_remove(&folder);
    cw_render_folder_remove(&used);
    rmdir(foreign);
    rmdir(other);
}
