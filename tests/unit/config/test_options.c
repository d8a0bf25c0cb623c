/* Command-line options. */
#include "config/config.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define MAX_WORDS 16

static crawl_config config;
static crawl_error error;
static char *words[MAX_WORDS + 1];
static int count, first;

static void set_up(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
}

static void tear_down(void)
{
    cw_config_clear(&config);
}

TestSuite(options, .init = set_up, .fini = tear_down);

/* The caller's options: --help has no value, --config has one, everything is recorded. */
static char seen[200];

static int other(void *user, const char *name, const char *value)
{
    cr_expect_eq(user, &config);
    snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s=%s ", name, value ? value : "(none)");
    if (strcmp(name, "help") == 0 || strcmp(name, "h") == 0)
        return 1;
    return strcmp(name, "config") == 0 ? 2 : 0;
}

/* Runs the options of one line; words are separated by "|". */
static crawl_err run(const char *line)
{
    static char text[1000];
    snprintf(text, sizeof text, "crawl|%s", line);
    count = 0;
    char *rest = text;
    for (char *word; (word = strsep(&rest, "|")) && count < MAX_WORDS;)
        words[count++] = word;
    words[count] = NULL;
    seen[0] = '\0';
    first = -1;
    error = (crawl_error){0};
    return crawl_config_options(&config, count, words, &first, other, &config, &error);
}

Test(options, common_ones_have_a_letter)
{
    cr_assert_eq(run("-d|7|-s|seeds.txt|-q|-o=-"), CRAWL_OK, "%s", error.message);
    cr_expect_eq(config.depth, 7);
    cr_expect_str_eq(config.program.seeds, "seeds.txt");
    cr_expect_str_eq(config.output, "-");
    cr_expect_eq(config.program.verbosity, -1);
    cr_expect_eq(run("-d12|http://h/"), CRAWL_OK, "%s", error.message);
    cr_expect_eq(config.depth, 12);
    cr_expect_eq(run("-q1"), CRAWL_EPARSE);
    cr_expect_eq(run("-d7"), CRAWL_OK);
    cr_expect_eq(run("-d"), CRAWL_EPARSE);
    cr_expect_eq(run("--d|7"), CRAWL_EPARSE, "a letter has one dash");
    cr_expect_eq(run("-depth|7"), CRAWL_EPARSE);
    cr_expect_eq(config.depth, 7);
}

Test(options, values_stand_next_or_behind_an_equals_sign)
{
    cr_assert_eq(run("--depth|7|--delay=1.5s|--seen|exact|--fpr=0.01|--output|-|--user-agent=a=b"), CRAWL_OK, "%s",
                 error.message);
    cr_expect_eq(config.depth, 7);
    cr_expect_eq(config.delay_ms, 1500);
    cr_expect_eq(config.seen.kind, CRAWL_BLOOM_EXACT);
    cr_expect(config.seen.fpr == 0.01);
    cr_expect_str_eq(config.output, "-");
    cr_expect_str_eq(config.user_agent, "a=b");
    cr_expect_eq(first, count);
}

Test(options, every_option_of_the_manual)
{
    cr_assert_eq(run("--seeds=s|--order=dfs|--scope=any|--max-pages=1k|--max-time=1h|--max-bytes=1MiB|--workers=2"),
                 CRAWL_OK);
    cr_assert_eq(run("--capacity=2M|--per-host=3|--connections=9|--timeout=9s|--retries=0|--max-redirects=1"),
                 CRAWL_OK);
    cr_expect_str_eq(config.program.seeds, "s");
    cr_expect(config.order == CRAWL_ORDER_DFS && config.scope == CRAWL_SCOPE_ANY && config.max_pages == 1000);
    cr_expect(config.max_time_ms == 3600000 && config.max_bytes == 1 << 20 && config.workers == 2);
    cr_expect(config.seen.capacity == 2000000 && config.per_host == 3 && config.connections == 9);
    cr_expect(config.timeout_ms == 9000 && config.retries == 0 && config.max_redirects == 1);
}

Test(options, switches_and_their_negatives)
{
    cr_assert_eq(run("--no-robots|--cookies|--insecure|--no-obey-nofollow"), CRAWL_OK, "%s", error.message);
    cr_expect(!config.robots && config.cookies && config.insecure && !config.obey_nofollow);
    cr_assert_eq(run("--robots|--no-cookies|--insecure=no"), CRAWL_OK);
    cr_expect(config.robots && !config.cookies && !config.insecure);
    cr_assert_eq(run("--quiet"), CRAWL_OK);
    cr_expect_eq(config.program.verbosity, -1);
    cr_assert_eq(run("--verbose"), CRAWL_OK);
    cr_expect_eq(config.program.verbosity, 1);
}

Test(options, a_switch_does_not_take_the_next_word)
{
    cr_assert_eq(run("--cookies|no|--quiet|x"), CRAWL_OK);
    cr_expect(config.cookies);
    cr_expect_eq(first, 3);
    cr_expect_str_eq(words[3], "no");
    cr_expect_str_eq(words[4], "x");
}

Test(options, rules_add_in_their_order_to_those_of_the_file)
{
    static const char text[] = "[crawl]\nexclude = file\n";
    cr_assert_eq(cw_config_parse(&config, "f", crawl_slice_from(text), &error), CRAWL_OK);
    cr_assert_eq(run("--include|a|--exclude=b"), CRAWL_OK);
    cr_assert_eq(config.rule_count, 3);
    cr_expect_str_eq(config.rules[0].pattern, "file");
    cr_expect(config.rules[1].include && !config.rules[2].include);
}

Test(options, any_key_by_set)
{
    cr_assert_eq(run("--set|politeness.max_crawl_delay=9s|--set=fetch.http2=false|--set=fetch.user_agent=a=b"),
                 CRAWL_OK, "%s", error.message);
    cr_expect_eq(config.max_crawl_delay_ms, 9000);
    cr_expect_not(config.http2);
    cr_expect_str_eq(config.user_agent, "a=b");
}

Test(options, words_move_behind_options_in_their_order)
{
    cr_assert_eq(run("one|--depth|2|two|-|--quiet|--|--depth|three"), CRAWL_OK);
    static const char *const expected[] = {"crawl", "--depth", "2", "--quiet", "--",
                                           "one",   "two",     "-", "--depth", "three"};
    cr_assert_eq(count, 10);
    for (int i = 0; i < count; i++)
        cr_expect_str_eq(words[i], expected[i]);
    cr_expect_eq(first, 5);
    cr_expect_eq(config.depth, 2);
    cr_assert_eq(crawl_config_options(&config, count, words, &first, other, &config, &error), CRAWL_OK);
    cr_expect_eq(first, 5, "read again it stays as it is");
    cr_expect_str_eq(words[5], "one");
}

Test(options, nothing_to_read)
{
    char *argv[] = {NULL, NULL};
    cr_expect_eq(crawl_config_options(&config, 0, argv, &first, NULL, NULL, &error), CRAWL_OK);
    cr_expect_eq(first, 0);
    cr_expect_eq(crawl_config_options(&config, 1, argv, &first, NULL, NULL, &error), CRAWL_OK);
    cr_expect_eq(first, 1);
}

Test(options, others_are_the_callers)
{
    cr_assert_eq(run("--help|word|--config|file|-h|--config=x"), CRAWL_OK, "%s", error.message);
    cr_expect_str_eq(seen, "help=word config=file h=--config=x config=x ");
    cr_expect_eq(first, count - 1);
    cr_expect_str_eq(words[first], "word");
}

static const struct {
    const char *line;
    const char *message;
} bad[] = {
    {"--delay|5x", "--delay: \"5x\": expected a duration from 0ms to 1d, as 250ms or 5s"},
    {"--delay=-3s", "--delay: \"-3s\": expected a duration from 0ms to 1d, as 250ms or 5s"},
    {"--depth", "--depth: expected a whole number from 0 to 1000000"},
    {"--order=random", "--order: \"random\": expected one of bfs, dfs, best"},
    {"--cookies=perhaps", "--cookies: \"perhaps\": expected true or false"},
    {"--revisit=dew", "--revisit: \"dew\": expected true or false, or due"},
    {"--revisit|due", "--revisit: did you mean --revisit=due?"},
    {"--no-cookies=true", "--no-cookies: takes no value"},
    {"--quiet=true", "--quiet: takes no value"},
    {"--detph=3", "unknown option \"--detph\"; did you mean \"--depth\"?"},
    {"--no-robot", "unknown option \"--no-robot\"; did you mean \"--no-robots\"?"},
    {"--max_pages=3", "unknown option \"--max_pages\"; did you mean \"--max-pages\"?"},
    {"-depth|3", "unknown option \"-depth\"; did you mean \"--depth\"?"},
    {"--no-depth", "unknown option \"--no-depth\""},
    {"--xyzzy", "unknown option \"--xyzzy\""},
    {"--=3", "unknown option \"--\""},
    {"--help=x", "--help: takes no value"},
    {"--config", "--config: needs a value"},
    {"--set", "--set: expected section.name=value"},
    {"-s|a|--seeds=b", "--seeds: given twice, but there can be one file: cat FILE FILE | crawl --seeds -"},
    {"--state|", "--state: empty, as from an unset variable; to unset it: --set state.directory="},
    {"-o|", "-o: empty, as from an unset variable; to unset it: --set output.output="},
    {"--set|fetch.http2", "--set: expected section.name=value"},
    {"--set|fetch.http=1", "--set: unknown key \"fetch.http\"; did you mean \"fetch.http2\"?"},
    {"--set=crawl.depth=x", "--set: crawl.depth = x: expected a whole number from 0 to 1000000"},
};

Test(options, errors_name_the_option_and_change_nothing)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char line[200];
        snprintf(line, sizeof line, "word|--verbose|--exclude=x|%s", bad[i].line);
        crawl_config before = config;
        cr_expect_eq(run(line), CRAWL_EPARSE, "%s", line);
        cr_expect_str_eq(error.message, bad[i].message);
        cr_expect_eq(first, -1);
        cr_expect_str_eq(words[1], "word", "argv is as it was");
        cr_expect(memcmp(&before, &config, sizeof config) == 0, "%s", line);
    }
}

Test(options, without_options_of_the_caller)
{
    char program[] = "crawl", option[] = "--help";
    char *argv[] = {program, option, NULL};
    cr_expect_eq(crawl_config_options(&config, 2, argv, &first, NULL, NULL, NULL), CRAWL_EPARSE);
}
