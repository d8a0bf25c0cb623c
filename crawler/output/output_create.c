/* Makes an output: decides which files to write, and refuses settings before anything is created. See
 * <crawl/output.h>. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/files/same_file.h"
#include "base/sized.h"
#include "config/config_values.h"
#include "crawler/output/output.h"

#include <crawl/sys/redis.h>
#include <stdlib.h>

static const char *const names[CRAWL_OUTPUT_COUNT] = {
    [CRAWL_OUTPUT_RECORDS] = "output",    [CRAWL_OUTPUT_LINKS] = "links",
    [CRAWL_OUTPUT_REQUESTS] = "requests", [CRAWL_OUTPUT_FIELDS] = "fields",
    [CRAWL_OUTPUT_BODIES] = "bodies",     [CRAWL_OUTPUT_MIRROR] = "mirror",
    [CRAWL_OUTPUT_WARC] = "warc",         [CRAWL_OUTPUT_SCREENSHOTS] = "screenshots",
};

const char *crawl_output_kind_name(crawl_output_kind kind)
{
    return names[kind];
}

const char *crawl_output_path(const crawl_config *config, crawl_output_kind kind)
{
    const char *const paths[CRAWL_OUTPUT_COUNT] = {
        [CRAWL_OUTPUT_RECORDS] = config->output,    [CRAWL_OUTPUT_LINKS] = config->links,
        [CRAWL_OUTPUT_REQUESTS] = config->requests, [CRAWL_OUTPUT_FIELDS] = config->fields,
        [CRAWL_OUTPUT_BODIES] = config->bodies,     [CRAWL_OUTPUT_MIRROR] = config->mirror,
        [CRAWL_OUTPUT_WARC] = config->warc,         [CRAWL_OUTPUT_SCREENSHOTS] = config->screenshots,
    };
    return paths[kind];
}

/* ---- refused settings ---- */

static crawl_err check_written(const crawl_output *output, crawl_error *error)
{
    const crawl_config *config = output->config;
    const char *foreign = config->program.report    ? "report"
                          : config->program.sitemap ? "sitemap"
                          : config->program.wacz    ? "wacz"
                                                    : NULL;
    if (foreign)
        return crawl_error_set(error, CRAWL_EINVAL, "output.%s: supported by the program `crawl`, not by the library",
                               foreign);
    if (crawl_output_is_sink(config->output) && !output->options.on_line)
        return crawl_error_set(error, CRAWL_EINVAL, "output: on_line is missing, which takes records to %s",
                               crawl_redis_is_url(config->output) ? "Redis" : "a command");
    for (crawl_output_kind kind = CRAWL_OUTPUT_LINKS; kind < CW_OUTPUT_LINES; kind++) {
        const char *path = crawl_output_path(config, kind);
        if (crawl_output_is_sink(path))
            return crawl_error_set(error, CRAWL_EINVAL, "%s: only records (--output) can go to %s", names[kind],
                                   crawl_redis_is_url(path) ? "Redis" : "a command");
    }
    return CRAWL_OK;
}

/* Refuses a name that promises compressed lines. */
static crawl_err output_create_check_name(const crawl_config *config, crawl_output_kind kind, crawl_error *error)
{
    const char *path = crawl_output_path(config, kind);
    crawl_slice name = crawl_slice_from(path && !crawl_output_is_sink(path) ? path : "");
    if (!cw_ends_with(name, ".gz") && !cw_ends_with(name, ".zst"))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL,
                           "%s: %s: lines are written uncompressed: compress the file when the crawl has ended",
                           names[kind], path);
}

/* Refuses CSV for a log of requests, whose chain needs JSON lines, and CSV if members are added to records. */
static crawl_err check_forms(const crawl_output *output, crawl_error *error)
{
    const crawl_config *config = output->config;
    for (crawl_output_kind kind = 0; kind < CW_OUTPUT_LINES; kind++)
        if (output_create_check_name(config, kind, error))
            return CRAWL_EINVAL;
    if (config->requests && crawl_output_is_csv(config->requests))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "requests: %s: a log of requests is written as JSON Lines, not as CSV",
                               config->requests);
    if (config->screenshots && !config->render)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "screenshots: no page is rendered: add --render auto or --render always");
    if (output->options.members && config->output && crawl_output_is_csv(config->output))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "output: %s: CSV cannot hold the fields that are added to "
                               "records",
                               config->output);
    return CRAWL_OK;
}

/* Sets the CSV columns of records. */
static crawl_err take_columns(crawl_output *output, crawl_error *error)
{
    const crawl_config *config = output->config;
    crawl_error why = {0};
    cw_output_columns_default(&output->columns);
    if (!config->columns)
        return CRAWL_OK;
    if (!config->output || !crawl_output_is_csv(config->output))
        return crawl_error_set(error, CRAWL_EINVAL, "columns: only CSV has columns: use --output FILE.csv");
    crawl_err err = cw_output_columns_choose(&output->columns, config->columns, &why);
    return err ? crawl_error_set(error, err, "columns: %s", why.message) : CRAWL_OK;
}

static crawl_err check_different(const crawl_config *config, crawl_error *error)
{
    for (crawl_output_kind second = 0; second < CW_OUTPUT_LINES; second++)
        for (crawl_output_kind first = 0; first < second; first++) {
            const char *path = crawl_output_path(config, first);
            const char *other = crawl_output_path(config, second);
            if (path && other && cw_same_file(path, other))
                return crawl_error_set(error, CRAWL_EINVAL, "output.%s and output.%s are the same: %s", names[first],
                                       names[second], path);
        }
    return CRAWL_OK;
}

static crawl_err check_mirror(const crawl_config *config, crawl_error *error)
{
    crawl_error why = {0};
    crawl_err err = crawl_mirror_check(config, &why);
    return err ? crawl_error_set(error, err, "mirror: %s", why.message) : CRAWL_OK;
}

static crawl_err output_create_check(crawl_output *output, crawl_error *error)
{
    crawl_err err = check_written(output, error);
    if (!err)
        err = take_columns(output, error);
    if (!err)
        err = check_forms(output, error);
    if (!err)
        err = check_different(output->config, error);
    return err ? err : check_mirror(output->config, error);
}

/* ---- creation ---- */

void crawl_output_options_init(crawl_output_options *options, size_t size)
{
    const crawl_output_options own = {.size = sizeof own};
    cw_sized_fill(options, size, &own, sizeof own);
}

/* Members unknown to the caller's older version get the values of init. */
static crawl_err output_create_take_options(crawl_output *output, const crawl_output_options *options,
                                            crawl_error *error)
{
    crawl_output_options *own = &output->options;
    crawl_output_options_init(own, sizeof *own);
    if (options && !cw_sized_copy(own, sizeof *own, options))
        return cw_sized_refused(options, sizeof *own, "crawl_output_options", error);
    return CRAWL_OK;
}

crawl_err crawl_output_create(const crawl_config *config, const crawl_output_options *options, crawl_output **out,
                              crawl_error *error)
{
    crawl_output *output = calloc(1, sizeof *output);
    if (!output)
        return cw_error(error, CRAWL_ENOMEM);
    output->config = config;
    output->outlives = config->state || config->shared;
    output->of_engine = *config;
    output->of_engine.output = output->of_engine.links = output->of_engine.requests = output->of_engine.fields =
        output->of_engine.bodies = output->of_engine.mirror = output->of_engine.warc = output->of_engine.screenshots =
            NULL;
    crawl_err err = output_create_take_options(output, options, error);
    if (!err)
        err = output_create_check(output, error);
    if (err)
        free(output);
    else
        *out = output;
    return err;
}
