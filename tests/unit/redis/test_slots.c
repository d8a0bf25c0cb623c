/* Slots of keys, answers of CLUSTER SLOTS, and the targets of MOVED and ASK. */
#include "redis/redis_slots.h"

#include "redis/reader.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* From the specification (the CRC of 123456789), and from a server's CLUSTER KEYSLOT. */
Test(slots, of_keys_and_what_stands_in_braces)
{
    static const struct {
        const char *key;
        unsigned slot;
    } rows[] = {
        {"123456789", 0x31c3}, {"foo", 12182},          {"{foo}", 12182},   {"a{foo}b{bar}", 12182},
        {"foo{}{bar}", 8363},  {"foo{{bar}}zap", 4015}, {"foo{bar", 15278}, {"", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cw_redis_slot_of_key(crawl_slice_from(rows[i].key)), rows[i].slot, "%s", rows[i].key);
    cr_expect_eq(cw_redis_slot_of_key(crawl_slice_from("{news:7}:figures")),
                 cw_redis_slot_of_key(crawl_slice_from("news:7")));
}

static int slot_of(const char *const *words, bool *is_script)
{
    crawl_slice arguments[8];
    size_t count = 0;
    for (; words[count]; count++)
        arguments[count] = crawl_slice_from(words[count]);
    return cw_redis_slot_of(arguments, count, is_script);
}

Test(slots, of_commands)
{
    bool is_script;
    cr_expect_eq(slot_of((const char *const[]){"RPUSH", "foo", "x", NULL}, &is_script), 12182);
    cr_expect_not(is_script);
    cr_expect_eq(slot_of((const char *const[]){"EVALSHA", "abc", "1", "foo", "bar", NULL}, &is_script), 12182);
    cr_expect(is_script);
    cr_expect_eq(slot_of((const char *const[]){"EVAL", "abc", "0", "foo", NULL}, &is_script), CW_REDIS_NO_SLOT);
    cr_expect_eq(slot_of((const char *const[]){"EVAL", "abc", "1", NULL}, &is_script), CW_REDIS_NO_SLOT);
    cr_expect_eq(slot_of((const char *const[]){"info", "memory", NULL}, &is_script), CW_REDIS_NO_SLOT);
    cr_expect_eq(slot_of((const char *const[]){"PING", NULL}, &is_script), CW_REDIS_NO_SLOT);
}

static crawl_redis_reply *reply_of(const char *bytes)
{
    crawl_redis_reply *reply = NULL;
    cw_redis_reader *reader = cw_redis_reader_create();
    cr_assert_eq(cw_redis_reader_feed(reader, bytes, strlen(bytes)), CRAWL_OK);
    cr_assert_eq(cw_redis_reader_next(reader, &reply, NULL), CRAWL_OK);
    cw_redis_reader_free(reader);
    return reply;
}

/* Returns the first range of an answer, as text. */
static const char *first_of(const char *bytes)
{
    static char text[300];
    cw_redis_range range;
    crawl_redis_reply *reply = reply_of(bytes);
    crawl_err err = cw_redis_range_at(reply, 0, &range);
    if (err)
        snprintf(text, sizeof text, "%s", err == CRAWL_ABSENT ? "absent" : "bad");
    else
        snprintf(text, sizeof text, "%u-%u %.*s:%u", range.first, range.last, (int)range.place.host.size,
                 range.place.host.size ? range.place.host.data : "", range.place.port);
    cw_redis_reply_free(reply);
    return text;
}

Test(slots, of_nodes)
{
    cr_expect_str_eq(first_of("*1\r\n*4\r\n:0\r\n:5460\r\n*4\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n*0\r\n"
                              "*3\r\n$9\r\n127.0.0.1\r\n:7003\r\n$3\r\nid2\r\n"),
                     "0-5460 127.0.0.1:7000");
    cr_expect_str_eq(first_of("*1\r\n*3\r\n:7\r\n:7\r\n*2\r\n$-1\r\n:7000\r\n"), "7-7 :7000", "no name is known");
    cr_expect_str_eq(first_of("*1\r\n*3\r\n:7\r\n:7\r\n*2\r\n$1\r\n?\r\n:7000\r\n"), "7-7 :7000");
    cr_expect_str_eq(first_of("*0\r\n"), "absent");
    static const char *const bad[] = {
        "+OK\r\n",
        "*1\r\n:1\r\n",
        "*1\r\n*2\r\n:0\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n",
        "*1\r\n*3\r\n:5\r\n:4\r\n*2\r\n$1\r\na\r\n:1\r\n",
        "*1\r\n*3\r\n:-1\r\n:4\r\n*2\r\n$1\r\na\r\n:1\r\n",
        "*1\r\n*3\r\n:0\r\n:4\r\n*2\r\n$1\r\na\r\n:65536\r\n",
        "*1\r\n*3\r\n:0\r\n:4\r\n*1\r\n$1\r\na\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_str_eq(first_of(bad[i]), "bad", "%s", bad[i]);
}

Test(slots, of_redirections)
{
    static const struct {
        const char *error, *place; /* NULL: none */
        unsigned slot;
    } rows[] = {
        {"MOVED 3999 127.0.0.1:6381", "127.0.0.1 6381", 3999},
        {"ASK 0 ::1:6381", "::1 6381", 0},
        {"MOVED 16383 node-1.example:1", "node-1.example 1", 16383},
        {"MOVED 5 :7000", " 7000", 5},
        {"MOVED 5 ?:7000", " 7000", 5},
        {"MOVED 16384 a:1", NULL, 0},
        {"MOVED x a:1", NULL, 0},
        {"MOVED 1 a:0", NULL, 0},
        {"MOVED 1 a:70000", NULL, 0},
        {"MOVED 1 a", NULL, 0},
        {"MOVED 1", NULL, 0},
        {"MOVED", NULL, 0},
        {"CLUSTERDOWN The cluster is down", NULL, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned slot = 0;
        cw_redis_place place;
        char text[100];
        crawl_err err = cw_redis_redirection(crawl_slice_from(rows[i].error), &slot, &place);
        cr_expect_eq(err, rows[i].place ? CRAWL_OK : CRAWL_EPARSE, "%s", rows[i].error);
        if (err)
            continue;
        snprintf(text, sizeof text, "%.*s %u", (int)place.host.size, place.host.data, place.port);
        cr_expect_str_eq(text, rows[i].place);
        cr_expect_eq(slot, rows[i].slot);
    }
}
