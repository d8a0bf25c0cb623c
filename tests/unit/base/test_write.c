/* Complete writes, and the rest that an incomplete write returns. */
#include "base/files/replace.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
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

enum { SIZE = 1 << 21 };

typedef struct reader {
    int file;
    size_t most; /* bytes after which it goes away */
    size_t there;
} reader;

static void *read_pipe(void *user)
{
    reader *r = user;
    char piece[4096];
    for (ssize_t count = 1; count > 0 && r->there<r->most; r->there += count> 0 ? (size_t)count : 0)
        count = read(r->file, piece, sizeof piece);
    close(r->file);
    return NULL;
}

/* Writes SIZE bytes to a pipe whose end does not block. Returns the number of bytes that were not written. */
static size_t left_by(reader *r)
{
    int ends[2];
    pthread_t thread;
    char *bytes = calloc(1, SIZE);
    cr_assert(bytes && pipe(ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    r->file = ends[0];
    cr_assert_eq(pthread_create(&thread, NULL, read_pipe, r), 0);
    crawl_slice rest = cw_write_all(ends[1], crawl_slice_of(bytes, SIZE));
    cr_expect(!rest.size || errno == EPIPE);
    cr_expect_eq(rest.data + rest.size, bytes + SIZE);
    close(ends[1]);
    pthread_join(thread, NULL);
    free(bytes);
    return rest.size;
}

Test(write, a_pipe_that_does_not_block_takes_everything)
{
    reader all = {.most = SIZE};
    cr_expect_eq(left_by(&all), 0);
    cr_expect_eq(all.there, SIZE);
}

Test(write, a_pipe_takes_as_much_as_fits_and_the_rest_is_returned)
{
    reader some = {.most = SIZE / 2};
    signal(SIGPIPE, SIG_IGN);
    size_t left = left_by(&some);
    cr_expect(left > 0 && left <= SIZE - some.there);
}

Test(write, a_descriptor_that_is_closed_takes_nothing)
{
    crawl_slice rest = cw_write_all(-1, crawl_slice_from("abc"));
    cr_expect_eq(errno, EBADF);
    cr_expect_eq(rest.size, 3);
}
