/* Tests the table: growth, the promised rate, forgetting, limits, statistics and files. */
#include "bloom/table/table_loops.h"
#include "bloom/table/table_spill.h"
#include "keys.h"

#include <math.h>
#include <unistd.h>

static crawl_bloom *create_table(uint64_t capacity, double fpr, uint64_t max_bytes)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_TABLE, capacity, fpr);
    options.max_bytes = max_bytes;
    return create(&options);
}

static void check(const crawl_bloom *bloom)
{
    crawl_error error = {0};
    cr_assert_eq(cw_table_tags_check(bloom, &error), CRAWL_OK, "%s", error.message);
}

/* Makes a table with the given lanes and lines. */
static cw_table_tags *make_table(unsigned lanes, uint64_t lines)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_TABLE, 1000, 1e-3);
    cw_table_tags *tags;
    cr_assert_eq(cw_table_tags_make(&options, lanes, lines, &tags), CRAWL_OK);
    tags->bloom.kind = &cw_kind_table;
    return tags;
}

/* Adds keys from number on until the table is in the middle of a doubling. Returns the next number. */
static uint64_t add_until_doubling(crawl_bloom *bloom, uint64_t number)
{
    const cw_table_tags *tags = (const cw_table_tags *)bloom;
    while (tags->edge == tags->lines || tags->edge > tags->lines / 2)
        add(bloom, number++, NULL);
    return number;
}

/* --- Geometry. --- */

Test(bloom_table, check_bits_have_a_place_each)
{
    for (unsigned lanes = CW_TABLE_LANES_LEAST; lanes <= CW_TABLE_LANES_MOST; lanes++) {
        cw_table_line_shape shape;
        cw_table_shape_of_line(lanes, &shape);
        cw_table_line used;
        memcpy(&used, shape.words, sizeof used);
        cw_table_line_set_spilled(&used, CW_TABLE_SPILLED_MOST);
        for (unsigned i = 0; i < lanes; i++) {
            cw_table_line one = {0};
            cw_table_line_put(&shape, &one, &one, i, 0, UINT64_MAX);
            for (unsigned word = 0; word < 8; word++) {
                cr_assert_eq(one.word[word] & used.word[word], 0, "lanes %u", lanes);
                used.word[word] |= one.word[word];
            }
        }
        unsigned bits = 0;
        for (unsigned word = 0; word < 8; word++)
            bits += (unsigned)__builtin_popcountll(used.word[word]);
        cr_assert_eq(bits, 512, "lanes %u: %u bits used", lanes, bits);
    }
}

Test(bloom_table, the_geometry_keeps_the_rate)
{
    unsigned before = CW_TABLE_LANES_MOST;
    for (double fpr = 0.5; fpr >= 1e-9; fpr /= 1.3) {
        unsigned lanes = cw_table_lanes_for(fpr);
        cr_assert_leq(cw_table_highest_rate(lanes), fpr);
        cr_assert_leq(lanes, before);
        cr_assert(lanes == CW_TABLE_LANES_MOST || cw_table_highest_rate(lanes + 1) > fpr);
        before = lanes;
    }
    cr_assert_leq(cw_table_highest_rate(cw_table_lanes_for(1e-9)), 1e-9);
}

/* --- Growth and rate. --- */

/* Grows a table from 1000 keys to 200000 and checks that all are found, that the rate stays below the promised one and
 * that the statistics agree. */
static void grow_and_measure(double fpr)
{
    crawl_bloom *bloom = create_table(1000, fpr, 0);
    uint64_t keys = 0, lost = 0;
    for (uint64_t goal = 20000; goal <= 200000; keys = goal, goal += 60000) {
        lost += add_range(bloom, keys, goal - keys);
        cr_assert_eq(count_range(bloom, 0, goal), goal);
        uint64_t probes = 400000, hits = count_range(bloom, STRANGERS, probes);
        crawl_bloom_stats stats = stats_of(bloom);
        double expected = stats.fpr_by_count * (double)probes;
        cr_assert_leq((double)hits, fpr * (double)probes);
        cr_assert_lt(fabs((double)hits - expected), 5 * sqrt(expected) + 5, "%llu hits, expected %g",
                     (unsigned long long)hits, expected);
        cr_assert_lt(fabs(stats.fpr_now - stats.fpr_by_count), stats.fpr_by_count / 10);
        cr_assert_lt(fabs((double)lost - stats.expected_false), 5 * sqrt(stats.expected_false) + 5);
        cr_assert_eq(stats.count, goal - lost);
        cr_assert_eq(stats.fpr, fpr);
    }
    check(bloom);
    crawl_bloom_free(bloom);
}

Test(bloom_table, grows_within_the_rate_of_a_hundredth)
{
    grow_and_measure(1e-2);
}

Test(bloom_table, grows_within_the_rate_of_a_thousandth)
{
    grow_and_measure(1e-3);
}

Test(bloom_table, grows_within_the_rate_of_a_billionth)
{
    grow_and_measure(1e-9);
}

/* The rate rises by equal steps, as far as table.h says. */
Test(bloom_table, the_rate_rises_by_equal_steps)
{
    cw_table_tags *tags = make_table(27, 4);
    uint64_t number = 0;
    double rates[13];
    for (unsigned level = 0; level < 13; level++) {
        while (tags->level <= level)
            add(&tags->bloom, number++, NULL);
        rates[level] = stats_of(&tags->bloom).fpr_by_count;
    }
    double step = (rates[12] - rates[2]) / 10;
    for (unsigned level = 3; level < 12; level++)
        cr_assert_lt(fabs(rates[level + 1] - rates[level] - step), step / 4);
    cr_assert_leq(rates[12] + 2 * step, cw_table_highest_rate(27));
    cr_assert_geq(rates[12] + 2 * step, cw_table_highest_rate(27) * 0.8);
    cw_table_tags_destroy(&tags->bloom);
}

Test(bloom_table, figures)
{
    crawl_bloom *bloom = create_table(100000, 1e-3, 0);
    crawl_bloom_stats stats = stats_of(bloom);
    uint64_t bytes = stats.bytes;
    cr_assert_geq(stats.capacity, 100000);
    cr_assert_lt(stats.capacity, 100100);
    cr_assert_eq(stats.fill, 0);
    cr_assert_eq(stats.filters, 1);
    add_range(bloom, 0, 99000);
    stats = stats_of(bloom);
    cr_assert_eq(stats.bytes, bytes);
    cr_assert_gt(stats.fill, 0.7);
    cr_assert_lt(stats.fill, 0.85);
    cr_assert_lt(8 * (double)bytes / 99000, 27);
    add_range(bloom, 99000, 8000);
    stats = stats_of(bloom);
    cr_assert_gt(stats.bytes, bytes * 19 / 10);
    cr_assert_geq(stats.capacity, 200000);
    cr_assert_lt(stats.fill, 0.45);
    crawl_bloom_free(bloom);
}

/* --- Equal results of all paths. --- */

static void assert_same(const crawl_bloom *one, const crawl_bloom *two)
{
    const cw_table_tags *a = (const cw_table_tags *)one, *b = (const cw_table_tags *)two;
    cr_assert_eq(a->room, b->room);
    cr_assert_eq(a->edge, b->edge);
    cr_assert_eq(a->entries, b->entries);
    cr_assert_eq(memcmp(a->born, b->born, sizeof a->born), 0);
    cr_assert_eq(a->begin_at, b->begin_at);
    cr_assert_eq(a->quiet, b->quiet);
    cr_assert_eq(a->lost, b->lost);
    cr_assert_eq(memcmp(a->line, b->line, a->room * sizeof *a->line), 0);
    cr_assert_eq(memcmp(a->spill, b->spill, cw_table_spill_slots(a->room) * sizeof *a->spill), 0);
}

/* Adds numbers, a third of which may be in already, and tests and forgets some; in batches, or one at a time. */
static uint64_t work(crawl_bloom *bloom, bool many)
{
    enum { COUNT = 1000 };
    static char keys[COUNT * KEY];
    static uint8_t fresh[COUNT];
    uint64_t sum = 0;
    for (uint64_t round = 0; round < 120; round++) {
        for (uint64_t i = 0; i < COUNT; i++) {
            uint64_t number = round * COUNT + i;
            make_key(number % 3 ? number : mix(number) % (number + 1), keys + i * KEY);
        }
        uint32_t where[COUNT];
        memset(where, 0xff, sizeof where);
        if (many)
            crawl_bloom_add_many(bloom, keys, KEY, COUNT, fresh, where);
        for (uint64_t i = 0; i < COUNT && !many; i++)
            fresh[i] = crawl_bloom_add(bloom, keys + i * KEY, KEY, &where[i]) == CRAWL_OK;
        for (uint64_t i = 0; i < COUNT; i++) {
            cr_assert_eq(where[i], fresh[i] ? 0 : UINT32_MAX);
            sum = mix(sum + fresh[i]);
            if (fresh[i] && i % 5 == 0)
                sum = mix(sum + (uint64_t)crawl_bloom_forget(bloom, keys + i * KEY, KEY, 0));
        }
    }
    return mix(sum + count_range(bloom, 0, 200000));
}

Test(bloom_table, batches_and_single_calls_do_the_same)
{
    crawl_bloom *one = create_table(1000, 1e-2, 0), *many = create_table(1000, 1e-2, 0);
    cr_assert_eq(work(one, false), work(many, true));
    assert_same(one, many);
    check(one);
    crawl_bloom_free(one);
    crawl_bloom_free(many);
}

Test(bloom_table, every_instruction_set_does_the_same)
{
    const cw_table_loops *loops[CW_TABLE_LOOPS];
    size_t count = cw_table_loops_all(loops);
    double rates[] = {1e-2, 1e-3, 1e-6, 1e-9};
    for (size_t r = 0; r < 4; r++) {
        crawl_bloom *first = create_table(1000, rates[r], 0);
        ((cw_table_tags *)first)->loops = loops[count - 1];
        uint64_t sum = work(first, true);
        for (size_t i = 0; i + 1 < count; i++) {
            crawl_bloom *other = create_table(1000, rates[r], 0);
            ((cw_table_tags *)other)->loops = loops[i];
            cr_assert_eq(work(other, true), sum);
            assert_same(first, other);
            crawl_bloom_free(other);
        }
        crawl_bloom_free(first);
    }
}

/* --- Forgetting. --- */

Test(bloom_table, forgets_and_refuses)
{
    crawl_bloom *bloom = create_table(1000, 1e-6, 0);
    uint32_t where = 9;
    cr_assert_eq(forget(bloom, 1, 0), CRAWL_ABSENT);
    cr_assert_eq(add(bloom, 1, &where), CRAWL_OK);
    cr_assert_eq(where, 0);
    cr_assert_eq(add(bloom, 1, NULL), CRAWL_EXISTS);
    cr_assert_eq(forget(bloom, 1, 1), CRAWL_EINVAL);
    cr_assert_eq(test(bloom, 1), CRAWL_EXISTS);
    cr_assert_eq(forget(bloom, 2, 0), CRAWL_ABSENT);
    cr_assert_eq(forget(bloom, 1, 0), CRAWL_OK);
    cr_assert_eq(test(bloom, 1), CRAWL_ABSENT);
    cr_assert_eq(forget(bloom, 1, 0), CRAWL_ABSENT);
    cr_assert_eq(stats_of(bloom).refused, 3);
    cr_assert_eq(stats_of(bloom).count, 0);
    cr_assert_eq(stats_of(bloom).fpr_by_count, 0);
    crawl_bloom_free(bloom);
}

Test(bloom_table, room_is_used_again)
{
    crawl_bloom *bloom = create_table(50000, 1e-3, 0);
    uint64_t bytes = stats_of(bloom).bytes;
    static uint8_t in[500000];
    for (uint64_t number = 0; number < 500000; number++) {
        in[number] = add(bloom, number, NULL) == CRAWL_OK;
        if (number >= 49000 && in[number - 49000])
            cr_assert_eq(forget(bloom, number - 49000, 0), CRAWL_OK);
    }
    crawl_bloom_stats stats = stats_of(bloom);
    cr_assert_eq(stats.bytes, bytes);
    cr_assert_leq(stats.fpr_now, 1e-3);
    cr_assert_gt(stats.expected_false, 0);
    for (uint64_t number = 451000; number < 500000; number++)
        cr_assert(!in[number] || test(bloom, number) == CRAWL_EXISTS);
    check(bloom);
    crawl_bloom_free(bloom);
}

/* At every moment of a doubling all keys are found, and each can be forgotten wherever it is at that moment. */
Test(bloom_table, nothing_is_lost_while_doubling)
{
    cw_table_tags *tags = make_table(18, 100);
    crawl_bloom *bloom = &tags->bloom;
    uint64_t n = 0, forgotten = 0;
    while (tags->level < 4) {
        n += add(bloom, n, NULL) == CRAWL_OK;
        if (tags->edge == tags->lines)
            continue;
        cr_assert_eq(forget(bloom, forgotten, 0), CRAWL_OK);
        cr_assert_eq(test(bloom, forgotten++), CRAWL_ABSENT);
        if (n % 16 == 0)
            cr_assert_eq(count_range(bloom, 0, n), n - forgotten);
    }
    cr_assert_gt(forgotten, 200);
    cr_assert_eq(count_range(bloom, 0, n), n - forgotten);
    check(bloom);
    crawl_bloom_free(bloom);
}

/* --- Limits. --- */

Test(bloom_table, refuses_too_little_memory)
{
    crawl_bloom_options options = options_of(CRAWL_BLOOM_TABLE, 100000, 1e-3);
    crawl_error error = {0};
    crawl_bloom *bloom;
    options.max_bytes = 200000;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_EINVAL);
    cr_assert_not_null(strstr(error.message, "max_bytes is 200000"));
    options.max_bytes = 0;
    options.capacity = (uint64_t)1 << 40;
    cr_assert_eq(crawl_bloom_create(&options, &bloom, &error), CRAWL_ENOMEM);
}

Test(bloom_table, is_filled_as_far_as_can_be)
{
    crawl_bloom *bloom = create_table(20000, 1e-3, 130000);
    cw_table_tags *tags = (cw_table_tags *)bloom;
    static uint8_t in[100000];
    uint64_t n = 0;
    crawl_err err = CRAWL_OK;
    for (; err != CRAWL_ENOMEM && n < sizeof in; n++) {
        err = add(bloom, n, NULL);
        in[n] = err == CRAWL_OK;
    }
    cr_assert_eq(err, CRAWL_ENOMEM);
    cr_assert_eq(test(bloom, n - 1), CRAWL_ABSENT);
    cr_assert_leq(stats_of(bloom).bytes, 130000);
    cr_assert_gt(stats_of(bloom).fill, 0.8);
    cr_assert_gt(n, tags->lines * tags->load / 16);
    check(bloom);
    for (uint64_t i = 0; i + 1 < n; i++)
        cr_assert_eq(test(bloom, i), CRAWL_EXISTS);
    for (uint64_t i = 0; i < 5000; i++)
        cr_assert(!in[i] || forget(bloom, i, 0) == CRAWL_OK);
    cr_assert_neq(add(bloom, n - 1, NULL), CRAWL_ENOMEM);
    check(bloom);
    crawl_bloom_free(bloom);
}

/* A batch that fails halfway reports which keys are in. */
Test(bloom_table, a_batch_without_memory)
{
    crawl_bloom *bloom = create_table(20000, 1e-3, 130000);
    static char keys[CHUNK * KEY];
    uint8_t fresh[CHUNK];
    crawl_err err = CRAWL_OK;
    uint64_t n = 0, count = 0;
    for (; err == CRAWL_OK; n += CHUNK) {
        make_keys(n, CHUNK, keys);
        memset(fresh, 7, sizeof fresh);
        err = crawl_bloom_add_many(bloom, keys, KEY, CHUNK, fresh, NULL);
        for (size_t i = 0; i < CHUNK; i++) {
            cr_assert_leq(fresh[i], 1);
            cr_assert(!fresh[i] || test(bloom, n + i) == CRAWL_EXISTS);
            count += fresh[i];
        }
    }
    cr_assert_eq(err, CRAWL_ENOMEM);
    cr_assert_eq(stats_of(bloom).count, count);
    check(bloom);
    crawl_bloom_free(bloom);
}

/* Keys chosen to hit one line are taken as long as it has room, then refused, and nothing breaks. */
Test(bloom_table, one_line_for_all)
{
    crawl_bloom *bloom = create_table(1000, 1e-3, 0);
    uint32_t where;
    uint64_t n = 0, in = 0;
    for (crawl_err err = CRAWL_OK; err != CRAWL_ENOMEM && n < 1000; n++) {
        err = cw_kind_table.add(bloom, (cw_bloom_hash){.place = mix(n) >> 20}, &where);
        in += err == CRAWL_OK;
    }
    cr_assert_eq(in, ((cw_table_tags *)bloom)->shape.lanes + CW_TABLE_SPILLED_MOST);
    for (uint64_t i = 0; i + 1 < n; i++)
        cr_assert(cw_kind_table.test(bloom, (cw_bloom_hash){.place = mix(i) >> 20}));
    check(bloom);
    crawl_bloom_free(bloom);
}

/* Returns a key of one of 40 lines that stays in the first half of its line after a doubling. */
static cw_bloom_hash of_line(uint64_t line, uint64_t number)
{
    __extension__ unsigned __int128 whole = (unsigned __int128)line << 64 | mix(number) >> 1;
    return (cw_bloom_hash){.place = (uint64_t)(whole / 40) + 1};
}

/* If lines and the spill are so full that a line cannot be split, the doubling is put off and nothing is lost. It
 * continues when there is room. */
Test(bloom_table, growing_is_put_off_where_the_spill_is_full)
{
    enum { FROM = 25, LINES = 40, EACH = 90 };
    cw_table_tags *tags = make_table(27, LINES);
    const cw_kind *kind = &cw_kind_table;
    crawl_bloom *bloom = &tags->bloom;
    static bool in[LINES][EACH];
    uint32_t where;
    tags->begin_at = UINT64_MAX;
    for (uint64_t line = FROM; line < LINES; line++) {
        for (uint64_t n = 0; n < (line == FROM ? 70 : EACH); n++)
            in[line][n] = kind->add(bloom, of_line(line, line * EACH + n), &where) == CRAWL_OK;
    }
    for (unsigned i = 0; i < 2 * LINES; i++) {
        tags->begin_at = 0;
        cw_table_tags_attend(tags);
    }
    cr_assert_eq(tags->edge, FROM + 1);
    cr_assert_gt(tags->begin_at, tags->entries);
    check(bloom);
    for (uint64_t line = FROM; line < LINES; line++) {
        for (uint64_t n = 0; n < EACH; n++) {
            cr_assert(!in[line][n] || kind->test(bloom, of_line(line, line * EACH + n)));
            if (in[line][n] && n % 2)
                cr_assert_eq(kind->forget(bloom, of_line(line, line * EACH + n), 0), CRAWL_OK);
        }
    }
    while (tags->level == 0) {
        tags->begin_at = 0;
        cw_table_tags_attend(tags);
    }
    check(bloom);
    for (uint64_t line = FROM; line < LINES; line++) {
        for (uint64_t n = 0; n < EACH; n += 2)
            cr_assert(!in[line][n] || kind->test(bloom, of_line(line, line * EACH + n)));
    }
    crawl_bloom_free(bloom);
}

/* --- Files. --- */

static crawl_bloom *through_file(const crawl_bloom *bloom,
                                 crawl_err (*read)(const char *, crawl_bloom **, crawl_error *))
{
    char path[] = "/tmp/crawl-table-XXXXXX";
    crawl_error error = {0};
    crawl_bloom *copy = NULL;
    close(mkstemp(path));
    cr_assert_eq(crawl_bloom_save(bloom, path, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(crawl_bloom_validate(path, &error), CRAWL_OK, "%s", error.message);
    cr_assert_eq(read(path, &copy, &error), CRAWL_OK, "%s", error.message);
    unlink(path);
    return copy;
}

/* Saves a table in the middle of a doubling, with keys in the spill. The table read back must continue like the
 * original. */
static void save_and_go_on(crawl_err (*read)(const char *, crawl_bloom **, crawl_error *))
{
    crawl_bloom *bloom = create_table(1000, 1e-2, 0);
    uint64_t n = add_until_doubling(bloom, add_range(bloom, 0, 0));
    cr_assert_gt(((cw_table_tags *)bloom)->spilled, 0);
    forget(bloom, 77, 0);
    crawl_bloom *copy = through_file(bloom, read);
    assert_same(bloom, copy);
    cr_assert_eq(stats_of(copy).expected_false, stats_of(bloom).expected_false);
    cr_assert_eq(add_range(bloom, n, 100000), add_range(copy, n, 100000));
    cr_assert_eq(count_range(copy, 78, n + 99000), n + 99000);
    assert_same(bloom, copy);
    check(copy);
    crawl_bloom_free(bloom);
    crawl_bloom_free(copy);
}

Test(bloom_table, a_file_goes_on_as_what_was_written)
{
    save_and_go_on(crawl_bloom_load);
}

Test(bloom_table, a_mapped_file_goes_on_as_what_was_written)
{
    save_and_go_on(crawl_bloom_map);
}

/* The checksums of a file cover data that was wrong before it was saved; only the check finds that. */
Test(bloom_table, the_check_sees_what_does_not_fit)
{
    crawl_bloom *bloom = create_table(1000, 1e-3, 0);
    add_until_doubling(bloom, 0);
    cw_table_tags *tags = (cw_table_tags *)bloom;
    char path[] = "/tmp/crawl-table-XXXXXX";
    crawl_error error = {0};
    close(mkstemp(path));
    check(bloom);
    uint16_t *lanes[] = {&tags->line[0].lane[0], &tags->line[tags->edge].lane[3], &tags->line[0].lane[31]};
    for (size_t i = 0; i < 3; i++) {
        uint16_t was = *lanes[i];
        *lanes[i] = i == 2 ? was ^ 0x0400 : was ? 0 : 0x0400; /* in the last word: the number of spilled keys */
        cr_assert_eq(cw_table_tags_check(bloom, NULL), CRAWL_ECORRUPT, "%zu", i);
        cr_assert_eq(crawl_bloom_save(bloom, path, &error), CRAWL_OK);
        cr_assert_eq(crawl_bloom_validate(path, &error), CRAWL_ECORRUPT, "%zu", i);
        *lanes[i] = was;
    }
    uint64_t *slot = &tags->spill[cw_table_spill_slots(tags->room) - 1];
    *slot = 12345;
    cr_assert_eq(cw_table_tags_check(bloom, NULL), CRAWL_ECORRUPT);
    *slot = 0;
    tags->entries++;
    cr_assert_eq(cw_table_tags_check(bloom, NULL), CRAWL_ECORRUPT);
    tags->entries--;
    check(bloom);
    unlink(path);
    crawl_bloom_free(bloom);
}

/* With any content of the arrays, as in a forged mapped file, every call returns and stays within bounds. */
Test(bloom_table, any_content_is_survived)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        crawl_bloom *bloom = create_table(1000, seed % 2 ? 1e-2 : 1e-9, 0);
        cw_table_tags *tags = (cw_table_tags *)bloom;
        if (seed % 3)
            add_until_doubling(bloom, 0);
        for (uint64_t i = 0; i < tags->room * 8; i++)
            tags->line[i / 8].word[i % 8] = mix(seed << 32 | i) | (seed & 4 ? (uint64_t)63 << 58 : 0);
        for (uint64_t i = 0; i < cw_table_spill_slots(tags->room); i++)
            tags->spill[i] = seed & 8 ? 0 : mix(seed << 32 | i);
        for (uint64_t n = 0; n < 3000; n++) {
            add(bloom, n, NULL);
            forget(bloom, n * 7, 0);
            test(bloom, n + 9);
            cw_table_tags_attend(tags);
        }
        stats_of(bloom);
        cw_table_tags_check(bloom, NULL);
        crawl_bloom_free(bloom);
    }
}
