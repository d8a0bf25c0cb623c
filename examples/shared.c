/* A crawl on any number of machines: each process takes hosts of one crawl in Redis, and prints the titles of its
 * pages. Any process may be killed. Usage: shared redis://HOST/DB?name=NAME URL */
#include <crawl/engine.h>
#include <stdio.h>

/* Several workers may call at once; printf has its own lock. After this the page is done for all processes. */
static crawl_err on_response(void *user, crawl_engine *engine, const crawl_record *record,
                             const crawl_response *response, const crawl_page *page)
{
    (void)user;
    (void)engine;
    crawl_slice title = page ? crawl_page_title(page) : crawl_slice_of("", 0);
    printf("%d %.*s %.*s\n", response->status, (int)record->url.size, record->url.data, (int)title.size, title.data);
    return CRAWL_OK;
}

static void on_notice(void *user, crawl_engine *engine, const char *words)
{
    (void)user;
    (void)engine;
    fprintf(stderr, "shared: %s\n", words);
}

int main(int argc, char **argv)
{
    crawl_config *config;
    crawl_engine_stats stats;
    crawl_error error = {0};
    if (argc != 3 || crawl_config_create(&config)) {
        fprintf(stderr, "usage: shared redis://HOST/DB?name=NAME URL\n");
        return 2;
    }
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_response = on_response, .on_notice = on_notice};
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(argv[2])};
    crawl_engine *engine = NULL;
    crawl_err err = crawl_config_set(config, "state.shared", argv[1], &error);
    if (!err)
        err = crawl_config_set(config, "politeness.delay", "0s", &error);
    if (!err)
        err = crawl_engine_create(config, &hooks, &engine, &error);
    if (!err)
        err = crawl_engine_seed(engine, &seed, &error); /* CRAWL_EXISTS: this process has pushed it before */
    if (!err || err == CRAWL_EXISTS)
        err = crawl_engine_run(engine, &error);
    if (err) {
        fprintf(stderr, "shared: %s\n", error.message);
    } else {
        crawl_engine_stats_get(engine, &stats);
        fprintf(stderr, "shared: %llu pages by this process, %llu requests by all\n", (unsigned long long)stats.pages,
                (unsigned long long)stats.shared.finished);
    }
    crawl_engine_free(engine);
    crawl_config_free(config);
    return err ? 1 : 0;
}
