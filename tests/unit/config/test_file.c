/* crawler.conf. */
#include "config/config.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <unistd.h>

static crawl_config config;
static crawl_error error;

static void set_up(void)
{
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
}

static void tear_down(void)
{
    cw_config_clear(&config);
}

TestSuite(file, .init = set_up, .fini = tear_down);

static crawl_err parse(const char *text)
{
    error = (crawl_error){0};
    return cw_config_parse(&config, "crawler.conf", crawl_slice_from(text), &error);
}

Test(file, sections_values_and_comments)
{
    cr_assert_eq(parse("# a comment\n"
                       "; another\n"
                       "[crawl] ; behind a section\n"
                       "depth = 5\n"
                       "order=dfs ; behind a value\n"
                       "  scope : any\n"
                       "\n"
                       "[politeness]   # so too\n"
                       "delay = 2s\n"),
                 CRAWL_EPARSE, "an indented line goes on with the one above");
    cr_assert_eq(parse("# a comment\n"
                       "; another\n"
                       "[crawl] ; behind a section\n"
                       "depth = 5\n"
                       "order=dfs ; behind a value\n"
                       "scope : any\n"
                       "\n"
                       "[politeness]   # so too\n"
                       "   # indented comment\n"
                       "delay = 2s"),
                 CRAWL_OK, "%s", error.message);
    cr_expect_eq(config.depth, 5);
    cr_expect_eq(config.order, CRAWL_ORDER_DFS);
    cr_expect_eq(config.scope, CRAWL_SCOPE_ANY);
    cr_expect_eq(config.delay_ms, 2000);
    cr_expect_eq(config.per_host, 2, "what the file does not name stays");
}

Test(file, values_may_hold_a_hash)
{
    cr_assert_eq(parse("[fetch]\nheader = A: \"b\n[crawl]\nexclude = \"a # b\"\n"
                       "  c#d #e ; f # g\n[extract x]\nfield.y = div #z\n"),
                 CRAWL_OK, "%s", error.message);
    cr_expect_str_eq(config.rules[0].pattern, "a # b");
    cr_expect_str_eq(config.rules[1].pattern, "c#d #e");
}

Test(file, byte_order_mark_and_crlf)
{
    cr_assert_eq(parse("\xef\xbb\xbf[crawl]\r\ndepth = 5\r\nseeds = a b\r\n"), CRAWL_OK, "%s", error.message);
    cr_expect_eq(config.depth, 5);
    cr_expect_str_eq(config.program.seeds, "a b");
    cr_assert_eq(parse("\xef\xbb\xbf[crawl]\r\nxyzzy = 5\r\n"), CRAWL_EPARSE);
    cr_expect_str_eq(error.message, "crawler.conf:2:1: unknown key \"crawl.xyzzy\"");
}

Test(file, empty_files)
{
    cr_expect_eq(parse(""), CRAWL_OK);
    cr_expect_eq(parse("\n\n"), CRAWL_OK);
    cr_expect_eq(parse("[crawl]"), CRAWL_OK);
    cr_expect_eq(cw_config_parse(&config, "x", crawl_slice_of(NULL, 0), NULL), CRAWL_OK);
}

Test(file, rules_keep_their_order)
{
    cr_assert_eq(parse("[crawl]\n"
                       "exclude = \\.(jpe?g|png)$\n"
                       "include = /keep;/\n"
                       "exclude = one\n"
                       "    two ; a comment\n"
                       "    # another\n"
                       "    [three]\n"
                       "    \" ;four\\x3b\" ; a third\n"
                       "depth = 1\n"),
                 CRAWL_OK, "%s", error.message);
    static const struct {
        bool include;
        const char *pattern;
    } expected[] = {{false, "\\.(jpe?g|png)$"}, {true, "/keep;/"}, {false, "one"}, {false, "two"},
                    {false, "[three]"},         {false, " ;four;"}};
    cr_assert_eq(config.rule_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < config.rule_count; i++) {
        cr_expect_eq(config.rules[i].include, expected[i].include);
        cr_expect_str_eq(config.rules[i].pattern, expected[i].pattern);
    }
    cr_expect_eq(config.depth, 1);
}

Test(file, quoted_values_and_their_continuation)
{
    cr_assert_eq(parse("[fetch]\n"
                       "user_agent = \"me ; \" \\ ; a comment\n"
                       "  \"and \" \\\n"
                       "  \"more\"\n"
                       "ca_file =\n"
                       "[crawl]\n"
                       "seeds = \"  spaces  \"\n"),
                 CRAWL_OK, "%s", error.message);
    cr_expect_str_eq(config.user_agent, "me ; and more");
    cr_expect_str_eq(config.program.seeds, "  spaces  ");
    cr_expect_null(config.ca_file);
}

/* A row per error. */
static const struct {
    const char *text;
    const char *message;
    unsigned line;
    unsigned column;
} bad[] = {
    {"[politeness]\n\ndealy = 3s\n", "crawler.conf:3:1: unknown key \"politeness.dealy\"; did you mean \"delay\"?", 3,
     1},
    {"[politeness]\ndepth = 3\n",
     "crawler.conf:2:1: unknown key \"politeness.depth\"; did you mean \"depth\" of [crawl]?", 2, 1},
    {"[politeness]\ndelay = -3s\n",
     "crawler.conf:2:9: politeness.delay = -3s: expected a duration from 0ms to 1d, as 250ms or 5s", 2, 9},
    {"[politeness]\ndelay=5x\n",
     "crawler.conf:2:7: politeness.delay = 5x: expected a duration from 0ms to 1d, as 250ms or 5s", 2, 7},
    {"[crawl]\n\tdepth\t:\t-1\n", "crawler.conf:2:10: crawl.depth = -1: expected a whole number from 0 to 1000000", 2,
     10},
    {"[crawl]\ndepth =\n", "crawler.conf:2:8: crawl.depth = : expected a whole number from 0 to 1000000", 2, 8},
    {"[crawl]\ndepth = 3 # three\n",
     "crawler.conf:2:9: crawl.depth = 3 # three: expected a whole number from 0 to 1000000", 2, 9},
    {"[fetch]\nheader = A: b  # c\n",
     "crawler.conf:2:16: a comment behind a value begins with \" ;\"; if the \"#\" belongs to the value, write the value "
     "in quotes",
     2, 16},
    {"[crawl]\nexclude = a\n  b #\n",
     "crawler.conf:3:5: a comment behind a value begins with \" ;\"; if the \"#\" belongs to the value, write the value "
     "in quotes",
     3, 5},
    {"\n[politness]\n", "crawler.conf:2:1: unknown section [politness]; did you mean [politeness]?", 2, 1},
    {"[]\n", "crawler.conf:1:1: unknown section []", 1, 1},
    {"[crawl\n", "crawler.conf:1:1: a section's name needs a closing ]", 1, 1},
    {"[crawl] depth = 3\n", "crawler.conf:1:9: unexpected text after the section's name", 1, 9},
    {"[crawl]\ndepth 3\n", "crawler.conf:2:1: expected [section], name = value, or a comment (#)", 2, 1},
    {"[crawl]\ndepth 3\nxyzzy = 3\n", "crawler.conf:2:1: expected [section], name = value, or a comment (#)", 2, 1},
    {"[crawl]\n= 3\n", "crawler.conf:2:1: unknown key \"crawl.\"", 2, 1},
    {"depth = 3\n", "crawler.conf:1:1: \"depth\" comes before the first [section]", 1, 1},
    {"[crawl]\ndepth = 3\n\n[crawl]\ndepth = 3\n", "crawler.conf:5:1: \"crawl.depth\" is already set in line 2", 5, 1},
    {"[crawl]\ndepth = 3\n  order = dfs\n",
     "crawler.conf:3:3: an indented line continues \"depth\" above it, which takes one value; start a new key in "
     "column 1",
     3, 3},
    {"[crawl]\nseeds = \"a\n", "crawler.conf:2:10: the closing quote is missing", 2, 10},
    {"[crawl]\nseeds = \"a\\q\"\n", "crawler.conf:2:11: unknown escape; known are \\\\ \\\" \\n \\r \\t \\xHH", 2, 11},
    {"[crawl]\nseeds = \"a\" \\\ndepth = 3\n",
     "crawler.conf:3:1: the value ended with a backslash: its next part is missing (indented, in quotes)", 3, 1},
    {"[crawl]\nseeds = \"a\" \\\n", "crawler.conf:2:1: the file ends where the value of \"seeds\" should continue", 2,
     1},
    {"[crawl]\nseeds = \"a\" \\\n  b\n", "crawler.conf:3:3: the next part of the value must be in quotes", 3, 3},
    {"[crawl]\nde\rpth = 3\n", "crawler.conf:2:3: control character 0x0d: not a text file?", 2, 3},
    {"[crawl]\n# \x7f\n", "crawler.conf:2:3: control character 0x7f: not a text file?", 2, 3},
    {"\xff\xfe[\x01", "crawler.conf:1:4: control character 0x01: not a text file?", 1, 4},
};

Test(file, errors_point_at_the_place_and_change_nothing)
{
    cr_assert_eq(parse("[crawl]\ndepth = 9\nexclude = x\nseeds = s\n"), CRAWL_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        crawl_config before = config;
        cr_expect_eq(parse(bad[i].text), CRAWL_EPARSE, "%s", bad[i].text);
        cr_expect_str_eq(error.message, bad[i].message);
        cr_expect_eq(error.line, bad[i].line);
        cr_expect_eq(error.column, bad[i].column, "%s: %u", bad[i].text, error.column);
        cr_expect(memcmp(&before, &config, sizeof config) == 0, "%s", bad[i].text);
        cr_expect_eq(cw_config_parse(&config, "x", crawl_slice_from(bad[i].text), NULL), CRAWL_EPARSE);
    }
}

Test(file, an_error_late_in_a_file_undoes_what_came_before)
{
    cr_assert_eq(parse("[crawl]\ndepth = 9\nexclude = x\nseeds = s\n[fetch]\nnothing = 1\n"), CRAWL_EPARSE);
    cr_expect_eq(config.depth, 3);
    cr_expect_eq(config.rule_count, 0);
    cr_expect_null(config.program.seeds);
}

Test(file, nul_bytes_are_refused)
{
    static const char text[] = "[crawl]\ndepth = 3\0 = 4\n";
    cr_expect_eq(cw_config_parse(&config, "f", crawl_slice_of(text, sizeof text - 1), &error), CRAWL_EPARSE);
    cr_expect_str_eq(error.message, "f:2:10: control character 0x00: not a text file?");
}

/* libinih would silently cut such a line in two. */
Test(file, long_lines_are_refused_not_cut)
{
    char text[2000];
    for (int size = 150; size < 1000; size++) {
        snprintf(text, sizeof text, "[crawl]\nseeds = %0*d\ndepth = 7\n", size, 1);
        config.depth = 3;
        crawl_err err = parse(text);
        cr_expect(err == CRAWL_OK || err == CRAWL_EPARSE);
        if (err) {
            cr_expect_not_null(strstr(error.message, "the maximum is"), "%s", error.message);
            cr_expect_eq(error.line, 2);
            cr_expect_geq(size, 180);
        } else {
            cr_expect_eq(strlen(config.program.seeds), (size_t)size);
            cr_expect_eq(config.depth, 7);
            cr_expect_lt(size, 200);
        }
    }
}

/* Defaults printed as comments may be long. */
Test(file, comments_may_be_as_long_as_they_like)
{
    char text[2000];
    for (int size = 150; size < 1000; size++) {
        snprintf(text, sizeof text, "[crawl]\n# %0*d\ndepth = 7\n", size, 1);
        config.depth = 3;
        cr_expect_eq(parse(text), CRAWL_OK, "%d: %s", size, error.message);
        cr_expect_eq(config.depth, 7);
    }
}

Test(file, huge_files_are_refused)
{
    size_t size = (1u << 20) + 1;
    char *text = malloc(size);
    cr_assert_not_null(text);
    memset(text, '\n', size);
    cr_expect_eq(cw_config_parse(&config, "f", crawl_slice_of(text, size - 1), &error), CRAWL_OK);
    cr_expect_eq(cw_config_parse(&config, "f", crawl_slice_of(text, size), &error), CRAWL_EPARSE);
    cr_expect_str_eq(error.message, "f: larger than 1024 KiB: not a configuration");
    free(text);
}

Test(file, files_are_read_from_disk)
{
    char path[] = "/tmp/crawl-test-XXXXXX";
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    static const char text[] = "[crawl]\ndepth = 4\n";
    cr_assert_eq(write(descriptor, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    close(descriptor);
    cr_expect_eq(crawl_config_load(&config, path, &error), CRAWL_OK);
    cr_expect_eq(config.depth, 4);
    unlink(path);
    cr_expect_eq(crawl_config_load(&config, path, &error), CRAWL_EIO);
    cr_expect_not_null(strstr(error.message, path));
    cr_expect_eq(crawl_config_load(&config, "/", &error), CRAWL_EIO, "a folder");
    cr_expect_eq(config.depth, 4);
}
