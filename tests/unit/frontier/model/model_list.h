/* Lists of steps for the model: random ones, and printed as C, for a test that replays them. */
#pragma once

#include "tests/unit/frontier/model/model.h"

/* ---- random lists ---- */

static inline uint64_t below(uint64_t *random, uint64_t limit)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (*random >> 11) % limit;
}

static inline model_setup random_setup(uint64_t seed, uint64_t *random)
{
    static const crawl_bloom_kind kinds[] = {CRAWL_BLOOM_EXACT, CRAWL_BLOOM_COUNTING, CRAWL_BLOOM_TABLE};
    static const uint64_t windows[] = {0, 2000, 64 << 20};
    static const uint64_t stages[] = {0, 3000, 64 << 20};
    model_setup setup = {.order = (crawl_order)(seed % 3),
                         .kind = kinds[seed / 9 % 3],
                         .windows = windows[seed / 3 % 3],
                         .stage = stages[seed * 5 / 7 % 3],
                         .log = seed / 2 % 2 ? 5 : 0,
                         .rests = seed / 5 % 2};
    setup.pause = below(random, 3) ? (int64_t)below(random, 100) : 0;
    setup.per_host = 1 + (unsigned)below(random, 3);
    setup.confirm_start = below(random, 2);
    setup.max_queued = below(random, 4) ? 0 : 20 + below(random, 50);
    return setup;
}

static inline uint32_t random_memo(uint64_t *random)
{
    return below(random, 3) ? 0 : (uint32_t)below(random, 1000000);
}

static inline void random_links(model_step *step, size_t count, uint64_t *random)
{
    step->count = count;
    for (size_t i = 0; i < count; i++) {
        model_link *link = &step->links[i];
        link->host = (unsigned)below(random, MODEL_HOSTS);
        link->name = (uint32_t)below(random, MODEL_NAMES);
        link->depth = (uint32_t)below(random, 4);
        link->priority = below(random, 4) ? 0 : (int32_t)below(random, 5) - 2;
        link->revisit = below(random, 10) == 0;
        link->memo = random_memo(random);
    }
}

static inline void random_block(model_step *step, uint64_t *random)
{
    step->host = (unsigned)below(random, MODEL_HOSTS);
    step->in = below(random, 4) ? (int64_t)below(random, 200) - 20 : below(random, 4) ? MODEL_LIFTED : CRAWL_FOREVER;
}

static inline void random_end(model_step *step, uint64_t *random)
{
    unsigned outcome = below(random, 3) ? (unsigned)below(random, CRAWL_DONE_FORGET + 2) : CRAWL_DONE_FINISHED;
    step->pick = (unsigned)below(random, 1000);
    step->in = below(random, 3) ? (int64_t)below(random, 300) - 20 : MODEL_LIFTED;
    step->op = outcome > CRAWL_DONE_FORGET ? MODEL_AGAIN : MODEL_DONE;
    step->memo = step->op == MODEL_AGAIN ? random_memo(random) : 0;
    step->outcome = step->op == MODEL_AGAIN ? CRAWL_DONE_FINISHED : (crawl_outcome)outcome;
}

/* Weights out of 400. */
static const unsigned model_weights[MODEL_OPS] = {
    [MODEL_PUSH] = 64, [MODEL_URGENT] = 12, [MODEL_POP] = 155,  [MODEL_START] = 46,
    [MODEL_PARK] = 10, [MODEL_DONE] = 84,   [MODEL_BLOCK] = 16, [MODEL_PAUSE] = 7,
    [MODEL_SHARE] = 4, [MODEL_CLOSE] = 1,   [MODEL_CRASH] = 1};

static inline model_step random_step(uint64_t *random)
{
    model_step step = {.op = MODEL_PUSH};
    uint64_t pick = below(random, 400);
    while (pick >= model_weights[step.op])
        pick -= model_weights[step.op++];
    if (below(random, 3) == 0)
        step.ahead = (int64_t)below(random, below(random, 10) ? 30 : 500);
    if (step.op == MODEL_PUSH || step.op == MODEL_URGENT)
        random_links(&step, step.op == MODEL_URGENT ? 1 : 1 + below(random, MODEL_LINKS), random);
    if (step.op == MODEL_START || step.op == MODEL_PARK)
        step.pick = (unsigned)below(random, 1000);
    if (step.op == MODEL_DONE)
        random_end(&step, random);
    if (step.op == MODEL_BLOCK)
        random_block(&step, random);
    if (step.op == MODEL_PAUSE) {
        step.host = (unsigned)below(random, MODEL_HOSTS);
        step.in = (int64_t)below(random, 120) - 40;
    }
    if (step.op == MODEL_SHARE) {
        step.host = (unsigned)below(random, MODEL_HOSTS);
        step.in = 1 + (int64_t)below(random, 4);
    }
    return step;
}

static inline void random_list(uint64_t seed, model_list *list)
{
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;
    list->setup = random_setup(seed, &random);
    list->count = MODEL_STEPS;
    for (size_t i = 0; i < list->count; i++)
        list->steps[i] = random_step(&random);
}

/* ---- as text; zeros are left out ---- */

static inline void say_field(crawl_buf *out, const char *name, int64_t value)
{
    if (value == MODEL_LIFTED)
        crawl_buf_printf(out, ", .%s = MODEL_LIFTED", name);
    else if (value == CRAWL_FOREVER)
        crawl_buf_printf(out, ", .%s = CRAWL_FOREVER", name);
    else if (value)
        crawl_buf_printf(out, ", .%s = %lld", name, (long long)value);
}

static inline void say_setup(crawl_buf *out, const model_setup *setup)
{
    static const char *const orders[] = {"BFS", "DFS", "BEST"};
    const char *kind = setup->kind == CRAWL_BLOOM_EXACT   ? "EXACT"
                       : setup->kind == CRAWL_BLOOM_TABLE ? "TABLE"
                                                          : "COUNTING";
    crawl_buf_printf(out, ".setup = {.order = CRAWL_ORDER_%s, .kind = CRAWL_BLOOM_%s", orders[setup->order], kind);
    say_field(out, "pause", setup->pause);
    say_field(out, "per_host", setup->per_host);
    say_field(out, "confirm_start", setup->confirm_start);
    say_field(out, "max_queued", (int64_t)setup->max_queued);
    say_field(out, "windows", (int64_t)setup->windows);
    say_field(out, "stage", (int64_t)setup->stage);
    say_field(out, "log", setup->log);
    say_field(out, "rests", setup->rests);
    say_field(out, "fault", setup->fault);
    crawl_buf_printf(out, "},\n");
}

static inline void say_links(crawl_buf *out, const model_step *step)
{
    say_field(out, "count", (int64_t)step->count);
    for (size_t i = 0; i < step->count; i++) {
        const model_link *link = &step->links[i];
        crawl_buf_printf(out, "%s{.host = %u", i ? ", " : ", .links = {", link->host);
        say_field(out, "name", link->name);
        say_field(out, "depth", link->depth);
        say_field(out, "priority", link->priority);
        say_field(out, "revisit", link->revisit);
        say_field(out, "memo", link->memo);
        crawl_buf_printf(out, "}%s", i + 1 == step->count ? "}" : "");
    }
}

static inline void say_step(crawl_buf *out, const model_step *step)
{
    static const char *const ops[MODEL_OPS] = {"PUSH",  "URGENT", "POP",   "START", "PARK",  "DONE",
                                               "AGAIN", "BLOCK",  "PAUSE", "SHARE", "CLOSE", "CRASH"};
    static const char *const outcomes[] = {"FINISHED", "RETRY", "RETURN", "FORGET"};
    crawl_buf_printf(out, "{.op = MODEL_%s", ops[step->op]);
    say_field(out, "ahead", step->ahead);
    say_links(out, step);
    say_field(out, "pick", step->pick);
    if (step->op == MODEL_DONE)
        crawl_buf_printf(out, ", .outcome = CRAWL_DONE_%s", outcomes[step->outcome]);
    say_field(out, "host", step->host);
    say_field(out, "in", step->in);
    say_field(out, "memo", step->memo);
    crawl_buf_printf(out, "},\n");
}

/* Prints a list as the initializer of a model_list, a line for each step. */
static inline void say_list(crawl_buf *out, const model_list *list)
{
    say_setup(out, &list->setup);
    crawl_buf_printf(out, ".count = %zu,\n.steps = {\n", list->count);
    for (size_t i = 0; i < list->count; i++)
        say_step(out, &list->steps[i]);
    crawl_buf_printf(out, "}\n");
}
