/* The options that a crawl keeps in its directory, by the schema, so that none is forgotten. */
#include "tools/common/resume.h"

#include "config/schema.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/test_resume.XXXXXX";

static void resume_begin(void)
{
    cr_assert(mkdtemp(folder));
}

static void resume_end(void)
{
    char path[64];
    snprintf(path, sizeof path, "%s/crawler.conf", folder);
    unlink(path);
    rmdir(folder);
}

/* Keeps the options in the folder, and replaces them by the kept ones. */
static void resume_keep(crawl_config *config)
{
    crawl_error error = {0};
    cr_assert_eq(cw_tool_resume_save(folder, config, &error), CRAWL_OK, "%s", error.message);
    cw_config_clear(config);
    cr_assert_eq(cw_config_init(config), CRAWL_OK);
    cr_assert_eq(cw_tool_resume_load(folder, config, &error), CRAWL_OK, "%s", error.message);
}

static void set_files(const cw_config_key *keys, size_t count, const char *section, crawl_config *config)
{
    char name[128];
    crawl_error error = {0};
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s.%s", section ? section : keys[i].section, keys[i].name);
        if (keys[i].type == CW_PATH)
            cr_assert_eq(crawl_config_set(config, name, "../x", &error), CRAWL_OK, "%s", error.message);
    }
}

static size_t expect_absolute(const cw_config_key *keys, size_t count, void *object)
{
    size_t files = 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = keys[i].type == CW_PATH ? *(char **)cw_config_field_of(&keys[i], object) : NULL;
        cr_expect(!path || *path == '/', "%s.%s = %s", keys[i].section, keys[i].name, path);
        files += path != NULL;
    }
    return files;
}

Test(resume, every_file_is_kept_from_the_root, .init = resume_begin, .fini = resume_end)
{
    crawl_config config;
    size_t count, host_count;
    const cw_config_key *keys = cw_config_schema(&count);
    const cw_config_key *host_keys = cw_config_schema_host(&host_count);
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    set_files(keys, count, NULL, &config);
    set_files(host_keys, host_count, "host h.example", &config);
    resume_keep(&config);
    cr_expect_geq(expect_absolute(keys, count, &config), 20);
    cr_assert_eq(config.host_count, 1);
    cr_expect_eq(expect_absolute(host_keys, host_count, &config.hosts[0]), 5);
    cw_config_clear(&config);
}

Test(resume, what_is_no_file_is_kept_as_it_is, .init = resume_begin, .fini = resume_end)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "output.output", "exec:./load", NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "output.links", "-", NULL), CRAWL_OK);
    cr_assert_eq(crawl_config_set(&config, "output.requests", "site.sqlite", NULL), CRAWL_OK);
    resume_keep(&config);
    cr_expect_str_eq(config.output, "exec:./load");
    cr_expect_str_eq(config.links, "-");
    cr_expect_eq(*config.requests, '/');
    cw_config_clear(&config);
}

/* Adds an entry to each list that is replaced as a whole. Returns the number of lists. */
static size_t add_to_lists(crawl_config *config)
{
    static const char *const values[] = {"text/html", "text/html=cat", "https://h.example/", "a"};
    size_t count, lists = 0;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++) {
        if (!cw_config_key_is_list(&keys[i]) || cw_config_key_is_headers(&keys[i]))
            continue;
        char name[128];
        size_t at = 0;
        snprintf(name, sizeof name, "%s.%s", keys[i].section, keys[i].name);
        while (crawl_config_set(config, name, values[at], NULL))
            cr_assert_lt(++at, sizeof values / sizeof *values, "%s", name);
        lists++;
    }
    return lists;
}

static void expect_one_in_each_list(crawl_config *config)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++)
        if (cw_config_key_is_list(&keys[i]) && !cw_config_key_is_headers(&keys[i]))
            cr_expect_eq(((crawl_texts *)cw_config_field_of(&keys[i], config))->count, 1, "%s", keys[i].name);
}

Test(resume, a_list_that_is_given_again_replaces_the_kept_one, .init = resume_begin, .fini = resume_end)
{
    crawl_config config;
    cr_assert_eq(cw_config_init(&config), CRAWL_OK);
    cr_expect_geq(add_to_lists(&config), 6);
    resume_keep(&config);
    cw_tool_resume_counts kept = cw_tool_resume_count(&config);
    cw_tool_resume_replace(&config, &kept);
    expect_one_in_each_list(&config);
    add_to_lists(&config);
    cw_tool_resume_replace(&config, &kept);
    expect_one_in_each_list(&config);
    cw_config_clear(&config);
}
