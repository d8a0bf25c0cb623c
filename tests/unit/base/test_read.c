/* Files that are read as a whole, and errors with the system's message. */
#include "base/error.h"
#include "base/files/file_read.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Writes size bytes "x" to a temporary file; path receives its name. */
static void make_file(char path[32], size_t size)
{
    strcpy(path, "/tmp/crawl-read-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    for (size_t i = 0; i < size; i++)
        fputc('x', file);
    fclose(file);
}

Test(read, is_read_up_to_what_is_allowed_and_one_byte_more)
{
    static const struct {
        size_t size, most, read;
        crawl_err err;
    } cases[] = {{0, 5, 0, CRAWL_OK},
                 {5, 5, 5, CRAWL_OK},
                 {6, 5, 6, CRAWL_FULL},
                 {9, 5, 6, CRAWL_FULL},
                 {70000, 65536, 65537, CRAWL_FULL},
                 {65536, 65536, 65536, CRAWL_OK},
                 {200000, SIZE_MAX, 200000, CRAWL_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[32];
        crawl_buf text = {0};
        crawl_buf_append_text(&text, "ab");
        make_file(path, cases[i].size);
        cr_expect_eq(cw_read_file(path, cases[i].most, &text, NULL), cases[i].err, "case %zu", i);
        cr_expect_eq(text.size, cases[i].read + 2, "case %zu: %zu bytes", i, text.size);
        cr_expect_eq(memcmp(text.data, "abx", cases[i].size ? 3 : 2), 0);
        cr_expect_eq(text.data[text.size], '\0');
        crawl_buf_free(&text);
        unlink(path);
    }
}

Test(read, one_that_cannot_be_read_is_told_with_its_path)
{
    crawl_error error = {0};
    crawl_buf text = {0};
    cr_expect_eq(cw_read_file("/nowhere/at all", 9, &text, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "/nowhere/at all: No such file or directory");
    cr_expect_eq(cw_read_file("/", 9, &text, &error), CRAWL_EIO);
    cr_expect_str_eq(error.message, "/: Is a directory");
    crawl_buf_free(&text);
}

Test(read, errors_have_the_words_of_their_code_or_of_the_system)
{
    crawl_error error = {0};
    cr_expect_eq(cw_error(&error, CRAWL_ENOMEM), CRAWL_ENOMEM);
    cr_expect_str_eq(error.message, "out of memory");
    cr_expect_eq(cw_error(NULL, CRAWL_ENOMEM), CRAWL_ENOMEM);
    errno = EACCES;
    cr_expect_eq(cw_error_of_file(&error, "a/b"), CRAWL_EIO);
    cr_expect_str_eq(error.message, "a/b: Permission denied");
}
