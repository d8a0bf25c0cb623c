/* The record of a host: it comes back as written, whatever its size, and takes little memory. */
#include "tests/unit/shared/protocol_help.h"

static taken t;

static void init(void)
{
    open_joined_pair();
    push_one(&pair.a, "h/1", 1);
}

static void fini(void)
{
    crawl_buf_free(&t.items);
    close_sound_pair();
}

TestSuite(shared_records, .init = init, .fini = fini);

static void on_text(void *user, const crawl_redis_answer *said)
{
    answered *a = user;
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    snprintf(a->words, sizeof a->words, "%s", said->reply->text.data);
    event_base_loopbreak(a->base);
}

/* Writes `size` bytes in a session, which ends; and takes the host again. */
static void write_and_take(size_t size)
{
    char text[201];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    const crawl_slice record = crawl_slice_of(text, size);
    cr_assert(take_host(&pair.a, "h", 1, &t));
    cw_shared_write write = write_of("h", &t);
    write.record = &record;
    write.is_end = true;
    cr_assert(write_it(&pair.a, &write, &t));
    cr_assert(take_host(&pair.a, "h", 1, &t));
    cr_expect_eq(strlen(t.record), size);
    cr_expect_eq(memcmp(t.record, text, size), 0, "%zu bytes: %s", size, t.record);
    write.token = t.token;
    write.record = NULL; /* and it stays as it is */
    cr_assert(write_it(&pair.a, &write, &t));
}

Test(shared_records, come_back_whatever_their_size)
{
    static const size_t sizes[] = {1, 63, 64, 65, 200, 66, 64, 2, 0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        write_and_take(sizes[i]);
}

Test(shared_records, do_not_make_a_table_of_the_hash_of_a_host)
{
    char key[40];
    write_and_take(128);
    answered a = {.base = pair.base};
    snprintf(key, sizeof key, "{test:%u}:host:h", cw_shared_partition(crawl_slice_from("h")));
    cr_assert_eq(crawl_redis_send_texts(pair.a.redis, on_text, &a, "OBJECT", "ENCODING", key, NULL), CRAWL_OK);
    event_base_dispatch(pair.base);
    cr_expect_str_neq(a.words, "hashtable");
}
