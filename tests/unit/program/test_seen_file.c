/* A filter in a file: made, stored, locked, and refused. */
#include "crawler/program/commands/seen/seen_file.h"
#include "tests/support/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[100];
static crawl_error error;
static cw_seen_file *file;
static crawl_bloom *filter;

static void set_up(void)
{
    make_folder();
    snprintf(path, sizeof path, "%s/filter", folder);
}

TestSuite(seen_file, .init = set_up, .fini = remove_folder);

static crawl_err open_it(void)
{
    error = (crawl_error){0};
    filter = NULL;
    return cw_seen_file_open(path, &file, &filter, &error);
}

static crawl_bloom *create_exact(void)
{
    crawl_bloom_options options;
    crawl_bloom *made = NULL;
    crawl_bloom_options_init(&options);
    options.kind = CRAWL_BLOOM_EXACT;
    cr_assert_eq(crawl_bloom_create(&options, &made, NULL), CRAWL_OK);
    return made;
}

static void save_one_key(void)
{
    cr_assert_eq(open_it(), CRAWL_OK, "%s", error.message);
    crawl_bloom *made = filter ? filter : create_exact();
    crawl_bloom_add(made, "key", 3, NULL);
    cr_assert_eq(cw_seen_file_save(file, made, -1, &error), CRAWL_OK, "%s", error.message);
    crawl_bloom_free(made);
    cw_seen_file_close(file);
}

static void expect_key(void)
{
    cr_assert_eq(open_it(), CRAWL_OK, "%s", error.message);
    cr_assert_not_null(filter);
    cr_expect_eq(crawl_bloom_test(filter, "key", 3), CRAWL_EXISTS);
    crawl_bloom_free(filter);
    cw_seen_file_close(file);
}

Test(seen_file, what_is_saved_is_there_in_the_next_run)
{
    save_one_key();
    expect_key();
    expect_key();
}

Test(seen_file, a_new_one_that_was_never_saved_leaves_nothing_behind)
{
    cr_assert_eq(open_it(), CRAWL_OK, "%s", error.message);
    cr_expect_null(filter);
    cr_expect_eq(access(path, F_OK), 0, "it could be made");
    cw_seen_file_close(file);
    cr_expect_neq(access(path, F_OK), 0);
    cw_seen_file_close(NULL);
}

Test(seen_file, an_empty_file_is_a_new_one)
{
    close(open(path, O_CREAT | O_WRONLY, 0600));
    cr_assert_eq(open_it(), CRAWL_OK, "%s", error.message);
    cr_expect_null(filter);
    cw_seen_file_close(file);
    cr_expect_eq(access(path, F_OK), 0, "it is not ours to remove");
    save_one_key();
    expect_key();
}

Test(seen_file, one_run_at_a_time)
{
    save_one_key();
    cr_assert_eq(open_it(), CRAWL_OK);
    cw_seen_file *first = file;
    crawl_bloom *held = filter;
    cr_expect_eq(open_it(), CRAWL_EIO);
    cr_expect_not_null(strstr(error.message, "filter: another run has it open"), "%s", error.message);
    cr_expect_eq(cw_seen_file_save(first, held, -1, &error), CRAWL_OK);
    crawl_bloom_free(held);
    cw_seen_file_close(first);
    expect_key();
}

Test(seen_file, a_symbolic_link_stays_one)
{
    char link[100];
    struct stat status;
    save_one_key();
    snprintf(link, sizeof link, "%s/link", folder);
    cr_assert_eq(symlink("filter", link), 0);
    snprintf(path, sizeof path, "%s", link);
    save_one_key();
    cr_assert_eq(lstat(link, &status), 0);
    cr_expect(S_ISLNK(status.st_mode));
    expect_key();
}

Test(seen_file, what_is_no_filter_is_refused_and_left_alone)
{
    static const char text[] = "http://a.example/\nhttp://b.example/\n";
    char found[100] = "";
    int fd = open(path, O_CREAT | O_RDWR, 0600);
    cr_assert_eq(write(fd, text, sizeof text), (ssize_t)sizeof text);
    cr_expect_eq(open_it(), CRAWL_ECORRUPT);
    cr_expect_not_null(strstr(error.message, path), "%s", error.message);
    cr_assert_eq(pread(fd, found, sizeof found, 0), (ssize_t)sizeof text);
    cr_expect_str_eq(found, text);
    close(fd);
}

Test(seen_file, no_access_is_told_before_any_work)
{
    snprintf(path, sizeof path, "%s/missing/filter", folder);
    cr_expect_eq(open_it(), CRAWL_EIO);
    cr_expect_not_null(strstr(error.message, "missing/filter: No such file or directory"), "%s", error.message);
    snprintf(path, sizeof path, "%s", folder);
    cr_expect_eq(open_it(), CRAWL_EIO);
    cr_expect_not_null(strstr(error.message, "Is a directory"), "%s", error.message);
}

Test(seen_file, an_output_that_is_lost_keeps_the_filter_from_being_saved)
{
    cr_assert_eq(open_it(), CRAWL_OK);
    crawl_bloom *made = create_exact();
    int closed = open("/dev/null", O_WRONLY);
    close(closed);
    cr_expect_eq(cw_seen_file_save(file, made, closed, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "standard output: Bad file descriptor");
    int null = open("/dev/null", O_WRONLY);
    cr_expect_eq(cw_seen_file_save(file, made, null, &error), CRAWL_OK, "%s", error.message);
    close(null);
    crawl_bloom_free(made);
    cw_seen_file_close(file);
}
