#include "config/config_values.h"
#include "crawler/program/live/live_identity.h"

#include <criterion/criterion.h>
#include <jansson.h>

static json_t *of(const crawl_config *config, const char *const *seeds, size_t count)
{
    crawl_buf text = {0};
    const cw_live_identity identity = {
        .config = config, .seeds = seeds, .seed_count = count, .started_ms = 1795000000123};
    cr_assert_eq(cw_live_identity_write(&identity, &text), CRAWL_OK);
    cr_expect_null(strstr(text.data, "sesame"), "%s", text.data);
    json_t *object = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(json_is_object(object), "%s", text.data);
    crawl_buf_free(&text);
    return object;
}

Test(live_identity, no_secret_is_told)
{
    static const char *const seeds[] = {"http://a.example", "http://me:sesame@b.example:81/x?y#z", "no URL",
                                        "https://me@c.example/@"};
    static const char *const shown[] = {"http://a.example/", "http://b.example:81/x?y#z", "https://c.example/@"};
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "fetch.header", "X-Key: sesame", NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "crawl.depth", "7", NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "live.listen", "8080", NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "state.directory", "news", NULL), CRAWL_OK);
    json_t *object = of(&config, seeds, 4);
    const json_t *list = json_object_get(object, "seeds");
    cr_assert_eq(json_array_size(list), 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_str_eq(json_string_value(json_array_get(list, i)), shown[i]);
    cr_expect_str_eq(json_string_value(json_object_get(object, "state")), "news");
    cr_expect_str_eq(json_string_value(json_object_get(object, "version")), crawl_version());
    cr_expect_str_eq(json_string_value(json_object_get(object, "started")), "2026-11-18T11:06:40.123Z");
    list = json_object_get(object, "settings");
    cr_assert_eq(json_array_size(list), 2);
    const json_t *depth = json_array_get(list, 0);
    cr_expect_str_eq(json_string_value(json_object_get(depth, "key")), "crawl.depth");
    cr_expect_str_eq(json_string_value(json_object_get(depth, "value")), "7");
    json_decref(object);
    cw_config_clear(&config);
}

Test(live_identity, a_crawl_that_is_shared_is_kept_in_redis)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "state.shared", "redis://box/0?name=shop", NULL), CRAWL_OK);
    json_t *object = of(&config, NULL, 0);
    cr_expect_str_eq(json_string_value(json_object_get(object, "state")), "redis://box/0?name=shop");
    cr_expect_eq(json_array_size(json_object_get(object, "settings")), 0);
    json_decref(object);
    cw_config_clear(&config);
}

Test(live_identity, a_name_alone_is_asked_by_https)
{
    static const char *const seeds[] = {"c.example", "localhost:8000/a"};
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    json_t *object = of(&config, seeds, 2);
    const json_t *list = json_object_get(object, "seeds");
    cr_assert_eq(json_array_size(list), 2);
    cr_expect_str_eq(json_string_value(json_array_get(list, 0)), "https://c.example/");
    cr_expect_str_eq(json_string_value(json_array_get(list, 1)), "https://localhost:8000/a");
    json_decref(object);
    cw_config_clear(&config);
}

Test(live_identity, of_many_seeds_the_first_are_told)
{
    const char *seeds[100];
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    for (size_t i = 0; i < 100; i++)
        seeds[i] = "http://a.example/";
    json_t *object = of(&config, seeds, 100);
    cr_expect_eq(json_array_size(json_object_get(object, "seeds")), CW_LIVE_SEEDS);
    cr_expect_eq(json_integer_value(json_object_get(object, "seed_count")), 100);
    cr_expect_eq(json_array_size(json_object_get(object, "settings")), 0);
    cr_expect(json_is_null(json_object_get(object, "state")));
    json_decref(object);
    cw_config_clear(&config);
}
