/* Settings as a program outside the library sees them: only by name. */
#include <crawl/config.h>
#include <criterion/criterion.h>
#include <string.h>

static crawl_config *config;
static crawl_error error;
static crawl_buf text;

static void get_setup(void)
{
    cr_assert_eq(crawl_config_create(&config), CRAWL_OK);
}

static void get_teardown(void)
{
    crawl_config_free(config);
    crawl_buf_free(&text);
}

TestSuite(config_get, .init = get_setup, .fini = get_teardown);

static void set(const char *key, const char *value)
{
    cr_assert_eq(crawl_config_set(config, key, value, &error), CRAWL_OK, "%s", error.message);
}

static void expect_get(const char *key, const char *value)
{
    crawl_buf_clear(&text);
    cr_assert_eq(crawl_config_get(config, key, &text, &error), CRAWL_OK, "%s: %s", key, error.message);
    cr_expect_eq(text.size, strlen(value), "%s", key);
    cr_expect(!text.size || memcmp(text.data, value, text.size) == 0, "%s: %.*s", key, (int)text.size, text.data);
}

Test(config_get, gives_what_set_takes)
{
    expect_get("politeness.delay", "250ms");
    set("politeness.delay", "2000ms");
    expect_get("politeness.delay", "2s");
    set("revisit.revisit", "due");
    expect_get("revisit.revisit", "due");
    set("seen.fpr", "0.001");
    expect_get("seen.fpr", "0.001");
    expect_get("output.output", "");
    set("output.output", "a b.jsonl");
    expect_get("output.output", "a b.jsonl");
    set("output.output", "");
    expect_get("output.output", "");
}

Test(config_get, gives_each_item_of_a_list)
{
    expect_get("output.keep", "");
    set("output.keep", "a");
    set("output.keep", "b");
    expect_get("output.keep", "a\nb\n");
    set("crawl.include", "in");
    set("crawl.exclude", "out");
    set("crawl.include", "also in");
    expect_get("crawl.include", "in\nalso in\n");
    expect_get("crawl.exclude", "out\n");
}

Test(config_get, knows_sections_of_hosts)
{
    expect_get("host a.example.delay", "");
    cr_expect_eq(crawl_config_number(config, "host a.example.delay"), -1);
    set("host a.example.delay", "3s");
    set("host a.example.password", "secret");
    set("group shop.hosts", "b.example");
    expect_get("host a.example.delay", "3s");
    expect_get("host A.example.password", "secret");
    cr_expect_eq(crawl_config_number(config, "host a.example.delay"), 3000);
    cr_expect_str_eq(crawl_config_text(config, "group shop.hosts"), "b.example");
    cr_expect_null(crawl_config_text(config, "host shop.hosts"));
}

Test(config_get, refuses_unknown_keys)
{
    const char *const unknown[] = {"", "crawl", "crawl.", "crawl.detph", "host.delay", "host a.example", "host a.none"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        error = (crawl_error){0};
        cr_expect_eq(crawl_config_get(config, unknown[i], &text, &error), CRAWL_EPARSE, "%s", unknown[i]);
        cr_expect_not_null(strstr(error.message, "unknown key"), "%s", error.message);
        cr_expect_null(crawl_config_text(config, unknown[i]));
        cr_expect_eq(crawl_config_number(config, unknown[i]), -1);
    }
    cr_expect_eq(text.size, 0);
    cr_expect_eq(crawl_config_get(config, "crawl.detph", &text, &error), CRAWL_EPARSE);
    cr_expect_not_null(strstr(error.message, "depth"), "%s", error.message);
}

Test(config_get, has_texts_and_words)
{
    cr_expect_null(crawl_config_text(config, "identity.agent"));
    set("identity.agent", "https://bot.example");
    cr_expect_str_eq(crawl_config_text(config, "identity.agent"), "https://bot.example");
    cr_expect_str_eq(crawl_config_text(config, "crawl.scope"), "domain");
    cr_expect_null(crawl_config_text(config, "crawl.depth"));
    cr_expect_eq(crawl_config_number(config, "crawl.scope"), -1);
}

Test(config_get, has_numbers_of_each_sort)
{
    static const struct {
        const char *key, *value;
        int64_t number;
    } rows[] = {{"crawl.depth", "7", 7},
                {"crawl.max_pages", "5k", 5000},
                {"crawl.max_time", "2m", 120000},
                {"fetch.max_body", "1MiB", 1 << 20},
                {"fetch.rate_limit", "2M", 2000000},
                {"politeness.random_delay", "30%", 30},
                {"politeness.robots", "false", 0},
                {"politeness.robots", "true", 1},
                {"revisit.revisit", "due", 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(rows[i].key, rows[i].value);
        cr_expect_eq(crawl_config_number(config, rows[i].key), rows[i].number, "%s", rows[i].key);
    }
}

Test(config_get, a_copy_is_its_own)
{
    crawl_config *copy;
    set("crawl.depth", "9");
    cr_assert_eq(crawl_config_copy(config, &copy), CRAWL_OK);
    set("crawl.depth", "1");
    cr_expect_eq(crawl_config_number(copy, "crawl.depth"), 9);
    crawl_config_free(copy);
    crawl_config_free(NULL);
}
