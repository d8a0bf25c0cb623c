/* Records through a filter: which pass, and that the filter contains exactly the written ones. */
#include "bench/programs/keys.h"
#include "crawler/program/commands/seen/sieve.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static crawl_bloom *create_filter(crawl_bloom_kind kind, uint64_t max_bytes)
{
    crawl_bloom_options options;
    crawl_bloom *filter = NULL;
    crawl_bloom_options_init(&options);
    options.kind = kind;
    options.capacity = 1000;
    options.max_bytes = max_bytes;
    cr_assert_eq(crawl_bloom_create(&options, &filter, NULL), CRAWL_OK);
    return filter;
}

static int file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("input", 0);
    cr_assert_eq(write(fd, bytes, size), (ssize_t)size);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

typedef struct ran {
    cw_seen_sieve_end how;
    cw_seen_sieve_counts counts;
    crawl_error error;
    crawl_buf out;
} ran;

static crawl_buf content_of(int fd)
{
    crawl_buf content = {0};
    off_t size = lseek(fd, 0, SEEK_END);
    cr_assert_eq(crawl_buf_reserve(&content, (size_t)size), CRAWL_OK);
    content.size = (size_t)size;
    cr_assert_eq(pread(fd, content.data, content.size, 0), (ssize_t)size);
    return content;
}

/* Runs over `in`, with the output in a file; sets options.out. */
static ran run(cw_seen_sieve_options options, int in)
{
    ran r = {0};
    options.out = memfd_create("output", 0);
    cw_seen_sieve *sieve = cw_seen_sieve_create(&options);
    cr_assert_not_null(sieve);
    r.how = cw_seen_sieve_run(sieve, in, &r.error);
    r.counts = *cw_seen_sieve_counted(sieve);
    r.out = content_of(options.out);
    cw_seen_sieve_free(sieve);
    close(options.out);
    close(in);
    return r;
}

#define SIFT(end_, invert_, in_)                                                               \
    run((cw_seen_sieve_options){.filter = filter, .stop = -1, .end = end_, .invert = invert_}, \
        file_of(in_, sizeof in_ - 1))

static void expect_output(const ran *r, const char *text, size_t size)
{
    cr_expect_eq(r->how, CW_SIEVE_DONE);
    cr_expect_eq(r->out.size, size);
    cr_expect(r->out.size == size && memcmp(r->out.data, text, size) == 0, "got \"%.*s\"", (int)r->out.size,
              r->out.data);
}

#define EXPECT_OUTPUT(r_, text_) expect_output(&r_, text_, sizeof text_ - 1)

Test(sieve, records_are_any_bytes)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    ran r = SIFT('\n', false, "a\nb\r\nb\na\n\0x\n\n\xff\n\n\0x\nb\r\nlast");
    EXPECT_OUTPUT(r, "a\nb\r\nb\n\0x\n\n\xff\nlast\n");
    cr_expect_eq(r.counts.records, 11);
    cr_expect_eq(r.counts.fresh, 7);
    cr_expect_eq(r.counts.seen, 4);
    crawl_buf_free(&r.out);
    r = SIFT('\n', false, "last\nmore");
    EXPECT_OUTPUT(r, "more\n");
    crawl_buf_free(&r.out);
    r = SIFT('\n', false, "");
    EXPECT_OUTPUT(r, "");
    crawl_buf_free(&r.out);
    crawl_bloom_free(filter);
}

Test(sieve, records_may_end_with_nul)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    ran r = SIFT('\0', false, "a\nb\0c\0a\nb\0\0a");
    EXPECT_OUTPUT(r, "a\nb\0c\0\0a\0");
    crawl_buf_free(&r.out);
    crawl_bloom_free(filter);
}

Test(sieve, inverted_the_repetitions_pass)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    ran r = SIFT('\n', true, "a\nb\na\nc\na\nb");
    EXPECT_OUTPUT(r, "a\na\nb\n");
    crawl_buf_free(&r.out);
    crawl_bloom_free(filter);
}

static void note_refused(void *user, uint64_t record, const char *)
{
    uint64_t *sum = user;
    *sum = *sum * 10 + record;
}

Test(sieve, urls_are_compared_by_their_canonical_form)
{
    static const char in[] =
        "http://A.example/?b=1&a=2\nnonsense\n\nHTTP://a.example:80/?a=2&b=1#f\r\nmailto:a@b\nhttp://a.example/x";
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    uint64_t refused = 0;
    cw_seen_sieve_options options = {
        .filter = filter, .stop = -1, .end = '\n', .urls = true, .refuse = note_refused, .user = &refused};
    ran r = run(options, file_of(in, sizeof in - 1));
    EXPECT_OUTPUT(r, "http://A.example/?b=1&a=2\nhttp://a.example/x\n");
    cr_expect_eq(refused, 235, "records 2, 3 and 5, not %d", (int)refused);
    cr_expect_eq(r.counts.records, 6);
    cr_expect_eq(r.counts.fresh, 2);
    cr_expect_eq(r.counts.seen, 1);
    cr_expect_eq(r.counts.refused, 3);
    crawl_buf_free(&r.out);
    crawl_bloom_free(filter);
}

/* Appends a record made from the number, of 0 to some hundreds of bytes, sometimes many thousands. */
static void append_record(crawl_buf *text, uint64_t number)
{
    char digits[24];
    size_t size = mix(number) % 200;
    size += mix(number) % 97 == 0 ? 30000 : 0;
    int shown = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    cr_assert_eq(crawl_buf_append(text, digits, number ? (size_t)shown : 0), CRAWL_OK);
    for (size_t i = 0; i < size && number; i++)
        cr_assert_eq(crawl_buf_append_char(text, (char)('a' + (mix(number + i) & 15))), CRAWL_OK);
    cr_assert_eq(crawl_buf_append_char(text, '\n'), CRAWL_OK);
}

Test(sieve, many_records_pass_once_and_in_order)
{
    enum { NUMBERS = 9000, RECORDS = 20000 };
    static bool came[NUMBERS];
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    crawl_buf in = {0}, expected = {0};
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t number = mix(i) % NUMBERS;
        append_record(&in, number);
        if (!came[number])
            append_record(&expected, number);
        came[number] = true;
    }
    ran r = run((cw_seen_sieve_options){.filter = filter, .stop = -1, .end = '\n'}, file_of(in.data, in.size));
    cr_expect_eq(r.counts.records, RECORDS);
    expect_output(&r, expected.data, expected.size);
    crawl_buf_free(&r.out);
    crawl_buf_free(&in);
    crawl_buf_free(&expected);
    crawl_bloom_free(filter);
}

/* Returns input with a record of `size` NULs, and one more. */
static int long_input(size_t size)
{
    int fd = memfd_create("input", 0);
    cr_assert_eq(ftruncate(fd, (off_t)size), 0);
    cr_assert_eq(pwrite(fd, "\nx\n", 3, (off_t)size), 3);
    return fd;
}

Test(sieve, a_record_may_be_long_but_not_without_end)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    ran r = run((cw_seen_sieve_options){.filter = filter, .stop = -1, .end = '\n'}, long_input(3000000));
    cr_expect_eq(r.how, CW_SIEVE_DONE);
    cr_expect_eq(r.out.size, 3000003);
    crawl_buf_free(&r.out);
    uint64_t refused = 0;
    r = run(
        (cw_seen_sieve_options){.filter = filter, .stop = -1, .end = '\n', .refuse = note_refused, .user = &refused},
        long_input(CW_SEEN_SIEVE_RECORD_MAX + 1000000));
    cr_expect_eq(r.how, CW_SIEVE_DONE);
    cr_expect_eq(refused, 1);
    cr_expect_eq(r.counts.refused, 1);
    cr_expect_eq(r.counts.records, 2);
    cr_expect_eq(r.counts.seen, 1, "x came before");
    crawl_buf_free(&r.out);
    refused = 0;
    int fd = long_input(2 * CW_SEEN_SIEVE_RECORD_MAX);
    cr_assert_eq(pwrite(fd, "y\ny\n", 4, (off_t)(2 * CW_SEEN_SIEVE_RECORD_MAX)), 4);
    cr_assert_eq(pwrite(fd, "z\n", 2, 0), 2);
    cr_assert_eq(ftruncate(fd, (off_t)(4 * CW_SEEN_SIEVE_RECORD_MAX)), 0);
    r = run(
        (cw_seen_sieve_options){.filter = filter, .stop = -1, .end = '\n', .refuse = note_refused, .user = &refused},
        fd);
    cr_expect_eq(r.how, CW_SIEVE_DONE);
    cr_expect_eq(refused, 2 * 10 + 4, "records 2 and 4, the last of which has no end");
    cr_expect_eq(r.counts.refused, 2);
    cr_expect(crawl_slice_equal(crawl_buf_slice(&r.out), crawl_slice_from("z\ny\n")));
    crawl_buf_free(&r.out);
    crawl_bloom_free(filter);
}

static crawl_buf numbers(unsigned count)
{
    crawl_buf text = {0};
    for (unsigned i = 1; i <= count; i++)
        cr_assert_eq(crawl_buf_printf(&text, "number %u\n", i), CRAWL_OK);
    return text;
}

static uint64_t keys_in(const crawl_bloom *filter)
{
    crawl_bloom_stats stats;
    crawl_bloom_stats_get(filter, &stats);
    return stats.count;
}

/* Runs numbers(count) into `out`, unchanged. */
static ran run_into(crawl_bloom *filter, unsigned count, int out)
{
    ran r = {0};
    cw_seen_sieve_options options = {.filter = filter, .out = out, .stop = -1, .end = '\n'};
    cw_seen_sieve *sieve = cw_seen_sieve_create(&options);
    crawl_buf in = numbers(count);
    int fd = file_of(in.data, in.size);
    r.how = cw_seen_sieve_run(sieve, fd, &r.error);
    r.counts = *cw_seen_sieve_counted(sieve);
    cw_seen_sieve_free(sieve);
    crawl_buf_free(&in);
    close(fd);
    return r;
}

static bool is_in(const crawl_bloom *filter, uint64_t number)
{
    char text[40];
    int size = snprintf(text, sizeof text, "number %llu", (unsigned long long)number);
    return crawl_bloom_test(filter, text, (size_t)size) == CRAWL_EXISTS;
}

/* The output accepts 50005 bytes and no more, which end in the middle of a record. */
Test(sieve, what_could_not_be_written_is_forgotten)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    crawl_buf in = numbers(20000);
    int fd = file_of(in.data, in.size);
    int out = memfd_create("output", 0);
    struct rlimit limit = {50005, 50005};
    crawl_error error = {0};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cw_seen_sieve_options options = {.filter = filter, .out = out, .stop = -1, .end = '\n'};
    cw_seen_sieve *sieve = cw_seen_sieve_create(&options);
    cr_expect_eq(cw_seen_sieve_run(sieve, fd, &error), CW_SIEVE_FAILED);
    cr_expect_str_eq(error.message, "standard output: File too large");
    crawl_buf written = content_of(out);
    uint64_t whole = 0;
    for (size_t i = 0; i < written.size; i++)
        whole += written.data[i] == '\n';
    cr_expect_eq(written.size, 50005);
    cr_expect_neq(written.data[50004], '\n');
    cr_expect_eq(keys_in(filter), whole);
    cr_expect_eq(cw_seen_sieve_counted(sieve)->fresh, whole);
    cr_expect_eq(cw_seen_sieve_counted(sieve)->stranded, 0);
    cr_expect(is_in(filter, whole) && !is_in(filter, whole + 1));
    cw_seen_sieve_free(sieve);
    crawl_buf_free(&in);
    crawl_buf_free(&written);
    crawl_bloom_free(filter);
}

Test(sieve, what_cannot_be_forgotten_is_told)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_SCALABLE, 0);
    ran r = run_into(filter, 100, open("/dev/full", O_WRONLY));
    cr_expect_eq(r.how, CW_SIEVE_FAILED);
    cr_expect_eq(r.counts.stranded, 100);
    cr_expect_eq(r.counts.fresh, 100);
    crawl_bloom_free(filter);
}

Test(sieve, a_reader_that_has_gone_is_noticed_before_anything_is_recorded)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_SCALABLE, 0);
    int out[2];
    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(out), 0);
    close(out[0]);
    ran r = run_into(filter, 100, out[1]);
    cr_expect_eq(r.how, CW_SIEVE_CLOSED);
    cr_expect_eq(r.counts.stranded, 0);
    cr_expect_eq(keys_in(filter), 0);
    crawl_bloom_free(filter);
}

static void *read_slowly(void *user)
{
    static char buffer[4000];
    size_t *total = user;
    for (ssize_t got; (got = read((int)*total, buffer, sizeof buffer)) > 0;)
        total[1] += (size_t)got;
    return NULL;
}

Test(sieve, an_output_that_does_not_block_is_waited_for)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    int out[2];
    pthread_t reader;
    cr_assert_eq(pipe2(out, O_NONBLOCK), 0);
    cr_assert_eq(fcntl(out[0], F_SETFL, 0), 0);
    size_t total[2] = {(size_t)out[0], 0};
    cr_assert_eq(pthread_create(&reader, NULL, read_slowly, total), 0);
    ran r = run_into(filter, 40000, out[1]);
    close(out[1]);
    pthread_join(reader, NULL);
    crawl_buf all = numbers(40000);
    cr_expect_eq(r.how, CW_SIEVE_DONE);
    cr_expect_eq(total[1], all.size);
    crawl_buf_free(&all);
    crawl_bloom_free(filter);
}

Test(sieve, a_full_filter_ends_the_run_with_all_it_holds_written)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 256 << 10);
    crawl_buf in = numbers(100000);
    ran r = run((cw_seen_sieve_options){.filter = filter, .stop = -1, .end = '\n'}, file_of(in.data, in.size));
    cr_expect_eq(r.how, CW_SIEVE_FAILED);
    cr_expect_not_null(strstr(r.error.message, "262144 bytes"), "%s", r.error.message);
    cr_expect_gt(r.counts.fresh, 1000);
    cr_expect_lt(r.counts.fresh, 100000);
    crawl_buf expected = numbers((unsigned)r.counts.fresh);
    cr_expect_eq(r.out.size, expected.size);
    cr_expect_eq(memcmp(r.out.data, expected.data, expected.size), 0);
    cr_expect_eq(keys_in(filter), r.counts.fresh);
    crawl_buf_free(&expected);
    crawl_buf_free(&in);
    crawl_buf_free(&r.out);
    crawl_bloom_free(filter);
}

Test(sieve, it_stops_when_told)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    int pipe_[2];
    cr_assert_eq(pipe(pipe_), 0);
    ran r = run((cw_seen_sieve_options){.filter = filter, .stop = eventfd(1, 0), .end = '\n'}, pipe_[0]);
    cr_expect_eq(r.how, CW_SIEVE_STOPPED);
    crawl_buf_free(&r.out);
    crawl_bloom_free(filter);
}

Test(sieve, an_input_that_fails_says_why)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    ran r = run((cw_seen_sieve_options){.filter = filter, .stop = -1, .end = '\n'}, open("/", O_RDONLY));
    cr_expect_eq(r.how, CW_SIEVE_INPUT_FAILED);
    cr_expect_str_eq(r.error.message, "Is a directory");
    crawl_buf_free(&r.out);
    crawl_bloom_free(filter);
}

Test(sieve, counted_only_nothing_is_written)
{
    crawl_bloom *filter = create_filter(CRAWL_BLOOM_EXACT, 0);
    ran r = run_into(filter, 100, -1);
    cr_expect_eq(r.how, CW_SIEVE_DONE);
    cr_expect_eq(r.counts.fresh, 100);
    crawl_bloom_free(filter);
}
