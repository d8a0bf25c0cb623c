/* What is kept of a host: it comes back as it was written, whatever its size, and takes little memory. */
#include "tests/unit/shared/protocol_help.h"

typedef struct setting {
    server server;
    struct event_base *base;
    worker worker;
    taken taken;
} setting;

static void set_up(setting *s)
{
    *s = (setting){0};
    start_server(&s->server);
    s->base = event_base_new();
    start_worker(&s->worker, s->base, &s->server, worker_options("a"));
    cr_assert_eq(join_as(&s->worker, "order", "bfs", false).err, CRAWL_OK);
    push_one(&s->worker, "h/1", 1);
}

static void take_down(setting *s)
{
    expect_sound(&s->worker);
    crawl_buf_free(&s->taken.items);
    stop_worker(&s->worker);
    stop_loop(s->base);
    stop_server(&s->server);
}

static void on_text(void *user, const crawl_redis_answer *said)
{
    answered *a = user;
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    snprintf(a->words, sizeof a->words, "%s", said->reply->text.data);
    event_base_loopbreak(a->base);
}

/* Writes so many bytes in a session, which ends; and takes the host again. */
static void write_and_take(setting *s, size_t size)
{
    char text[201];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    const crawl_slice record = crawl_slice_of(text, size);
    cr_assert(take_host(&s->worker, "h", 1, &s->taken));
    cw_shared_write write = write_of("h", &s->taken);
    write.record = &record;
    write.is_end = true;
    cr_assert(write_it(&s->worker, &write, &s->taken));
    cr_assert(take_host(&s->worker, "h", 1, &s->taken));
    cr_expect_eq(strlen(s->taken.record), size);
    cr_expect_eq(memcmp(s->taken.record, text, size), 0, "%zu bytes: %s", size, s->taken.record);
    write.token = s->taken.token;
    write.record = NULL; /* and it stays as it is */
    cr_assert(write_it(&s->worker, &write, &s->taken));
}

Test(shared_records, come_back_whatever_their_size)
{
    static const size_t sizes[] = {1, 63, 64, 65, 200, 66, 64, 2, 0};
    setting s;
    set_up(&s);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        write_and_take(&s, sizes[i]);
    take_down(&s);
}

Test(shared_records, do_not_make_a_table_of_the_hash_of_a_host)
{
    char key[40];
    setting s;
    set_up(&s);
    write_and_take(&s, 128);
    answered a = {.base = s.base};
    snprintf(key, sizeof key, "{test:%u}:host:h", cw_shared_partition(crawl_slice_from("h")));
    cr_assert_eq(crawl_redis_send_texts(s.worker.redis, on_text, &a, "OBJECT", "ENCODING", key, NULL), CRAWL_OK);
    event_base_dispatch(s.base);
    cr_expect_str_neq(a.words, "hashtable");
    take_down(&s);
}
