/* Files that are written by stores, and those that cannot be. */
#include "frontier/disk/log/mapping.h"
#include "tests/unit/frontier/disk/directory.h"
#include "tests/unit/frontier/disk/small_files.h"

#include <errno.h>
#include <sys/wait.h>

enum { WORDS = 40000, WORD = CW_DISK_MAPPING_WORD };

static int make_file(const char *where)
{
    char path[300];
    snprintf(path, sizeof path, "%s/file", where);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    cr_assert_geq(file, 0);
    return file;
}

static bool write_word(cw_disk_mapping *mapping, uint64_t word, size_t place)
{
    return cw_disk_mapping_write(mapping, &word, sizeof word, place * WORD);
}

static uint64_t read_word(int file, size_t place)
{
    uint64_t word;
    cr_assert_eq(pread(file, &word, sizeof word, (off_t)(place * WORD)), (ssize_t)sizeof word, "word %zu", place);
    return word;
}

static void expect_words(int file, size_t count)
{
    for (size_t place = 0; place < count; place++)
        cr_assert_eq(read_word(file, place), place + 1);
}

/* Returns the first mapping of a file in such a directory, or skips the test. */
static cw_disk_mapping map_or_skip(int file)
{
    cw_disk_mapping mapping;
    cw_disk_mapping_open(&mapping, file, WORDS * WORD);
    if (!mapping.words)
        cr_skip_test("no file is mapped on this file system");
    return mapping;
}

Test(mapping, what_is_stored_is_in_the_file_and_so_is_what_is_written_by_calls)
{
    directory dir = make_directory();
    int file = make_file(dir.path);
    cw_disk_mapping mapping;
    cw_disk_mapping_open(&mapping, file, WORDS * WORD);
    for (size_t place = 0; place < WORDS; place++) {
        if (place == WORDS / 2)
            cw_disk_mapping_close(&mapping);
        cr_assert(write_word(&mapping, place + 1, place));
        cr_assert_eq(read_word(file, place), place + 1);
    }
    expect_words(file, WORDS);
    close(file);
    remove_directory(dir.path);
}

Test(mapping, what_a_killed_process_stored_stays)
{
    directory dir = make_directory();
    int file = make_file(dir.path);
    pid_t child = fork();
    if (child == 0) {
        cw_disk_mapping mapping;
        cw_disk_mapping_open(&mapping, file, WORDS * WORD);
        for (size_t place = 0; place < WORDS; place++)
            write_word(&mapping, place + 1, place);
        raise(SIGKILL);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    expect_words(file, WORDS);
    close(file);
    remove_directory(dir.path);
}

Test(mapping, a_file_grows_by_what_is_written_and_not_beyond_its_size)
{
    directory dir = make_directory();
    struct stat status;
    int file = make_file(dir.path);
    cw_disk_mapping mapping = map_or_skip(file);
    cr_assert_eq(fstat(file, &status), 0);
    cr_assert_eq(status.st_size, 0);
    cr_assert(write_word(&mapping, 7, 0));
    cr_assert_eq(fstat(file, &status), 0);
    cr_assert(status.st_size >= WORD && status.st_size < WORDS * WORD / 2);
    cr_assert(write_word(&mapping, 9, WORDS - 1));
    cr_assert_eq(fstat(file, &status), 0);
    cr_assert_eq(status.st_size, WORDS * WORD);
    cr_assert_eq(read_word(file, 0), 7);
    cr_assert_eq(read_word(file, 1), 0);
    cr_assert_eq(read_word(file, WORDS - 1), 9);
    cw_disk_mapping_close(&mapping);
    close(file);
    remove_directory(dir.path);
}

/* When no more can be reserved, calls write as much as fits, and return an error for the rest. */
Test(mapping, a_disk_that_becomes_full)
{
    directory dir = make_directory();
    int file = make_file(dir.path);
    limit_files();
    cw_disk_mapping mapping = map_or_skip(file);
    size_t place = 0;
    while (write_word(&mapping, place + 1, place))
        place++;
    cr_assert_eq(errno, ENOSPC);
    cr_assert_null(mapping.words);
    cr_assert_eq(place, SMALL_FILE / WORD);
    expect_words(file, place);
    close(file);
    remove_directory(dir.path);
}

Test(mapping, what_cannot_be_mapped_is_written_by_calls)
{
    cw_disk_mapping mapping;
    int full = open("/dev/full", O_RDWR);
    cr_assert_geq(full, 0);
    cw_disk_mapping_open(&mapping, full, WORDS * WORD);
    cr_assert(!write_word(&mapping, 1, 0));
    cr_assert_eq(errno, ENOSPC);
    cw_disk_mapping_close(&mapping);
    close(full);
}
