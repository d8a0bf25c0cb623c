#include <crawl/crawl.h>
#include <stdio.h>

static crawl_err print_record(void *user, const crawl_record *record)
{
    fprintf(user, "%d %.*s\n", record->status, (int)record->title.size, record->title.data);
    return CRAWL_OK;
}

int main(int argc, char **argv)
{
    crawl_config *config;
    crawl_error error = {0};
    crawl_engine *engine = NULL;
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = print_record, .user = stdout};
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(argc > 1 ? argv[1] : "")};
    crawl_err err = crawl_config_create(&config);
    if (!err)
        err = crawl_engine_create(config, &hooks, &engine, &error);
    if (!err)
        err = crawl_engine_seed(engine, &seed, &error);
    if (!err)
        err = crawl_engine_run(engine, &error);
    if (err)
        fprintf(stderr, "titles: %s\n", error.message);
    crawl_engine_free(engine);
    crawl_config_free(config);
    return err ? 1 : 0;
}
