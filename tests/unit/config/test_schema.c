/* The schema is sound: every row can be read, and no two rows conflict. */
#include "config/schema.h"

#include "config/value.h"

#include <criterion/criterion.h>

Test(schema, every_default_and_bound_is_a_value_of_its_key)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    cr_assert_gt(count, 30);
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    for (size_t i = 0; i < count; i++) {
        const char *texts[] = {keys[i].fallback, keys[i].min, keys[i].max};
        for (size_t j = 0; j < 3; j++)
            if (texts[j])
                cr_expect_eq(cw_config_value_set(&keys[i], &config, crawl_slice_from(texts[j])), CRAWL_OK, "%s.%s: %s",
                             keys[i].section, keys[i].name, texts[j]);
    }
    cw_config_clear(&config);
}

Test(schema, names_and_options_are_unique_and_sections_together)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++) {
            bool same_section = strcmp(keys[i].section, keys[j].section) == 0;
            cr_expect(!same_section || strcmp(keys[i].name, keys[j].name) != 0, "%s", keys[i].name);
            cr_expect(!keys[i].option || !keys[j].option || strcmp(keys[i].option, keys[j].option) != 0, "%s",
                      keys[i].option);
            if (same_section)
                cr_expect_str_eq(keys[j - 1].section, keys[j].section);
        }
        cr_expect(keys[i].help && keys[i].help[0], "%s", keys[i].name);
    }
}

Test(schema, keys_are_found_by_their_full_name)
{
    const cw_config_key *key = cw_config_schema_find_full(crawl_slice_from("politeness.delay"));
    cr_assert_not_null(key);
    cr_expect_str_eq(key->option, "delay");
    cr_expect_null(cw_config_schema_find_full(crawl_slice_from("politeness")));
    cr_expect_null(cw_config_schema_find_full(crawl_slice_from("politeness.")));
    cr_expect_null(cw_config_schema_find_full(crawl_slice_from(".delay")));
    cr_expect_null(cw_config_schema_find_full(crawl_slice_from("")));
    cr_expect(cw_config_schema_has_section(crawl_slice_from("seen")));
    cr_expect_not(cw_config_schema_has_section(crawl_slice_from("see")));
}
