/* The differences of two configurations. */
#include "config/config_values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static crawl_err put(void *user, const crawl_config_difference *difference)
{
    return crawl_buf_printf(user, "%s %s>%s%s;", difference->key, difference->was ? difference->was : "?",
                            difference->is ? difference->is : "?", difference->changeable ? "*" : "");
}

static void load(crawl_config *config, const char *text)
{
    char path[] = "/tmp/crawl-compare-XXXXXX";
    crawl_error error = {0};
    FILE *file = fdopen(mkstemp(path), "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    cr_assert_eq(cw_config_init(config), CRAWL_OK);
    cr_assert_eq(crawl_config_load(config, path, &error), CRAWL_OK, "%s", error.message);
    unlink(path);
}

static void expect(const char *was_text, const char *is_text, const char *expected)
{
    crawl_config was, is;
    crawl_buf found = {0};
    load(&was, was_text);
    load(&is, is_text);
    cr_assert_eq(crawl_config_compare(&was, &is, put, &found), CRAWL_OK);
    cr_expect_str_eq(found.data ? found.data : "", expected);
    crawl_buf_free(&found);
    cw_config_clear(&was);
    cw_config_clear(&is);
}

Test(compare, what_is_the_same_is_not_told)
{
    expect("", "", "");
    expect("[crawl]\ndepth = 3\n", "", "");
    expect("[host a.example]\ndelay = 1s\n[crawl]\ninclude = x\n",
           "[crawl]\ninclude = x\n[host a.example]\ndelay = 1s\n", "");
}

Test(compare, values_are_told_and_whether_they_can_change_in_a_crawl_that_runs)
{
    expect("[crawl]\ndepth = 2\nmax_pages = 5\n[fetch]\nconnections = 3\n", "[fetch]\nconnections = 9\n",
           "crawl.depth 2>3;crawl.max_pages 5>0*;fetch.connections 3>9*;");
    expect("", "[output]\noutput = x.jsonl\nverbosity = quiet\n",
           "output.output >x.jsonl;output.verbosity normal>quiet*;");
}

Test(compare, of_lists_sections_and_secrets_only_that_they_differ)
{
    expect("[fetch]\nheader = A: 1\n", "[fetch]\nheader = A: 2\n", "fetch.header ?>?;");
    expect("", "[host a.example]\ndelay = 1s\n", "[host NAME] ?>?;");
    expect("[crawl]\nexclude = a\nexclude = b\n", "[crawl]\nexclude = b\nexclude = a\n", "crawl.exclude ?>?;");
    expect("[crawl]\nexclude = a\n", "[crawl]\ninclude = b\n", "crawl.include ?>?;crawl.exclude ?>?;");
    expect("[extract x]\nfield.a = b -> text\n", "[extract x]\nfield.a = i -> text\n", "[extract NAME] ?>?;");
    expect("[fetch]\nproxy = http://u:one@h:1\n", "[fetch]\nproxy = http://u:two@h:1\n", "fetch.proxy ?>?;");
}

Test(compare, secrets_of_hosts_are_compared_too)
{
    static const char *const pairs[][2] = {
        {"password = one", "password = two"},
        {"bearer = one", "bearer = two"},
        {"header = Authorization: one", "header = Authorization: two"},
        {"proxy = http://u:one@h:1", "proxy = http://u:two@h:1"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char was[128], is[128];
        snprintf(was, sizeof was, "[host a.example]\nuser = u\n%s\n", pairs[i][0]);
        snprintf(is, sizeof is, "[host a.example]\nuser = u\n%s\n", pairs[i][1]);
        expect(was, is, "[host NAME] ?>?;");
        snprintf(was, sizeof was, "[group g]\nhosts = a.example\nuser = u\n%s\n", pairs[i][0]);
        snprintf(is, sizeof is, "[group g]\nhosts = a.example\nuser = u\n%s\n", pairs[i][1]);
        expect(was, is, "[group NAME] ?>?;");
        expect(was, was, "");
    }
}

/* The last rule that matches decides. */
Test(compare, the_order_of_an_include_and_an_exclude_is_told)
{
    expect("[crawl]\ninclude = a\nexclude = b\n", "[crawl]\nexclude = b\ninclude = a\n", "crawl.include ?>?;");
}
