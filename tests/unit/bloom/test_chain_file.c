/* Chains in files: a loaded chain continues like the saved one, and no content of a file is trusted. */
#include "bloom/kinds/chain.h"
#include "files.h"

#include <math.h>

static crawl_bloom *create_kind(crawl_bloom_kind kind, uint64_t capacity)
{
    crawl_bloom_options options = options_of(kind, capacity, 1e-3);
    options.seed = 5;
    return create(&options);
}

/* Gives both the same keys, one by one and in batches, and expects them to end alike; where shows that they grew at the
 * same moment. */
static void go_on(crawl_bloom *a, crawl_bloom *b, uint64_t first, uint64_t count)
{
    for (uint64_t n = first; n < first + count; n += 2000) {
        cr_assert_eq(add_range(a, n, 1500), add_range(b, n, 1500));
        for (uint64_t i = n + 1500; i < n + 2000; i++) {
            uint32_t where[2] = {9, 9};
            cr_assert_eq(add(a, i, &where[0]), add(b, i, &where[1]));
            cr_assert_eq(where[0], where[1]);
        }
    }
    assert_alike(a, b);
}

static void check_round_trip(crawl_bloom_kind kind, uint64_t capacity, uint64_t before, uint64_t after, opener how)
{
    const char *path = in_folder("chain");
    crawl_bloom *bloom = create_kind(kind, capacity);
    add_range(bloom, 0, before);
    save(bloom, path);
    cr_assert_eq(crawl_bloom_validate(path, NULL), CRAWL_OK);
    crawl_bloom *other = open_with(how, path);
    cr_assert_eq(count_range(other, 0, before), before);
    cr_assert_eq(stats_of(other).expected_false, stats_of(bloom).expected_false);
    go_on(bloom, other, before, after);
    crawl_bloom_free(bloom);
    crawl_bloom_free(other);
}

Test(bloom_chain_file, goes_on_as_the_one_written)
{
    make_folder();
    for (int map = 0; map < 2; map++) {
        opener how = map ? crawl_bloom_map : crawl_bloom_load;
        check_round_trip(CRAWL_BLOOM_SCALABLE, 1000, 500, 2000, how);
        check_round_trip(CRAWL_BLOOM_SCALABLE, 1000, 20000, 40000, how);
        check_round_trip(CRAWL_BLOOM_COUNTING, 1000, 20000, 40000, how);
    }
    remove_folder();
}

/* The file is written while the newest filter is full and the next one's memory is being allocated. */
Test(bloom_chain_file, goes_on_between_two_filters)
{
    make_folder();
    check_round_trip(CRAWL_BLOOM_SCALABLE, 50000, 50200, 10000, crawl_bloom_load);
    check_round_trip(CRAWL_BLOOM_COUNTING, 5000, 5070, 2000, crawl_bloom_map);
    remove_folder();
}

Test(bloom_chain_file, forgets_what_was_added_before)
{
    enum { KEYS = 5000 };
    static uint32_t where[KEYS];
    make_folder();
    crawl_bloom *bloom = create_kind(CRAWL_BLOOM_COUNTING, 1000);
    for (uint64_t n = 0; n < KEYS; n++) {
        where[n] = UINT32_MAX;
        add(bloom, n, &where[n]);
    }
    save(bloom, in_folder("chain"));
    crawl_bloom_free(bloom);
    bloom = open_with(crawl_bloom_load, in_folder("chain"));
    for (uint64_t n = 0; n < KEYS; n++)
        cr_assert(where[n] == UINT32_MAX || forget(bloom, n, where[n]) == CRAWL_OK);
    cr_assert_eq(stats_of(bloom).fill, 0);
    cr_assert_eq(stats_of(bloom).count, 0);
    crawl_bloom_free(bloom);
    remove_folder();
}

/* Expects files with correct checksums and wrong content, from a modified chain, to be refused. */
static void refused(crawl_bloom *bloom, const char *what)
{
    crawl_bloom *other = NULL;
    crawl_error error = {0};
    save(bloom, in_folder("bad"));
    cr_expect_eq(crawl_bloom_load(in_folder("bad"), &other, &error), CRAWL_ECORRUPT, "%s", what);
    cr_expect_eq(crawl_bloom_map(in_folder("bad"), &other, &error), CRAWL_ECORRUPT, "%s", what);
    cr_expect_null(other);
    cr_expect_neq(error.message[0], 0);
}

#define REFUSED(field, value)                                       \
    do {                                                            \
        crawl_bloom *bad = create_kind(CRAWL_BLOOM_SCALABLE, 1000); \
        cw_kind_chain *chain = (cw_kind_chain *)bad;                \
        cw_kind_filter *filter = &chain->filter[0];                 \
        add_range(bad, 0, 900);                                     \
        uint64_t lanes = filter->blocks * 8;                        \
        (field) = (value);                                          \
        refused(bad, #field " = " #value);                          \
        cr_assert_leq(lanes, filter->pages.bytes / 8);              \
        crawl_bloom_free(bad);                                      \
    } while (0)

Test(bloom_chain_file, numbers_that_cannot_be)
{
    make_folder();
    REFUSED(chain->target, 1);
    REFUSED(chain->losses.settled, NAN);
    REFUSED(chain->losses.settled, INFINITY);
    REFUSED(chain->losses.odds, -1);
    REFUSED(chain->losses.adds, chain->losses.due + 1);
    REFUSED(chain->quiet, chain->losses.due + 1);
    REFUSED(filter->capacity, 0);
    REFUSED(filter->capacity, 2000);
    REFUSED(filter->capacity, (uint64_t)1 << 40);
    REFUSED(filter->capacity, UINT64_MAX);
    REFUSED(filter->extra, 1001);
    REFUSED(filter->blocks, filter->blocks - 9);
    REFUSED(filter->count, UINT64_MAX);
    REFUSED(filter->ghosts, NAN);
    REFUSED(filter->lost, -1.0);
    REFUSED(filter->rate, 1.5);
    REFUSED(filter->rated_load, NAN);
    remove_folder();
}

static void invalid(crawl_bloom *bloom)
{
    crawl_error error = {0};
    save(bloom, in_folder("bad"));
    cr_assert_eq(crawl_bloom_validate(in_folder("bad"), &error), CRAWL_ECORRUPT);
    cr_assert_neq(error.message[0], 0);
    crawl_bloom_free(bloom);
}

/* Content that loads, as any is safe, though no keys produce it. */
Test(bloom_chain_file, cells_that_do_not_add_up)
{
    make_folder();
    for (int kind = CRAWL_BLOOM_SCALABLE; kind <= CRAWL_BLOOM_COUNTING; kind++) {
        crawl_bloom *bloom = create_kind((crawl_bloom_kind)kind, 1000);
        add_range(bloom, 0, 50);
        memset(((cw_kind_chain *)bloom)->filter[0].lanes, 0x55, 2048); /* more than 50 keys set */
        invalid(bloom);
        bloom = create_kind((crawl_bloom_kind)kind, 1000);
        add_range(bloom, 0, 50);
        memset(((cw_kind_chain *)bloom)->filter[0].lanes, 0, ((cw_kind_chain *)bloom)->filter[0].pages.bytes);
        invalid(bloom);
        bloom = create_kind((crawl_bloom_kind)kind, 1000);
        add_range(bloom, 0, 2000);
        ((cw_kind_chain *)bloom)->filter[0].count += 9; /* more than fit */
        invalid(bloom);
    }
    crawl_bloom *bloom = create_kind(CRAWL_BLOOM_COUNTING, 1000);
    add_range(bloom, 0, 50);
    ((cw_kind_chain *)bloom)->filter[0].saturated = 1;
    invalid(bloom);
    remove_folder();
}
