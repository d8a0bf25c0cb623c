/* The command line of `crawl seen`, and its contradictions with a file. */
#include "crawler/program/commands/seen/seen_options.h"

#include <criterion/criterion.h>
#include <stdio.h>

static cw_seen_options options;
static crawl_error error;
static char text[500];
static char *words[40];

/* Reads words separated by "|". */
static crawl_err read_line(const char *line)
{
    int count = 0;
    snprintf(text, sizeof text, "seen|%s", line);
    for (char *word = strtok(text, "|"); word; word = strtok(NULL, "|"))
        words[count++] = word;
    words[count] = NULL;
    error = (crawl_error){0};
    return cw_seen_options_read(&options, count, words, &error);
}

Test(seen_options, defaults_are_those_of_a_crawl)
{
    cr_assert_eq(read_line(""), CRAWL_OK, "%s", error.message);
    cr_expect_eq(options.filter.kind, CRAWL_BLOOM_SCALABLE);
    cr_expect_eq(options.filter.capacity, 1000000);
    cr_expect(options.filter.fpr == 1e-4);
    cr_expect_eq(options.given, 0);
    cr_expect_null(options.file);
    cr_expect_eq(options.input_count, 0);
    cr_expect_not(options.invert || options.count || options.zero || options.urls || options.quiet || options.help);
}

Test(seen_options, all_are_read_in_any_order)
{
    cr_assert_eq(
        read_line(
            "a|--kind|rotating|-z|--capacity=10M|--fpr|1e-6|--max-memory|1GiB|--window=7d|--generations|8|--growth|4|"
            "--file|f|--invert|--count|--urls|--quiet|-|--|--b"),
        CRAWL_OK, "%s", error.message);
    cr_expect_eq(options.filter.kind, CRAWL_BLOOM_ROTATING);
    cr_expect_eq(options.filter.capacity, 10000000);
    cr_expect(options.filter.fpr == 1e-6 && options.filter.growth == 4);
    cr_expect_eq(options.filter.max_bytes, 1u << 30);
    cr_expect_eq(options.filter.window_ms, 7 * 86400000u);
    cr_expect_eq(options.filter.generations, 8);
    cr_expect_str_eq(options.file, "f");
    cr_expect(options.invert && options.count && options.zero && options.urls && options.quiet && !options.help);
    cr_assert_eq(options.input_count, 3);
    cr_expect_str_eq(options.inputs[0], "a");
    cr_expect_str_eq(options.inputs[1], "-");
    cr_expect_str_eq(options.inputs[2], "--b");
}

Test(seen_options, what_is_wrong_is_said)
{
    static const char *const bad[][2] = {
        {"--kind|blom",
         "--kind: seen.kind = blom: expected one of scalable, counting, exact, bloom, table, rotating, digest"},
        {"--capacity=1", "--capacity: seen.capacity = 1: expected a count from 1k to 1000G, as 500, 10k or 5M"},
        {"--fpr|0", "--fpr: seen.fpr = 0: expected a number from 1e-9 to 0.5"},
        {"--capacity", "--capacity: needs a value"},
        {"--nonsense", "--nonsense: unknown option"},
        {"--count=3", "--count=3: takes no value"},
        {"--invert|-x", "-x: unknown option"},
        {"--semicolons|--fingerprint|default",
         "--semicolons: lines must be compared by Scrapy's fingerprints: add --fingerprint scrapy-2.7 or scrapy-2.6"},
        {"-zx", "-x: unknown option"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_neq(read_line(bad[i][0]), CRAWL_OK, "%s", bad[i][0]);
        cr_expect_str_eq(error.message, bad[i][1]);
    }
}

static crawl_err agree(const char *line, crawl_bloom_kind kind)
{
    crawl_bloom_options file;
    crawl_bloom_options_init(&file);
    file.kind = kind;
    file.capacity = 5000;
    cr_assert_eq(read_line(line), CRAWL_OK, "%s", error.message);
    return cw_seen_options_agree(&options, &file, &error);
}

Test(seen_options, only_what_is_named_must_agree_with_a_file)
{
    cr_expect_eq(agree("--file|f", CRAWL_BLOOM_EXACT), CRAWL_OK);
    cr_expect_eq(agree("--file|f|--kind|exact|--fpr|0.0001|--growth=2.0|--max-memory|0", CRAWL_BLOOM_EXACT), CRAWL_OK);
    cr_expect_eq(agree("--file|f|--kind|exact", CRAWL_BLOOM_SCALABLE), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "--kind exact: f was made with scalable");
    cr_expect_eq(agree("--file|f|--fpr|0.001", CRAWL_BLOOM_SCALABLE), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "--fpr 0.001: f was made with 0.0001");
    cr_expect_eq(agree("--file|f|--max-memory|1MiB", CRAWL_BLOOM_TABLE), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "--max-memory 1048576: f was made with 0");
    cr_expect_eq(agree("--file|f|--generations|5", CRAWL_BLOOM_ROTATING), CRAWL_EINVAL);
}

Test(seen_options, a_capacity_matters_where_nothing_grows)
{
    cr_expect_eq(agree("--file|f|--capacity|6k", CRAWL_BLOOM_SCALABLE), CRAWL_OK);
    cr_expect_eq(agree("--file|f|--capacity|6k", CRAWL_BLOOM_TABLE), CRAWL_OK);
    cr_expect_eq(agree("--file|f|--capacity|6k", CRAWL_BLOOM_CLASSIC), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "--capacity 6000: f was made with 5000");
    cr_expect_eq(agree("--file|f|--capacity|6k", CRAWL_BLOOM_ROTATING), CRAWL_EINVAL);
    cr_expect_eq(agree("--file|f|--capacity|5k", CRAWL_BLOOM_CLASSIC), CRAWL_OK);
}

Test(seen_options, what_lines_are_compared_by_is_kept_as_a_label)
{
    static const char *const each[][2] = {
        {"--file|f", "lines"},
        {"--file|f|--urls", "urls"},
        {"--file|f|--fingerprint|default", "fingerprint default"},
        {"--file|f|--fingerprint|scrapy-2.6|--urls", "fingerprint scrapy-2.6"},
        {"--file|f|--fingerprint|scrapy-2.7", "fingerprint scrapy-2.7"},
        {"--file|f|--fingerprint|scrapy-2.6|--semicolons", "fingerprint scrapy-2.6 --semicolons"},
        {"--file|f|--semicolons|--fingerprint|scrapy-2.7", "fingerprint scrapy-2.7 --semicolons"},
    };
    for (size_t file = 0; file < sizeof each / sizeof *each; file++)
        for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
            cr_assert_eq(read_line(each[i][0]), CRAWL_OK, "%s", error.message);
            cr_expect_str_eq(cw_seen_options_key(&options), each[i][1]);
            bool fits = i == file || i == 0; /* no option does not mean lines */
            cr_expect_eq(cw_seen_options_take_key(&options, each[file][1], &error), fits ? CRAWL_OK : CRAWL_EINVAL);
            cr_expect_str_eq(cw_seen_options_key(&options), each[fits ? file : i][1]);
        }
}

Test(seen_options, both_ways_of_comparing_are_named)
{
    cr_assert_eq(read_line("--file|f|--fingerprint|scrapy-2.6"), CRAWL_OK);
    cr_expect_eq(cw_seen_options_take_key(&options, "fingerprint scrapy-2.7", &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "--fingerprint scrapy-2.6: f was made with --fingerprint scrapy-2.7");
    cr_expect_eq(cw_seen_options_take_key(&options, "lines", &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "--fingerprint scrapy-2.6: f was made with whole lines");
    cr_expect_eq(cw_seen_options_take_key(&options, "colours", &error), CRAWL_EINVAL);
    cr_expect_str_eq(error.message, "f: its keys are \"colours\", which this program does not know");
}
