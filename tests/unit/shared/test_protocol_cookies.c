/* Cookies shared by workers, with a real redis-server, at times set by the test: the cookie set last counts in any
 * order of arrival, deleted ones stay deleted, and everything has a limit. */
#include "tests/unit/shared/protocol_help.h"

#include <stdlib.h>

enum { HOUR_MS = 3600000, ROOM = 1 << 20, SEEN_MAX = 300 };

TestSuite(shared_cookies, .init = open_joined_pair, .fini = close_sound_pair);

/* ---- calls ---- */

/* The one host of an answer: its version, and its cookies as "ID=VALUE ID=VALUE", deleted ones as "ID!". */
typedef struct seen {
    size_t hosts;
    uint64_t version;
    int64_t now_ms;
    size_t count;
    crawl_buf text;
    unsigned flags; /* of the last one */
} seen;

static seen s;

static void on_jars(void *, const cw_shared_jars *said)
{
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    crawl_buf_clear(&s.text);
    crawl_buf_append_text(&s.text, "");
    s.hosts = said->count;
    s.now_ms = said->now_ms;
    s.version = said->count ? said->jars[0].version : s.version;
    s.count = said->count ? said->jars[0].count : 0;
    for (size_t i = 0; i < s.count; i++) {
        const crawl_shared_cookie *cookie = &said->jars[0].cookies[i];
        bool is_deleted = cookie->flags & CRAWL_SHARED_COOKIE_DELETED;
        s.flags = cookie->flags;
        cr_assert_eq(crawl_buf_printf(&s.text, "%s%.*s%s%.*s", i ? " " : "", (int)cookie->id.size, cookie->id.data,
                                      is_deleted ? "!" : "=", (int)cookie->value.size, cookie->value.data),
                     CRAWL_OK);
    }
    event_base_loopbreak(pair.base);
}

static const char *tell(const char *site, const char *host, uint64_t known, const crawl_shared_cookie *changes,
                        size_t count)
{
    const cw_shared_jar jar = {.host = crawl_slice_from(host), .version = known};
    cr_assert_eq(
        cw_shared_tell_cookies(pair.a.shared, crawl_slice_from(site), ROOM, &jar, 1, changes, count, on_jars, NULL),
        CRAWL_OK);
    event_base_dispatch(pair.base);
    return s.text.data;
}

static const char *read_host(const char *host)
{
    return tell("shop.test", host, 0, NULL, 0);
}

static crawl_shared_cookie cookie(const char *host, const char *id, const char *value, int64_t after_ms)
{
    return (crawl_shared_cookie){.host = crawl_slice_from(host),
                                 .id = crawl_slice_from(id),
                                 .value = crawl_slice_from(value),
                                 .set_ms = START_MS + after_ms,
                                 .flags = *value ? 0 : CRAWL_SHARED_COOKIE_DELETED};
}

static const char *set(const char *host, const char *id, const char *value, int64_t after_ms)
{
    const crawl_shared_cookie one = cookie(host, id, value, after_ms);
    return tell("shop.test", host, 0, &one, 1);
}

/* ---- one at a time ---- */

Test(shared_cookies, are_told_where_their_version_is_another)
{
    cr_expect_str_eq(read_host("shop.test"), "");
    cr_expect_eq(s.hosts, 0);
    cr_expect_eq(s.now_ms, 0, "nothing has changed, and the time is not asked");
    cr_expect_str_eq(set("shop.test", "a", "1", 0), "a=1");
    uint64_t version = s.version;
    tell("shop.test", "shop.test", version, NULL, 0);
    cr_expect_eq(s.hosts, 0);
    cr_expect_str_eq(set("shop.test", "b", "2", 0), "a=1 b=2");
    cr_expect_gt(s.version, version);
    cr_expect_eq(s.now_ms, START_MS);
    cr_expect_str_eq(tell("shop.test", "shop.test", version, NULL, 0), "a=1 b=2");
    cr_expect_str_eq(read_host("www.shop.test"), "", "it is another name");
}

Test(shared_cookies, what_was_set_last_counts)
{
    set_now(1000);
    cr_expect_str_eq(set("shop.test", "a", "new", 900), "a=new");
    uint64_t version = s.version;
    cr_expect_str_eq(set("shop.test", "a", "old", 800), "a=new");
    cr_expect_eq(s.version, version);
    cr_expect_str_eq(set("shop.test", "a", "new", 900), "a=new", "told twice");
    cr_expect_eq(s.version, version);
    cr_expect_str_eq(set("shop.test", "a", "newest", 901), "a=newest");
}

Test(shared_cookies, a_clock_that_is_ahead_gains_nothing)
{
    cr_expect_str_eq(set("shop.test", "a", "ahead", 50000), "a=ahead");
    set_now(1);
    cr_expect_str_eq(set("shop.test", "a", "later", 1), "a=later");
}

Test(shared_cookies, what_was_deleted_does_not_come_back)
{
    set_now(1000);
    set("shop.test", "a", "1", 100);
    cr_expect_str_eq(set("shop.test", "a", "", 500), "a!");
    cr_expect_str_eq(set("shop.test", "a", "late", 400), "a!");
    cr_expect_str_eq(set("shop.test", "b", "", 500), "a! b!");
    cr_expect_str_eq(set("shop.test", "b", "late", 400), "a! b!", "it was told before what it deletes");
    set_now(1000 + HOUR_MS);
    set("shop.test", "c", "3", 1000 + HOUR_MS);
    cr_expect_str_eq(read_host("shop.test"), "c=3");
    cr_expect_str_eq(set("shop.test", "a", "very late", 400), "c=3");
    cr_expect_str_eq(set("shop.test", "a", "again", 900 + HOUR_MS), "c=3 a=again");
}

Test(shared_cookies, what_has_expired_goes)
{
    crawl_shared_cookie one = cookie("shop.test", "a", "1", 0);
    one.expires_ms = START_MS + 5000;
    cr_expect_str_eq(tell("shop.test", "shop.test", 0, &one, 1), "a=1");
    one.id = crawl_slice_from("b");
    one.expires_ms = START_MS - 1;
    cr_expect_str_eq(tell("shop.test", "shop.test", 0, &one, 1), "a=1 b!", "its date is in the past");
    set_now(5000);
    set("other.shop.test", "x", "1", 5000); /* for any write to the partition */
    cr_expect_str_eq(read_host("shop.test"), "b!");
    set_now(5000 + 2 * HOUR_MS);
    set("other.shop.test", "x", "2", 5000 + 2 * HOUR_MS);
    cr_expect_str_eq(read_host("shop.test"), "");
    cr_expect_eq(s.hosts, 0, "nothing is left of it");
}

/* ---- limits ---- */

static void set_many(const char *host, size_t count, unsigned flags, int64_t after_ms)
{
    char ids[CW_SHARED_COOKIE_CHANGES_MAX][16];
    crawl_shared_cookie changes[CW_SHARED_COOKIE_CHANGES_MAX];
    for (size_t i = 0; i < count; i++) {
        snprintf(ids[i], sizeof ids[i], "%u-%zu", flags, i);
        changes[i] = cookie(host, ids[i], "v", after_ms + (int64_t)i);
        changes[i].flags = flags;
    }
    tell("shop.test", host, 0, changes, count);
}

Test(shared_cookies, a_host_has_so_many)
{
    set_now(1000);
    set_many("shop.test", 60, CRAWL_SHARED_COOKIE_HOST_ONLY, 0);
    cr_expect_eq(s.count, 50);
    cr_expect_null(strstr(s.text.data, "1-9="), "those that were set first go first");
    cr_expect_not_null(strstr(s.text.data, "1-10="));
    set_many("shop.test", 120, 0, 0);
    set_many("shop.test", 100, CRAWL_SHARED_COOKIE_SECURE, 0);
    cr_expect_eq(s.count, 50 + 180);
    cr_expect_not_null(strstr(s.text.data, "2-0="), "secure ones stay");
    set_many("shop.test", 120, CRAWL_SHARED_COOKIE_OWN, 0);
    cr_expect_eq(s.count, 50 + 180 + 120, "the user's own do not count");
    set_many("shop.test", 100, CRAWL_SHARED_COOKIE_DELETED, 0);
    cr_expect_eq(s.count, 50 + 180 + 120 + 64);
}

Test(shared_cookies, the_users_own_stay_so_until_a_server_deletes_them)
{
    crawl_shared_cookie one = cookie("shop.test", "a", "mine", 0);
    one.flags = CRAWL_SHARED_COOKIE_OWN;
    tell("shop.test", "shop.test", 0, &one, 1);
    set_now(20);
    cr_expect_str_eq(set("shop.test", "a", "theirs", 10), "a=theirs");
    cr_expect_eq(s.flags, CRAWL_SHARED_COOKIE_OWN);
    cr_expect_str_eq(set("shop.test", "a", "", 20), "a!");
    cr_expect_eq(s.flags, CRAWL_SHARED_COOKIE_DELETED);
}

static char *long_value(size_t size)
{
    char *value = malloc(size + 1);
    cr_assert_not_null(value);
    memset(value, 'v', size);
    value[size] = '\0';
    return value;
}

/* Returns another site of the same partition. */
static const char *neighbour_of(const char *site, char room[32])
{
    for (unsigned i = 0;; i++) {
        snprintf(room, 32, "site%u.test", i);
        if (cw_shared_partition(crawl_slice_from(room)) == cw_shared_partition(crawl_slice_from(site)))
            return room;
    }
}

Test(shared_cookies, a_site_has_half_of_the_room_and_a_partition_all_of_it)
{
    enum { SIZE = 50000, OWN_MS = 1000 };
    char room[32];
    char host[40];
    char *value = long_value(SIZE);
    const char *neighbour = neighbour_of("shop.test", room);
    set_now(OWN_MS);
    crawl_shared_cookie one = cookie(neighbour, "a", "1", 0);
    tell(neighbour, neighbour, 0, &one, 1);
    one = cookie("own.shop.test", "a", value, 0);
    one.flags = CRAWL_SHARED_COOKIE_OWN;
    tell("shop.test", "own.shop.test", 0, &one, 1);
    for (int i = 0; i < 12; i++) {
        set_now(OWN_MS + i);
        snprintf(host, sizeof host, "h%d.shop.test", i);
        cr_expect_eq(strlen(set(host, "a", value, OWN_MS + i)), SIZE + 2, "%d", i);
    }
    size_t hosts = 0;
    for (int i = 0; i < 12; i++) {
        snprintf(host, sizeof host, "h%d.shop.test", i);
        hosts += *read_host(host) != '\0';
    }
    cr_expect_eq(hosts, (size_t)ROOM / 2 / (SIZE + 200), "%zu", hosts);
    cr_expect_str_eq(read_host("h0.shop.test"), "", "what was set first goes first");
    cr_expect_eq(strlen(read_host("own.shop.test")), SIZE + 2, "the user's own stays");
    cr_expect_str_eq(tell(neighbour, neighbour, 0, NULL, 0), "a=1", "it is another site's");
    for (int i = 0; i < 12; i++) {
        snprintf(host, sizeof host, "h%d.%s", i, neighbour);
        one = cookie(host, "a", value, OWN_MS + 20);
        set_now(OWN_MS + 20 + i);
        tell(neighbour, host, 0, &one, 1);
    }
    expect_sound(&pair.a);
    free(value);
}

Test(shared_cookies, a_site_whose_cookies_are_the_newest_sheds_its_own)
{
    enum { OLDER = 300, HOSTS = 30, SIZE = 50000 };
    char room[32];
    char host[40];
    char *value = long_value(SIZE);
    const char *neighbour = neighbour_of("shop.test", room);
    for (int i = 0; i < OLDER; i++) {
        snprintf(host, sizeof host, "h%d.%s", i, neighbour);
        const crawl_shared_cookie one = cookie(host, "a", "1", 0);
        tell(neighbour, host, 0, &one, 1);
    }
    for (int i = 0; i < HOSTS; i++) {
        set_now(1000 + i);
        snprintf(host, sizeof host, "h%d.shop.test", i);
        set(host, "a", value, 1000 + i);
    }
    size_t kept = 0;
    for (int i = 0; i < OLDER; i++) {
        snprintf(host, sizeof host, "h%d.%s", i, neighbour);
        kept += *tell(neighbour, host, 0, NULL, 0) != '\0';
    }
    cr_expect_eq(kept, OLDER, "%zu", kept);
    cr_expect_str_eq(read_host("h0.shop.test"), "");
    free(value);
}

static void on_any(void *, const crawl_redis_answer *said)
{
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    event_base_loopbreak(pair.base);
}

Test(shared_cookies, a_site_of_an_older_crawl_sheds_its_oldest_too)
{
    enum { OLDER = 5, HOSTS = 12, SIZE = 50000 };
    char key[64];
    char host[40];
    char *value = long_value(SIZE);
    for (int i = 0; i < HOSTS; i++) {
        if (i == OLDER) {
            snprintf(key, sizeof key, "{test:%u}:cookie_ages:shop.test",
                     cw_shared_partition(crawl_slice_from("shop.test")));
            cr_assert_eq(crawl_redis_send_texts(pair.a.redis, on_any, NULL, "DEL", key, NULL), CRAWL_OK);
            event_base_dispatch(pair.base);
            expect_sound(&pair.a);
        }
        set_now(1000 + i);
        snprintf(host, sizeof host, "h%d.shop.test", i);
        set(host, "a", value, 1000 + i);
    }
    cr_expect_str_eq(read_host("h0.shop.test"), "");
    cr_expect_eq(strlen(read_host("h10.shop.test")), SIZE + 2);
    free(value);
}

/* ---- all ---- */

static void on_all(void *user, const cw_shared_jars *said)
{
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    *(size_t *)user += said->count;
    event_base_loopbreak(pair.base);
}

Test(shared_cookies, all_can_be_read)
{
    size_t count = 0;
    unsigned partition = cw_shared_partition(crawl_slice_from("shop.test"));
    set("shop.test", "a", "1", 0);
    set("www.shop.test", "a", "1", 0);
    cr_assert_eq(cw_shared_all_cookies(pair.a.shared, partition, on_all, &count), CRAWL_OK);
    event_base_dispatch(pair.base);
    cr_expect_eq(count, 2);
}

static void on_fault(void *user, const cw_shared_jars *said)
{
    *(crawl_redis_fault *)user = said->fault;
    event_base_loopbreak(pair.base);
}

/* Another program's text, or a truncated one. */
Test(shared_cookies, texts_of_others_are_told)
{
    char key[64];
    crawl_redis_fault fault = CRAWL_REDIS_OK;
    unsigned partition = cw_shared_partition(crawl_slice_from("shop.test"));
    snprintf(key, sizeof key, "{test:%u}:cookies", partition);
    cr_assert_eq(crawl_redis_send_texts(pair.a.redis, on_any, NULL, "HSET", key, "shop.test",
                                        "12345678"
                                        "12345678"
                                        "\x09",
                                        NULL),
                 CRAWL_OK);
    event_base_dispatch(pair.base);
    cr_assert_eq(cw_shared_all_cookies(pair.a.shared, partition, on_fault, &fault), CRAWL_OK);
    event_base_dispatch(pair.base);
    cr_expect_eq(fault, CRAWL_REDIS_PROTOCOL);
    cr_assert_eq(crawl_redis_send_texts(pair.a.redis, on_any, NULL, "DEL", key, NULL), CRAWL_OK);
    event_base_dispatch(pair.base);
}

Test(shared_cookies, is_told_in_which_partitions_something_changed)
{
    const unsigned numbers[] = {3, 250};
    cr_assert_eq(cw_shared_stir_cookies(pair.a.shared, numbers, 2, on_any, NULL), CRAWL_OK);
    event_base_dispatch(pair.base);
    cr_assert_eq(cw_shared_read_cookie_stirs(pair.a.shared, on_any, NULL), CRAWL_OK);
    event_base_dispatch(pair.base);
}

/* The check finds a violation. */
static size_t reported;

static void count_violation(void *, const char *)
{
    reported++;
}

Test(shared_cookies, the_check_finds_what_is_wrong)
{
    static const char *const words[] = {"cookie_ages", "cookie_ages:shop.test"};
    char key[64];
    char version[32];
    set("shop.test", "a", "1", 0);
    snprintf(version, sizeof version, "%llu", (unsigned long long)s.version);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        reported = 0;
        snprintf(key, sizeof key, "{test:%u}:%s", cw_shared_partition(crawl_slice_from("shop.test")), words[i]);
        cr_assert_eq(crawl_redis_send_texts(pair.a.redis, on_any, NULL, "ZADD", key, "5", "shop.test", NULL), CRAWL_OK);
        event_base_dispatch(pair.base);
        cr_expect_eq(violations_of(&pair.a, count_violation), 1);
        cr_expect_eq(reported, 1);
        cr_assert_eq(crawl_redis_send_texts(pair.a.redis, on_any, NULL, "ZADD", key, version, "shop.test", NULL),
                     CRAWL_OK);
        event_base_dispatch(pair.base);
    }
}
