/* Tests that every worker that has joined is told, whatever it asks, if the server has lost the crawl, as a whole or in
 * part; and that it writes nothing there. */
#include "tests/unit/shared/protocol_help.h"

#define HOST "h" /* its partition is taken for the lost one */

TestSuite(shared_lost, .init = open_joined_pair, .fini = close_pair);

/* ---- commands sent directly ---- */

static void on_number(void *user, const crawl_redis_answer *said)
{
    answered *a = user;
    cr_assert_eq(said->fault, CRAWL_REDIS_OK, "%s", said->words);
    snprintf(a->words, sizeof a->words, "%lld", (long long)said->reply->number);
    event_base_loopbreak(a->base);
}

/* Returns the number that it answers; NULL ends the words early. */
static long ask(const char *first, const char *second, const char *third)
{
    answered a = {.base = pair.base};
    cr_assert_eq(crawl_redis_send_texts(pair.a.redis, on_number, &a, first, second, third, NULL), CRAWL_OK);
    event_base_dispatch(pair.base);
    return strtol(a.words, NULL, 10);
}

static const char *key_of(const char *host, const char *word)
{
    static char key[80];
    snprintf(key, sizeof key, "{test:%u}:%s", cw_shared_partition(crawl_slice_from(host)), word);
    return key;
}

/* ---- calls that are refused ---- */

static void on_reply(void *user, const crawl_redis_answer *said)
{
    on_answered(user, said->fault, said->words);
}

static void on_refused_take(void *user, const cw_shared_taken *said)
{
    on_answered(user, said->fault, said->words);
}

static void on_refused_write(void *user, const cw_shared_written *said)
{
    on_answered(user, said->fault, said->words);
}

static void on_refused_look(void *user, const cw_shared_look *said)
{
    on_answered(user, said->fault, said->words);
}

static void on_refused_feed(void *user, crawl_redis_fault fault, const char *words, uint64_t)
{
    on_answered(user, fault, words);
}

static void on_refused_tickets(void *user, const cw_shared_tickets *said)
{
    on_answered(user, said->fault, said->words);
}

static void on_refused_body(void *user, crawl_redis_fault fault, const char *words, crawl_slice)
{
    on_answered(user, fault, words);
}

typedef crawl_err call(worker *w, answered *a);

static crawl_err push(worker *w, answered *a)
{
    static uint8_t fate; /* written when the answer comes, as is this: */
    static bool has_news;
    const uint8_t print[CW_SHARED_PRINT] = {1};
    const cw_shared_request request = {.origin = crawl_slice_from(HOST), .print = print};
    fate = CW_SHARED_OWED;
    return cw_shared_push(w->shared, &request, 1, &fate, &has_news, on_answered, a);
}

static crawl_err take(worker *w, answered *a)
{
    return cw_shared_take(w->shared, cw_shared_partition(crawl_slice_from(HOST)), 1, 1, 0, on_refused_take, a);
}

static crawl_err write_session(worker *w, answered *a)
{
    const taken none = {.token = 1};
    const cw_shared_write write = write_of(HOST, &none);
    return cw_shared_write_session(w->shared, &write, on_refused_write, a);
}

static crawl_err renew(worker *w, answered *a)
{
    static cw_shared_hold hold;
    hold = (cw_shared_hold){.origin = crawl_slice_from(HOST), .token = 1};
    return cw_shared_renew(w->shared, &hold, 1, 0, on_answered, a);
}

static crawl_err look(worker *w, answered *a)
{
    return cw_shared_look_at(w->shared, CW_SHARED_END, on_refused_look, a);
}

static crawl_err feed(worker *w, answered *a)
{
    return cw_shared_feed(w->shared, true, on_refused_feed, a);
}

static crawl_err run(worker *w, answered *a)
{
    return cw_shared_run(w->shared, true, on_answered, a);
}

static crawl_err stir(worker *w, answered *a)
{
    return cw_shared_stir(w->shared, (const unsigned[]){3}, 1, on_answered, a);
}

static crawl_err take_tickets(worker *w, answered *a)
{
    const cw_shared_wish wish = {.limit = 9, .wanted = 1};
    return cw_shared_take_tickets(w->shared, &wish, on_refused_tickets, a);
}

static crawl_err ask_body(worker *w, answered *a)
{
    const uint8_t digest[CW_SHARED_PRINT] = {1};
    return cw_shared_ask_body(w->shared, digest, crawl_slice_from("http://h/"), 1000, on_refused_body, a);
}

static crawl_err write_notes(worker *w, answered *a)
{
    const crawl_slice texts[] = {crawl_slice_from("#name"), crawl_slice_from("note")};
    return cw_shared_write_notes(w->shared, texts, 2, on_reply, a);
}

static void expect_refused(worker *w, call *of, cw_shared_loss loss, const char *name)
{
    answered a = {.base = w->base};
    cr_assert_eq(of(w, &a), CRAWL_OK);
    event_base_dispatch(w->base);
    cr_expect_eq(a.fault, CRAWL_REDIS_REFUSED, "%s: %s", name, a.words);
    cr_expect_eq(cw_shared_loss_in(a.words), loss, "%s: %s", name, a.words);
}

/* ---- tests ---- */

Test(shared_lost, an_empty_server_refuses_all_and_stays_empty)
{
    static const struct {
        const char *name;
        call *call;
    } calls[] = {
        {"push", push},        {"take", take}, {"write", write_session}, {"renew", renew},   {"look", look},
        {"feed", feed},        {"run", run},   {"stir", stir},           {"body", ask_body}, {"tickets", take_tickets},
        {"notes", write_notes}};
    push_one(&pair.a, HOST "/1", 1);
    ask("FLUSHALL", NULL, NULL);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        expect_refused(&pair.a, calls[i].call, CW_SHARED_LOST, calls[i].name);
    cr_expect_eq(ask("DBSIZE", NULL, NULL), 0);
}

Test(shared_lost, another_crawl_of_the_name_is_told_from_this_one)
{
    ask("FLUSHALL", NULL, NULL);
    joined j = join_as(&pair.b, "order", "bfs", false);
    cr_expect(j.made, "%s", j.error.message);
    expect_refused(&pair.a, push, CW_SHARED_OTHER, "push");
    cr_expect_eq(push_one(&pair.b, HOST "/1", 1), CW_SHARED_QUEUED);
}

/* As when the node of a partition comes back empty. */
Test(shared_lost, a_partition_alone_is_missed)
{
    const char *other = "other";
    cr_assert_neq(cw_shared_partition(crawl_slice_from(other)), cw_shared_partition(crawl_slice_from(HOST)));
    cr_assert_eq(ask("DEL", key_of(HOST, "figures"), NULL), 1);
    expect_refused(&pair.a, push, CW_SHARED_LOST, "push");
    expect_refused(&pair.a, take, CW_SHARED_LOST, "take");
    expect_refused(&pair.a, look, CW_SHARED_LOST, "look");
    cr_expect_eq(ask("EXISTS", key_of(HOST, "figures"), NULL), 0);
    cr_expect_eq(push_one(&pair.a, "other/1", 1), CW_SHARED_QUEUED);
}

/* A worker that joins later does not mistake the rest for the whole crawl. */
Test(shared_lost, whoever_joins_later_misses_it_too)
{
    ask("DEL", key_of(HOST, "figures"), NULL);
    cr_expect_eq(join_as(&pair.b, "order", "bfs", false).err, CRAWL_OK);
    expect_refused(&pair.b, look, CW_SHARED_LOST, "look");
}

Test(shared_lost, whoever_finds_a_crawl_that_is_not_marked_marks_it)
{
    push_one(&pair.a, HOST "/1", 1);
    cr_assert_eq(ask("HDEL", "{test}:figures", "made"), 1);
    cr_assert_eq(ask("HDEL", key_of(HOST, "figures"), "made"), 1);
    joined j = join_as(&pair.b, "order", "bfs", false);
    cr_expect_eq(j.err, CRAWL_OK, "%s", j.error.message);
    cr_expect_not(j.made);
    cr_expect_eq(push_one(&pair.a, HOST "/1", 1), CW_SHARED_WAS_SEEN);
    expect_sound(&pair.b);
}

/* The node of {test} was lost; the nodes of its partitions were not. */
Test(shared_lost, a_crawl_is_not_made_upon_what_is_left_of_another)
{
    ask("DEL", "{test}:crawl", NULL);
    ask("DEL", "{test}:made", NULL);
    ask("DEL", "{test}:figures", NULL);
    joined j = join_as(&pair.b, "order", "bfs", false);
    cr_expect_eq(j.err, CRAWL_ECORRUPT);
    cr_expect_str_eq(j.error.message, "keys of another crawl of this name are left: drop them, or use another name");
}
