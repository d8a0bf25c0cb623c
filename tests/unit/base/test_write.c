/* Complete writes, and the rest that an incomplete write returns. */
#include "base/files/replace.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

Test(write, everything_is_in_the_file)
{
    char path[] = "/tmp/crawl-write-XXXXXX";
    int file = mkstemp(path);
    cr_expect_eq(cw_write_all(file, crawl_slice_from("abc")).size, 0);
    cr_expect_eq(cw_write_all(file, (crawl_slice){0}).size, 0);
    cr_expect_eq(cw_write_all(file, crawl_slice_from("def")).size, 0);
    char read_back[8] = "";
    cr_expect_eq(pread(file, read_back, sizeof read_back, 0), 6);
    cr_expect_str_eq(read_back, "abcdef");
    cr_expect_eq(cw_write_whole(file, crawl_slice_from("ghi")), 0);
    cr_expect_eq(close(file), -1, "it is closed");
    cr_expect_eq(cw_write_whole(open("/dev/full", O_WRONLY), crawl_slice_from("a")), ENOSPC);
    cr_expect_eq(cw_write_whole(open("/dev/null/none", O_WRONLY), crawl_slice_from("a")), ENOTDIR);
    unlink(path);
}

Test(write, a_pipe_takes_as_much_as_fits_and_the_rest_is_returned)
{
    enum { SIZE = 1 << 21 };
    int ends[2];
    char *bytes = calloc(1, SIZE);
    cr_assert(bytes && pipe2(ends, O_NONBLOCK) == 0);
    crawl_slice rest = cw_write_all(ends[1], crawl_slice_of(bytes, SIZE));
    cr_expect_eq(errno, EAGAIN);
    cr_expect(rest.size > 0 && rest.size < SIZE);
    cr_expect_eq(rest.data + rest.size, bytes + SIZE);
    size_t there = 0;
    char piece[4096];
    for (ssize_t count; (count = read(ends[0], piece, sizeof piece)) > 0;)
        there += (size_t)count;
    cr_expect_eq(there + rest.size, SIZE);
    close(ends[0]);
    close(ends[1]);
    free(bytes);
}

Test(write, a_descriptor_that_is_closed_takes_nothing)
{
    crawl_slice rest = cw_write_all(-1, crawl_slice_from("abc"));
    cr_expect_eq(errno, EBADF);
    cr_expect_eq(rest.size, 3);
}
