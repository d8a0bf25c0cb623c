#define _GNU_SOURCE /* memmem */
/* A spider around the engine: skips some links, prefers others, and reads the pages. Usage: spider URL */
#include <crawl/engine.h>
#include <stdio.h>
#include <string.h>

static bool contains(crawl_slice text, const char *part)
{
    return memmem(text.data, text.size, part, strlen(part)) != NULL;
}

/* Skips private pages and prefers news. */
static crawl_err on_link(void *user, crawl_engine *engine, const crawl_found *found, int32_t *priority)
{
    (void)user;
    (void)engine;
    if (contains(found->url, "/private/"))
        return CRAWL_REFUSED;
    if (contains(found->url, "/news/"))
        *priority = 10;
    return CRAWL_OK;
}

/* Several workers may call at once; printf has its own lock. */
static crawl_err on_response(void *user, crawl_engine *engine, const crawl_record *record,
                             const crawl_response *response, const crawl_page *page)
{
    (void)user;
    (void)engine;
    crawl_slice title = page ? crawl_page_title(page) : crawl_slice_of("", 0);
    printf("%d %.*s %.*s\n", response->status, (int)record->url.size, record->url.data, (int)title.size, title.data);
    return CRAWL_OK;
}

int main(int argc, char **argv)
{
    crawl_config *config;
    crawl_error error = {0};
    if (argc != 2 || crawl_config_create(&config)) {
        fprintf(stderr, "usage: spider URL\n");
        return 2;
    }
    crawl_config_set(config, "fetch.user_agent", "spider/1.0", &error);
    crawl_config_set(config, "fetch.connections", "1", &error);
    crawl_config_set(config, "politeness.delay", "0s", &error);
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_link = on_link, .on_response = on_response};
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(argv[1])};
    crawl_engine *engine = NULL;
    crawl_err err = crawl_engine_create(config, &hooks, &engine, &error);
    if (!err)
        err = crawl_engine_seed(engine, &seed, &error);
    if (!err)
        err = crawl_engine_run(engine, &error);
    if (err)
        fprintf(stderr, "spider: %s\n", error.message);
    crawl_engine_free(engine);
    crawl_config_free(config);
    return err ? 1 : 0;
}
