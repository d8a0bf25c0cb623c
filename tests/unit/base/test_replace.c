/* Files that are replaced as a whole. unit/bloom_file_failures tests failures of each system call. */
#include "base/files/replace.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char folder[64];
static unsigned synced_files;
static unsigned synced_folders;

int fsync(int file)
{
    struct stat status;
    cr_assert_eq(fstat(file, &status), 0);
    synced_files += S_ISREG(status.st_mode);
    synced_folders += S_ISDIR(status.st_mode);
    return (int)syscall(SYS_fsync, file);
}

static void make_folder(void)
{
    strcpy(folder, "/tmp/crawl-replace-XXXXXX");
    cr_assert(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
    umask(022);
}

static void remove_folder(void)
{
    DIR *list = opendir(folder);
    for (struct dirent *entry; (entry = readdir(list));)
        unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    rmdir(folder);
}

TestSuite(replace, .init = make_folder, .fini = remove_folder);

static unsigned count_files(void)
{
    unsigned count = 0;
    DIR *list = opendir(".");
    for (struct dirent *entry; (entry = readdir(list));)
        count += entry->d_type != DT_DIR;
    closedir(list);
    return count;
}

static void put(const char *path, const char *text, mode_t mode)
{
    crawl_error error = {0};
    cr_assert_eq(cw_replace_file(path, crawl_slice_from(text), mode, &error), CRAWL_OK, "%s", error.message);
}

static void expect(const char *path, const char *text, mode_t mode)
{
    char there[64] = "";
    struct stat status;
    FILE *file = fopen(path, "r");
    cr_assert(file);
    there[fread(there, 1, sizeof there - 1, file)] = '\0';
    fclose(file);
    cr_assert_str_eq(there, text);
    cr_assert_eq(lstat(path, &status), 0);
    cr_assert(S_ISREG(status.st_mode));
    cr_assert_eq(status.st_mode & 0777, mode);
}

Test(replace, a_text_becomes_a_file_and_nothing_is_left_beside_it)
{
    put("file", "one", 0666);
    expect("file", "one", 0644);
    put("file", "two, which is longer", 0666);
    expect("file", "two, which is longer", 0644);
    put("file", "", 0666);
    expect("file", "", 0644);
    cr_assert_eq(count_files(), 1);
}

Test(replace, the_file_and_its_name_are_brought_to_the_disk)
{
    put("file", "one", 0666);
    cr_assert_eq(synced_files, 1);
    cr_assert_eq(synced_folders, 1);
    char path[128];
    snprintf(path, sizeof path, "%s/file", folder);
    put(path, "two", 0666);
    cr_assert_eq(synced_folders, 2);
}

Test(replace, permissions_are_those_of_the_old_file_as_far_as_they_are_allowed)
{
    const struct {
        mode_t old;
        mode_t mode;
        mode_t expected;
    } cases[] = {{0644, 0600, 0600}, {0400, 0600, 0400}, {0664, 0666, 0664}, {0600, 0666, 0600}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put("file", "secret", 0600);
        cr_assert_eq(chmod("file", cases[i].old), 0);
        put("file", "new", cases[i].mode);
        expect("file", "new", cases[i].expected);
        unlink("file");
    }
}

Test(replace, what_an_earlier_run_left_is_not_in_the_way)
{
    cr_assert_eq(symlink("elsewhere", "file.new"), 0);
    cr_assert_eq(symlink("elsewhere", "file.tmp"), 0);
    put("file", "one", 0600);
    expect("file", "one", 0600);
    cr_assert_eq(access("elsewhere", F_OK), -1);
    cr_assert_eq(count_files(), 3);
}

Test(replace, what_is_no_regular_file_stays)
{
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    cr_assert_eq(symlink("/dev/null", "device"), 0);
    cr_assert_eq(mkdir("folder", 0700), 0);
    const char *const paths[] = {"pipe", "device", "folder", "/dev/null"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        crawl_error error = {0};
        cr_assert_eq(cw_replace_file(paths[i], crawl_slice_from("text"), 0600, &error), CRAWL_EIO);
        cr_assert(cw_replace_file(paths[i], crawl_slice_from("text"), 0600, NULL) == CRAWL_EIO);
        cr_assert(strstr(error.message, paths[i]) && strstr(error.message, "not a regular file"), "%s", error.message);
    }
    cr_assert_eq(count_files(), 2);
    struct stat status;
    cr_assert(lstat("pipe", &status) == 0 && S_ISFIFO(status.st_mode));
    rmdir("folder");
}

Test(replace, folders_are_removed_with_all_that_is_in_them)
{
    put("kept", "text", 0644);
    cr_assert_eq(mkdir("gone", 0700), 0);
    cr_assert_eq(mkdir("gone/deep", 0700), 0);
    put("gone/deep/file", "text", 0644);
    cr_assert_eq(symlink("..", "gone/deep/up"), 0);
    cr_assert_eq(symlink("../kept", "gone/file"), 0);
    cw_remove_folder("gone");
    cr_assert_neq(access("gone", F_OK), 0);
    cr_assert_eq(access("kept", F_OK), 0, "links are not followed");
    cw_remove_folder("gone");
    cr_assert_eq(access("kept", F_OK), 0);
}
