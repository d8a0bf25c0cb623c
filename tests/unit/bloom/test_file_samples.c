/* Files written once, with format versions 1 and 2, and stored in tests/data/filters. Future programs must read them as
 * long as they claim to read these versions.
 *
 * This program makes them if CRAWL_MAKE_SAMPLES is set in its environment. Existing ones are left alone. */
#include "files.h"

#define KEYS 1010 /* ten more than the capacity: chains have a second filter, tables are in a move */

typedef struct sample {
    const char *name;
    crawl_bloom_kind kind;
    uint64_t capacity;
    uint32_t shards;
    double strangers;  /* highest share of false positives */
    const char *label; /* "": none, and version 1 */
} sample;

static const sample samples[] = {
    {"scalable-v1.cbf", CRAWL_BLOOM_SCALABLE, 1000, 0, 2e-3, ""},
    {"counting-v1.cbf", CRAWL_BLOOM_COUNTING, 1000, 0, 2e-3, ""},
    {"exact-v1.cbf", CRAWL_BLOOM_EXACT, 1000, 0, 0, ""},
    {"bloom-v1.cbf", CRAWL_BLOOM_CLASSIC, 2000, 0, 2e-3, ""},
    {"table-v1.cbf", CRAWL_BLOOM_TABLE, 1000, 0, 2e-3, ""},
    {"rotating-v1.cbf", CRAWL_BLOOM_ROTATING, 2000, 0, 2e-3, ""},
    {"digest-v1.cbf", CRAWL_BLOOM_DIGEST, 1000, 0, 0, ""},
    {"scalable-shards-v1.cbf", CRAWL_BLOOM_SCALABLE, 2000, 2, 2e-3, ""},
    {"digest-v2.cbf", CRAWL_BLOOM_DIGEST, 1000, 0, 0, "numbers"},
};
#define SAMPLES (sizeof samples / sizeof *samples)

static const char *path_of(const sample *s)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/filters/%s", CRAWL_TEST_DATA, s->name);
    return path;
}

static void make(const sample *s)
{
    crawl_bloom_options options = options_of(s->kind, s->capacity, 1e-3);
    options.shards = s->shards;
    options.seed = 1;
    crawl_bloom *bloom = create(&options);
    cr_assert_eq(add_range(bloom, 0, KEYS), 0);
    cr_assert_eq(crawl_bloom_set_label(bloom, s->label), CRAWL_OK);
    save(bloom, path_of(s));
    crawl_bloom_free(bloom);
}

static void check(const sample *s, opener how)
{
    crawl_bloom *bloom = open_with(how, path_of(s));
    const crawl_bloom_options *options = crawl_bloom_options_of(bloom);
    cr_assert(options->kind == s->kind && options->capacity == s->capacity && options->shards == s->shards, "%s",
              s->name);
    cr_assert(options->fpr == 1e-3 && options->seed == 1, "%s", s->name);
    cr_assert_str_eq(crawl_bloom_label(bloom), s->label, "%s", s->name);
    cr_assert_eq(stats_of(bloom).count, KEYS, "%s", s->name);
    cr_assert_eq(count_range(bloom, 0, KEYS), KEYS, "%s", s->name);
    cr_assert_leq((double)count_range(bloom, STRANGERS, 20000) / 20000, s->strangers, "%s", s->name);
    cr_assert_leq(add_range(bloom, KEYS, 500), 10, "%s", s->name);
    crawl_bloom_free(bloom);
}

Test(bloom_file_samples, files_of_these_versions_are_read)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        const sample *s = &samples[i];
        if (getenv("CRAWL_MAKE_SAMPLES") && access(path_of(s), F_OK) != 0)
            make(s);
        cr_assert_eq(crawl_bloom_validate(path_of(s), NULL), CRAWL_OK, "%s", s->name);
        check(s, crawl_bloom_load);
        check(s, crawl_bloom_map);
    }
}
