/* Writes a line of tab-separated values per request, and asks for one more page when nothing is left. Usage: output URL
 * URL */
#include <crawl/engine.h>
#include <pthread.h>
#include <stdio.h>

typedef struct output {
    pthread_mutex_t lock; /* any worker may pass a record */
    FILE *file;
    const char *last; /* asked for at the end; NULL: this was done */
} output;

static crawl_err on_record(void *user, const crawl_record *record)
{
    output *out = user;
    pthread_mutex_lock(&out->lock);
    int written = fprintf(out->file, "%d\t%llu\t%.*s\t%s\n", record->status, (unsigned long long)record->bytes,
                          (int)record->url.size, record->url.data, record->error ? record->error : "");
    pthread_mutex_unlock(&out->lock);
    return written < 0 ? CRAWL_EIO : CRAWL_OK; /* an error ends the crawl */
}

static crawl_err on_idle(void *user, crawl_engine *engine)
{
    output *out = user;
    if (!out->last)
        return CRAWL_OK; /* nothing more: the crawl ends */
    crawl_seed request = {.size = sizeof request, .url = crawl_slice_from(out->last)};
    out->last = NULL;
    crawl_error error;
    crawl_err err = crawl_engine_push(engine, &request, (crawl_slice){0}, &error);
    if (err == CRAWL_REFUSED)
        fprintf(stderr, "%s\n", error.message);
    return err == CRAWL_EXISTS || err == CRAWL_REFUSED ? CRAWL_OK : err;
}

int main(int argc, char **argv)
{
    crawl_config *config;
    crawl_error error = {0};
    if (argc != 3 || crawl_config_create(&config)) {
        fprintf(stderr, "usage: output URL LAST-URL\n");
        return 2;
    }
    crawl_config_set(config, "politeness.delay", "0s", &error);
    output out = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = stdout, .last = argv[2]};
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = on_record, .on_idle = on_idle, .user = &out};
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(argv[1])};
    crawl_engine *engine = NULL;
    crawl_err err = crawl_engine_create(config, &hooks, &engine, &error);
    if (!err)
        err = crawl_engine_seed(engine, &seed, &error);
    if (!err)
        err = crawl_engine_run(engine, &error);
    if (err)
        fprintf(stderr, "output: %s\n", error.message);
    crawl_engine_free(engine);
    crawl_config_free(config);
    return err ? 1 : 0;
}
