#include "config/config_values.h"

#include <criterion/criterion.h>

static crawl_err gather(void *user, const char *key, const char *value)
{
    return crawl_buf_printf(user, "%s = %s\n", key, value);
}

static crawl_err fail(void *user, const char *, const char *)
{
    ++*(int *)user;
    return CRAWL_EIO;
}

Test(changes, of_the_defaults_there_are_none)
{
    crawl_config config;
    crawl_buf text = {0};
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "crawl.depth", "3", NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "fetch.withheld", "proxy", NULL), CRAWL_OK);
    cr_expect_eq(crawl_config_changes(&config, gather, &text), CRAWL_OK);
    cr_expect_eq(text.size, 0, "%s", text.data);
    crawl_buf_free(&text);
    cw_config_clear(&config);
}

Test(changes, are_told_by_key_and_secrets_by_their_key_alone)
{
    static const char *const settings[][2] = {
        {"crawl.depth", "7"},
        {"crawl.exclude", "\\.pdf$"},
        {"politeness.delay", "2s"},
        {"fetch.header", "Accept-Language: de"},
        {"fetch.header", "X-Key: sesame"},
        {"fetch.proxy", "http://me:sesame@127.0.0.1:3128"},
        {"host a.example.delay", "250ms"},
        {"host a.example.user", "me"},
        {"host a.example.password", "sesame"},
    };
    crawl_config config;
    crawl_buf text = {0};
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        cr_assert_eq(crawl_config_set(&config, settings[i][0], settings[i][1], NULL), CRAWL_OK, "%s", settings[i][0]);
    cr_assert_eq(crawl_config_changes(&config, gather, &text), CRAWL_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        crawl_buf line = {0};
        bool is_secret = strstr(settings[i][1], "sesame");
        crawl_buf_printf(&line, "%s = %s\n", settings[i][0], is_secret ? "(not shown)" : settings[i][1]);
        cr_expect_not_null(strstr(text.data, line.data), "%s is not in\n%s", line.data, text.data);
        crawl_buf_free(&line);
    }
    cr_expect_null(strstr(text.data, "sesame"), "%s", text.data);
    size_t lines = 0;
    for (const char *at = text.data; *at; at++)
        lines += *at == '\n';
    cr_expect_eq(lines, sizeof settings / sizeof *settings, "%s", text.data);
    crawl_buf_free(&text);
    cw_config_clear(&config);
}

Test(changes, an_error_of_who_is_told_ends_it)
{
    crawl_config config;
    int calls = 0;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "crawl.depth", "7", NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "politeness.delay", "2s", NULL), CRAWL_OK);
    cr_expect_eq(crawl_config_changes(&config, fail, &calls), CRAWL_EIO);
    cr_expect_eq(calls, 1);
    cw_config_clear(&config);
}
