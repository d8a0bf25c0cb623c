/* Archives a site: WARC files, and records as JSON Lines with an added field, the number of words of the title. Usage:
 * archive URL FOLDER; the folder must exist. */
#include <crawl/output.h>
#include <stdio.h>

/* Adds to each record. Several workers may call at once. */
static crawl_err add_words(void *user, const crawl_record *record, crawl_buf *out)
{
    (void)user;
    unsigned words = 0;
    for (size_t i = 0; i < record->title.size; i++)
        words += record->title.data[i] != ' ' && (i == 0 || record->title.data[i - 1] == ' ');
    return crawl_buf_printf(out, "\"title_words\":%u", words);
}

/* An embedder's hooks run beside the output files. */
static crawl_err on_record(void *user, const crawl_record *record)
{
    fprintf(user, "%d %.*s\n", record->status, (int)record->url.size, record->url.data);
    return CRAWL_OK;
}

static crawl_err configure(crawl_config *config, const char *folder, crawl_error *error)
{
    char pages[4096], archive[4096];
    snprintf(pages, sizeof pages, "%s/pages.jsonl", folder);
    snprintf(archive, sizeof archive, "%s/site", folder);
    crawl_err err = crawl_config_set(config, "output.output", pages, error);
    if (!err)
        err = crawl_config_set(config, "output.warc", archive, error);
    return err ? err : crawl_config_set(config, "politeness.delay", "0s", error);
}

static crawl_err archive(const crawl_config *config, const char *url, crawl_error *error)
{
    crawl_output *output = NULL;
    crawl_engine *engine = NULL;
    crawl_engine_hooks hooks = {.size = sizeof hooks, .on_record = on_record, .user = stdout};
    crawl_seed seed = {.size = sizeof seed, .url = crawl_slice_from(url)};
    crawl_output_options options;
    crawl_output_options_init(&options, sizeof options);
    options.members = add_words;
    crawl_err err = crawl_output_create(config, &options, &output, error);
    if (!err)
        err = crawl_output_engine_create(output, &hooks, &engine, error);
    if (!err)
        err = crawl_engine_seed(engine, &seed, error);
    if (!err)
        err = crawl_output_open(output, error);
    if (!err)
        err = crawl_engine_run(engine, error);
    crawl_error why; /* of a file; more exact than the engine's error */
    crawl_err closed = crawl_output_close(output, !err, NULL, NULL, &why);
    if (closed)
        *error = why;
    crawl_engine_free(engine);
    crawl_output_free(output);
    return err ? err : closed;
}

int main(int argc, char **argv)
{
    crawl_config *config;
    crawl_error error = {0};
    if (argc != 3 || crawl_config_create(&config)) {
        fprintf(stderr, "usage: archive URL FOLDER\n");
        return 2;
    }
    crawl_err err = configure(config, argv[2], &error);
    if (!err)
        err = archive(config, argv[1], &error);
    if (err)
        fprintf(stderr, "archive: %s\n", error.message);
    crawl_config_free(config);
    return err ? 1 : 0;
}
