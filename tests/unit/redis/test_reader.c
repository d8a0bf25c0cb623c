/* Replies parsed from bytes: whole, split at every byte, broken, and above each maximum. */
#include "redis/reader.h"
#include "redis/redis_server.h"

#include "base/bytes.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const char *const type_names[] = {"nil", "text", "number", "array", "error"};

/* Prints a reply as one line: text:a, number:1, array[...]. */
static void print(const crawl_redis_reply *reply, crawl_buf *out)
{
    crawl_buf_append_text(out, type_names[reply->type]);
    if (reply->type == CRAWL_REDIS_TEXT || reply->type == CRAWL_REDIS_ERROR)
        crawl_buf_printf(out, ":%.*s", (int)reply->text.size, reply->text.data);
    if (reply->type == CRAWL_REDIS_NUMBER)
        crawl_buf_printf(out, ":%lld", (long long)reply->number);
    if (reply->type != CRAWL_REDIS_ARRAY)
        return;
    crawl_buf_append_char(out, '[');
    for (size_t i = 0; i < reply->count; i++) {
        if (i)
            crawl_buf_append_char(out, ' ');
        print(&reply->items[i], out);
    }
    crawl_buf_append_char(out, ']');
}

/* Reads all replies in bytes fed in pieces of this size, and the error at their end. */
static crawl_err read_all(crawl_slice bytes, size_t piece, crawl_buf *out, crawl_error *error)
{
    cw_redis_reader *reader = cw_redis_reader_create();
    crawl_err err = CRAWL_AGAIN;
    while (bytes.size && err == CRAWL_AGAIN) {
        crawl_slice next = cw_take(&bytes, piece < bytes.size ? piece : bytes.size);
        cr_assert_eq(cw_redis_reader_feed(reader, next.data, next.size), CRAWL_OK);
        for (err = CRAWL_OK; err == CRAWL_OK;) {
            crawl_redis_reply *reply = NULL;
            err = cw_redis_reader_next(reader, &reply, error);
            if (err)
                break;
            print(reply, out);
            crawl_buf_append_char(out, ';');
            cw_redis_reply_free(reply);
        }
    }
    cw_redis_reader_free(reader);
    return err;
}

static void reads_as(const char *bytes, const char *expected)
{
    for (size_t piece = 1; piece <= strlen(bytes); piece++) {
        crawl_buf got = {0};
        crawl_error error = {0};
        crawl_err err = read_all(crawl_slice_from(bytes), piece, &got, &error);
        cr_assert_eq(err, CRAWL_AGAIN, "%s in pieces of %zu: %s", bytes, piece, error.message);
        cr_assert_str_eq(got.data ? got.data : "", expected);
        crawl_buf_free(&got);
    }
}

Test(reader, reads_every_type_however_it_is_split)
{
    reads_as("+OK\r\n:-42\r\n$5\r\nab\r\nc\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n",
             "text:OK;number:-42;text:ab\r\nc;text:;nil;nil;array[];");
    reads_as("*3\r\n*2\r\n+a\r\n:1\r\n$-1\r\n-ERR no\r\n-OOM x\r\n",
             "array[array[text:a number:1] nil error:ERR no];error:OOM x;");
    reads_as("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:7\r\n",
             "array[array[array[array[array[array[array[number:7]]]]]]];");
    reads_as("*2\r\n$100\r\nhalf", ""); /* half a reply is freed with its reader */
}

static void is_refused(crawl_slice bytes, const char *words)
{
    crawl_buf got = {0};
    crawl_error error = {0};
    cr_assert_eq(read_all(bytes, 4096, &got, &error), CRAWL_EPARSE, "%.40s", bytes.data);
    cr_assert(strstr(error.message, words), "%.40s: %s", bytes.data, error.message);
    crawl_buf_free(&got);
}

Test(reader, refuses_what_is_no_resp_or_beyond_a_maximum)
{
    static const char *const rows[][2] = {
        {"HTTP/1.1 400 Bad Request\r\n\r\n", "not RESP"},
        {"$-2\r\n", "not RESP"},
        {":12x\r\n", "not RESP"},
        {"*2000000000\r\n", "more than 1,048,576 items"},
        {"$67108865\r\nabc", "more than 64 MiB"},
        {"*1\r\n$4294967296\r\n", "more than 64 MiB"},
        {"$1111111111111111111111111111111111111111", "unterminated length"},
        {"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:7\r\n", ""},
        {"%1\r\n+a\r\n+b\r\n", ""},
        {",3.5\r\n", ""},
        {"#t\r\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        is_refused(crawl_slice_from(rows[i][0]), rows[i][1]);
}

Test(reader, counts_the_items_of_a_whole_reply)
{
    crawl_buf bytes = {0};
    crawl_buf_append_text(&bytes, "*2\r\n*600000\r\n");
    for (unsigned i = 0; i < 600000; i++)
        crawl_buf_append(&bytes, ":1\r\n", 4);
    crawl_buf_append_text(&bytes, "*600000\r\n");
    is_refused(crawl_buf_slice(&bytes), "more than 1,048,576 items");
    crawl_buf_free(&bytes);
}

Test(reader, refuses_a_line_without_an_end)
{
    crawl_buf bytes = {0};
    crawl_buf_append_char(&bytes, '+');
    for (size_t i = 0; i < CRAWL_REDIS_REPLY_LINE + 4096; i++)
        crawl_buf_append_char(&bytes, 'a');
    is_refused(crawl_buf_slice(&bytes), "a line of more than 64 KiB");
    crawl_buf_free(&bytes);
}

Test(reader, reads_nothing_behind_an_error)
{
    cw_redis_reader *reader = cw_redis_reader_create();
    crawl_redis_reply *reply;
    crawl_error error = {0};
    cw_redis_reader_feed(reader, "?\r\n+OK\r\n", 8);
    cr_assert_eq(cw_redis_reader_next(reader, &reply, &error), CRAWL_EPARSE);
    cr_assert_eq(cw_redis_reader_next(reader, &reply, &error), CRAWL_EPARSE);
    cw_redis_reader_free(reader);
}

#define SCRIPT "ERR Error running script (call to f_0123456789abcdef0123456789abcdef01234567): @user_script:31: "

Test(fault, is_told_by_the_first_word)
{
    static const struct {
        const char *text;
        crawl_redis_fault fault;
        bool passes;
    } rows[] = {
        {"LOADING Redis is loading the dataset in memory", CRAWL_REDIS_LOADING, true},
        {"BUSY Redis is busy running a script.", CRAWL_REDIS_BUSY, true},
        {"BUSYGROUP Consumer Group name already exists", CRAWL_REDIS_REFUSED, false},
        {"TRYAGAIN Multiple keys request during rehashing of slot", CRAWL_REDIS_TRYAGAIN, true},
        {"MASTERDOWN Link with MASTER is down", CRAWL_REDIS_MASTERDOWN, true},
        {"READONLY You can't write against a read only replica.", CRAWL_REDIS_READONLY, true},
        {"MISCONF Redis is configured to save RDB snapshots", CRAWL_REDIS_MISCONF, true},
        {"NOREPLICAS Not enough good replicas to write.", CRAWL_REDIS_NOREPLICAS, true},
        {"ERR AUTH <password> called without any password configured for the default user.", CRAWL_REDIS_WRONGPASS,
         false},
        {"OOM command not allowed when used memory > 'maxmemory'.", CRAWL_REDIS_OOM, false},
        {"NOAUTH Authentication required.", CRAWL_REDIS_NOAUTH, false},
        {"WRONGPASS invalid username-password pair or user is disabled.", CRAWL_REDIS_WRONGPASS, false},
        {"NOPERM this user has no permissions", CRAWL_REDIS_NOPERM, false},
        {"WRONGTYPE Operation against a key holding the wrong kind of value", CRAWL_REDIS_WRONGTYPE, false},
        {"MOVED 3999 127.0.0.1:6381", CRAWL_REDIS_CLUSTER, true},
        {"CLUSTERDOWN Hash slot not served", CRAWL_REDIS_CLUSTER, true},
        {"NOSCRIPT No matching script.", CRAWL_REDIS_NOSCRIPT, false},
        {"ERR unknown command", CRAWL_REDIS_REFUSED, false},
        {SCRIPT "@user_script: 31: -READONLY You can't write against a read only replica.", CRAWL_REDIS_READONLY, true},
        {SCRIPT "@user_script: 31: -MISCONF Errors writing to the AOF file: No space", CRAWL_REDIS_MISCONF, true},
        {SCRIPT "@user_script: 31: -OOM command not allowed when used memory > 'maxmemory'.", CRAWL_REDIS_OOM, false},
        {SCRIPT "WRONGTYPE Operation against a key holding the wrong kind of value", CRAWL_REDIS_WRONGTYPE, false},
        {SCRIPT "attempt to index a nil value", CRAWL_REDIS_REFUSED, false},
        {"ERR Error running script", CRAWL_REDIS_REFUSED, false},
        {"ERR max number of clients reached", CRAWL_REDIS_AWAY, true},
        {"ERR max number of clients + cluster connections reached", CRAWL_REDIS_AWAY, true},
        {"ERR WAIT cannot be used with replica instances.", CRAWL_REDIS_READONLY, true},
        {"UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
         CRAWL_REDIS_READONLY, true},
        {"ERR unknown command 'WAIT'", CRAWL_REDIS_REFUSED, false},
        {"", CRAWL_REDIS_REFUSED, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(cw_redis_fault_of(crawl_slice_from(rows[i].text)), rows[i].fault, "%s", rows[i].text);
        cr_expect_eq(crawl_redis_fault_passes(rows[i].fault), rows[i].passes, "%s", rows[i].text);
        cr_expect(*crawl_redis_fault_words(rows[i].fault), "%s", rows[i].text);
    }
}
