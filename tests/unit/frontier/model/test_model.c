/* The frontier against a model of it (model.h): random steps, a random clock, many seeds. A failing run is shortened
 * and printed as C, for `replays` below.
 *
 * With DURABLE defined, the durable frontier, which is closed or dropped in between, and reopened. */
#include "tests/unit/frontier/model/model_shrink.h"

#ifdef DURABLE
enum { SEEDS = 18, SEEDS_IN_PLACE = 3, SEEDS_AT_FAULT = 1 };
#else
enum { SEEDS = 120, SEEDS_IN_PLACE = 12, SEEDS_AT_FAULT = 3 };
#endif

/* Shortens the failing list in *s. out receives the explanation. */
static void explain(shrinker *s, uint64_t seed, crawl_buf *out)
{
    size_t before = s->list.count;
    fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, s->text); /* in case this process is killed */
    shrink(s);
    model_holds(&s->list, MODEL_APART, s->text); /* with a sanitizer's full report */
    crawl_buf_printf(out, "seed %llu, %zu of %zu steps, after %u runs: %s\n", (unsigned long long)seed, s->list.count,
                     before, s->runs, s->text);
    say_list(out, &s->list);
}

/* Returns false, with *s and out as set by explain, if the seed's list fails. */
static bool run(uint64_t seed, model_way way, model_fault fault, shrinker *s, crawl_buf *out)
{
    memset(s, 0, sizeof *s);
    random_list(seed, &s->list);
    s->list.setup.fault = fault;
    bool holds = model_holds(&s->list, way, s->text);
    if (!holds)
        explain(s, seed, out);
    return holds;
}

static void run_all(uint64_t seeds, model_way way)
{
    static shrinker s;
    crawl_buf out = {0};
    bool holds = true;
    for (uint64_t seed = 1; holds && seed <= seeds; seed++)
        holds = run(seed, way, MODEL_SOUND, &s, &out);
    cr_expect(holds, "%.*s", (int)out.size, out.data);
    crawl_buf_free(&out);
}

Test(model, gives_the_same_answers)
{
    run_all(SEEDS, MODEL_APART);
}

/* Runs in this process, so that leaks are detected at its end. */
Test(model, gives_the_same_answers_in_place)
{
    run_all(SEEDS_IN_PLACE, MODEL_IN_PLACE);
}

/* ---- lists that once failed: paste printed ones here ---- */

Test(model, replays)
{
    static const model_list lists[] = {
        /* Here a model that forgets blocks differs. */
        {
            .setup = {.order = CRAWL_ORDER_BFS, .kind = CRAWL_BLOOM_EXACT, .pause = 58, .per_host = 3, .windows = 2000},
            .count = 2,
            .steps =
                {
                    {.op = MODEL_BLOCK, .host = 1, .in = 153},
                    {.op = MODEL_PUSH, .count = 1, .links = {{.host = 1, .name = 265}}},
                },
        },
        /* Here one that counts returns as attempts differs. */
        {
            .setup =
                {.order = CRAWL_ORDER_DFS, .kind = CRAWL_BLOOM_EXACT, .pause = 3, .per_host = 1, .confirm_start = 1},
            .count = 4,
            .steps =
                {
                    {.op = MODEL_PUSH, .count = 1, .links = {{.host = 4, .name = 142}}},
                    {.op = MODEL_POP},
                    {.op = MODEL_DONE, .outcome = CRAWL_DONE_RETURN, .in = MODEL_LIFTED},
                    {.op = MODEL_POP},
                },
        },
    };
    char text[MODEL_TEXT];
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        cr_expect(model_holds(&lists[i], MODEL_IN_PLACE, text), "list %zu: %s", i, text);
}

/* ---- tests of the test ---- */

static void expect_short(model_fault fault, size_t most, const char *needed)
{
    static shrinker s;
    char text[MODEL_TEXT];
    crawl_buf out = {0};
    for (uint64_t seed = 1; seed <= SEEDS_AT_FAULT; seed++) {
        crawl_buf_clear(&out);
        cr_assert_not(run(seed, MODEL_APART, fault, &s, &out));
        cr_assert_leq(s.list.count, most, "%.*s", (int)out.size, out.data);
        cr_assert_not_null(memmem(out.data, out.size, needed, strlen(needed)), "%.*s", (int)out.size, out.data);
        s.list.setup.fault = MODEL_SOUND;
        cr_assert(model_holds(&s.list, MODEL_APART, text), "%s", text);
    }
    crawl_buf_free(&out);
}

Test(model, makes_short_what_a_model_that_forgets_blocks_fails_on)
{
    expect_short(MODEL_FORGETS_BLOCKS, 4, "\n{.op = MODEL_BLOCK, ");
}

Test(model, makes_short_what_a_model_that_counts_returns_fails_on)
{
    expect_short(MODEL_COUNTS_RETURNS, 5, ".outcome = CRAWL_DONE_RETURN");
}

Test(model, makes_short_what_ends_the_process)
{
    static shrinker s;
    crawl_buf out = {0};
    if (!MODEL_CAN_FORK)
        return;
    cr_assert_not(run(1, MODEL_APART, MODEL_DIES_OF_PAUSES, &s, &out));
    cr_assert_str_eq(s.text, "ended by signal 6");
    cr_assert_eq(s.list.count, 1, "%.*s", (int)out.size, out.data);
    crawl_buf_free(&out);
}

Test(model, prints_what_can_be_pasted)
{
    static const model_list list = {
        .setup = {.order = CRAWL_ORDER_DFS, .kind = CRAWL_BLOOM_TABLE, .pause = 9, .per_host = 2},
        .count = 3,
        .steps = {{.op = MODEL_URGENT, .ahead = 3, .count = 1, .links = {{.host = 2, .priority = -1}}},
                  {.op = MODEL_DONE, .pick = 4, .outcome = CRAWL_DONE_RETRY, .in = MODEL_LIFTED},
                  {.op = MODEL_BLOCK, .host = 1, .in = CRAWL_FOREVER}}};
    const char *expected =
        ".setup = {.order = CRAWL_ORDER_DFS, .kind = CRAWL_BLOOM_TABLE, .pause = 9, .per_host = 2},\n"
        ".count = 3,\n.steps = {\n"
        "{.op = MODEL_URGENT, .ahead = 3, .count = 1, .links = {{.host = 2, .priority = -1}}},\n"
        "{.op = MODEL_DONE, .pick = 4, .outcome = CRAWL_DONE_RETRY, .in = MODEL_LIFTED},\n"
        "{.op = MODEL_BLOCK, .host = 1, .in = CRAWL_FOREVER},\n}\n";
    crawl_buf out = {0};
    say_list(&out, &list);
    cr_assert(crawl_slice_equal(crawl_buf_slice(&out), crawl_slice_from(expected)), "%.*s", (int)out.size, out.data);
    crawl_buf_free(&out);
}
