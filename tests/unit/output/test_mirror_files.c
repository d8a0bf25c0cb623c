/* The files of an offline copy: nothing is written or read outside the folder, whatever was planted in it, with openat2
 * and on systems that lack or forbid that call. */
#include "base/bytes.h"
#include "crawler/output/mirror/files.h"
#include "tests/support/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void set_up(void)
{
    make_folder();
    cr_assert_eq(chdir(folder), 0);
    cr_assert_eq(mkdir("outside", 0777), 0);
}

TestSuite(mirror_files, .init = set_up, .fini = remove_folder);

/* From now on a system call fails with this reason in this process, if all these bits of its third argument are set. */
static void forbid(unsigned call, unsigned bits, unsigned reason)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, bits, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | reason),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
    cr_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    cr_assert_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0, "%s", strerror(errno));
}

static cw_mirror_files *open_copy(void)
{
    cw_mirror_files *files = NULL;
    crawl_error error = {0};
    cr_assert_eq(cw_mirror_files_open("copy", &files, &error), CRAWL_OK, "%s", error.message);
    return files;
}

static crawl_err put(cw_mirror_files *files, const char *path, crawl_error *error)
{
    return cw_mirror_files_write(files, crawl_slice_from(path), crawl_slice_from("new"), error);
}

static void expect_file(const char *path, const char *content)
{
    char found[16] = "";
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    cr_assert_not_null(fgets(found, sizeof found, file), "%s", path);
    fclose(file);
    cr_assert_str_eq(found, content, "%s", path);
}

static void make_file(const char *path)
{
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs("as it was", file) >= 0 && fclose(file) == 0, "%s", path);
}

/* Plants a symbolic link, a link to a file outside, and a file in place of a folder, at the start and at the end of
 * paths. */
static void plant(void)
{
    make_file("outside/file.html");
    cr_assert_eq(mkdir("copy/host", 0777), 0);
    cr_assert_eq(mkdir("copy/host/a", 0777), 0);
    make_file("copy/host/file");
    cr_assert_eq(symlink("../outside", "copy/first"), 0);
    cr_assert_eq(symlink("../../../outside", "copy/host/a/last"), 0);
    cr_assert_eq(symlink("a", "copy/host/inside"), 0);
    cr_assert_eq(symlink("../../../outside/file.html", "copy/host/a/link.html"), 0);
    cr_assert_eq(symlink("nowhere", "copy/host/dangling"), 0);
}

static const char *const refused[] = {
    "first/file.html",        "first/new/file.html",   "host/a/last/file.html", "host/a/last/new/b.html",
    "host/inside/file.html",  "host/dangling/b.html",  "host/file/b.html",      "host/../../outside/file.html",
    "../outside/file.html",   "host/./b.html",         "host//b.html",          "/host/b.html",
    "host/a/../../../b.html", "host/a/last/../b.html",
};

static void expect_refused(cw_mirror_files *files, const char *path)
{
    crawl_error error = {0};
    crawl_buf body = {0};
    cr_assert_eq(put(files, path, &error), CRAWL_EIO, "%s", path);
    cr_assert(strstr(error.message, path) && *error.message, "%s: %s", path, error.message);
    cr_assert_neq(cw_mirror_files_read(files, crawl_slice_from(path), &body, NULL), CRAWL_OK, "%s", path);
    cr_assert_not(cw_mirror_files_has(files, crawl_slice_from(path)), "%s", path);
    cw_mirror_files_remove(files, crawl_slice_from(path));
    crawl_buf_free(&body);
}

static void expect_replaced(cw_mirror_files *files)
{
    struct stat info;
    cr_assert_not(cw_mirror_files_has(files, crawl_slice_from("host/a/link.html")));
    cr_assert_eq(put(files, "host/a/link.html", NULL), CRAWL_OK);
    cr_assert(lstat("copy/host/a/link.html", &info) == 0 && S_ISREG(info.st_mode));
    expect_file("copy/host/a/link.html", "new");
}

static void expect_kept(cw_mirror_files *files)
{
    cr_assert_eq(put(files, "host/a/b/c/d.html", NULL), CRAWL_OK); /* with missing folders */
    cr_assert_eq(put(files, "host/a/b/c/e.html", NULL), CRAWL_OK); /* and without */
    expect_file("copy/host/a/b/c/d.html", "new");
    cr_assert(cw_mirror_files_holds(files, crawl_slice_from("host/a/b/c/e.html"), crawl_slice_from("new")));
    cw_mirror_files_remove(files, crawl_slice_from("host/a/b/c/e.html"));
    cr_assert_not(cw_mirror_files_has(files, crawl_slice_from("host/a/b/c/e.html")));
    cr_assert_not(cw_mirror_files_has(files, crawl_slice_from("host/x/y/z.html")));
    cr_assert_neq(access("copy/host/x", F_OK), 0, "a look made a folder");
}

/* reason: the error of openat2; 0: it works. */
static void expect_nothing_outside(unsigned reason)
{
    cw_mirror_files *files = open_copy();
    plant();
    if (reason)
        forbid(SYS_openat2, 0, reason);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_refused(files, refused[i]);
    expect_replaced(files);
    expect_kept(files);
    expect_file("outside/file.html", "as it was");
    cr_assert_neq(rmdir("outside"), 0);
    cr_assert_eq(unlink("outside/file.html"), 0);
    cr_assert_eq(rmdir("outside"), 0, "something else was written there");
    cw_mirror_files_free(files);
}

Test(mirror_files, nothing_outside)
{
    expect_nothing_outside(0);
}

Test(mirror_files, nothing_outside_where_the_system_is_old)
{
    expect_nothing_outside(ENOSYS);
}

Test(mirror_files, nothing_outside_where_a_sandbox_forbids_the_call)
{
    expect_nothing_outside(EPERM);
}

/* Even if the folders of a path may not be opened one by one, a file can be written into existing folders. */
Test(mirror_files, one_call_leads_to_a_folder)
{
    cw_mirror_files *files = open_copy();
    cr_assert_eq(put(files, "host/a/b/c/d.html", NULL), CRAWL_OK);
    if (syscall(SYS_openat2, -1, "", NULL, 0) && (errno == ENOSYS || errno == EPERM))
        cr_skip_test("this system has no openat2");
    forbid(SYS_openat, O_DIRECTORY | O_NOFOLLOW, EACCES);
    cr_assert_eq(put(files, "host/a/b/c/e.html", NULL), CRAWL_OK);
    cr_assert(cw_mirror_files_holds(files, crawl_slice_from("host/a/b/c/e.html"), crawl_slice_from("new")));
    cr_assert_eq(put(files, "host/x/e.html", NULL), CRAWL_EIO);
    cw_mirror_files_free(files);
}
