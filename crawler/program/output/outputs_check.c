/* What is wrong with the files that a crawl is to write, before anything is made. See outputs.h. */
#include "crawler/output/csv.h"
#include "crawler/program/output/outputs.h"
#include "crawler/program/resume.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <crawl/redis.h>
#include <string.h>
#include <sys/stat.h>

static const char *const names[CW_SINK_COUNT] = {
    [CW_SINK_OUTPUT] = "output",
    [CW_SINK_LINKS] = "links",
    [CW_SINK_REQUESTS] = "requests",
    [CW_SINK_FIELDS] = "fields",
};

const char *cw_outputs_name_of(cw_outputs_sink_id id)
{
    return names[id];
}

const char *cw_outputs_path_of(const crawl_config *config, cw_outputs_sink_id id)
{
    const char *const paths[CW_SINK_COUNT] = {
        [CW_SINK_OUTPUT] = config->output,
        [CW_SINK_LINKS] = config->links,
        [CW_SINK_REQUESTS] = config->requests,
        [CW_SINK_FIELDS] = config->fields,
    };
    return paths[id];
}

bool cw_outputs_is_remote(const crawl_config *config)
{
    return config->output && crawl_redis_is_url(config->output);
}

/* Is there anything in Redis but records? The URL of those is read. */
static int check_redis(const crawl_config *config)
{
    crawl_error error = {0};
    for (cw_outputs_sink_id id = CW_SINK_LINKS; id < CW_SINK_COUNT; id++)
        if (cw_outputs_path_of(config, id) && crawl_redis_is_url(cw_outputs_path_of(config, id))) {
            cw_tool_say(NULL, "%s: only records (--output) can go to Redis", names[id]);
            return CW_EXIT_USAGE;
        }
    if (!cw_outputs_is_remote(config) || cw_remote_output_check(config->output, &error) == CRAWL_OK)
        return CW_EXIT_OK;
    cw_tool_say(NULL, "output: %s", error.message);
    return CW_EXIT_USAGE;
}

static int check_mirror(const crawl_config *config)
{
    crawl_error error = {0};
    if (cw_mirror_check(config, &error) == CRAWL_OK)
        return CW_EXIT_OK;
    cw_tool_say(NULL, "mirror: %s", error.message);
    return error.code == CRAWL_EINVAL ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
}

/* Is something in the file that would be lost? A pipe or a terminal has nothing to lose. */
static bool is_there(const char *path, struct stat *found)
{
    return stat(path, found) == 0 && S_ISREG(found->st_mode) && found->st_size > 0;
}

/* Is it the file that the crawl in the directory of --state has written so far? */
static bool is_own(const struct stat *found, const char *kept)
{
    struct stat own;
    return kept && stat(kept, &own) == 0 && own.st_dev == found->st_dev && own.st_ino == found->st_ino;
}

/* A file that is there is not written over, nor added to, without a word of its user. kept: the options that the crawl
 * of --state had. The exit status. */
static int check_existing(const crawl_config *config, const crawl_config *kept)
{
    struct stat found;
    if (config->report && is_there(config->report, &found) && !is_own(&found, kept->report)) {
        cw_tool_say(NULL, "report: %s is there already: --overwrite replaces it", config->report);
        return CW_EXIT_USAGE;
    }
    for (cw_outputs_sink_id id = 0; id < CW_SINK_COUNT; id++) {
        const char *path = cw_outputs_path_of(config, id);
        if (!path || !is_there(path, &found) || is_own(&found, cw_outputs_path_of(kept, id)))
            continue;
        cw_tool_say(NULL, "%s: %s is there already: --append adds to it, --overwrite replaces it", names[id], path);
        return CW_EXIT_USAGE;
    }
    return CW_EXIT_OK;
}

static int refuse_existing(const crawl_config *config)
{
    crawl_config kept;
    if (config->existing != CRAWL_EXISTING_REFUSE)
        return CW_EXIT_OK;
    if (crawl_config_init(&kept)) {
        cw_tool_say(NULL, "%s", crawl_strerror(CRAWL_ENOMEM));
        return CW_EXIT_LOCAL;
    }
    if (config->state)
        (void)cw_program_resume_load(config->state, &kept, NULL); /* one that cannot be read is told later */
    int status = check_existing(config, &kept);
    crawl_config_free(&kept);
    return status;
}

/* A log of messages among the lines of an output would spoil both. */
static bool is_log(const crawl_config *config, const char *path)
{
    return config->log && path && strcmp(config->log, path) == 0;
}

/* The exit status. */
static int check_different(const crawl_config *config)
{
    for (cw_outputs_sink_id id = 0; id < CW_SINK_COUNT; id++)
        if (is_log(config, cw_outputs_path_of(config, id))) {
            cw_tool_say(NULL, "output.%s and output.log are the same: %s", names[id], config->log);
            return CW_EXIT_USAGE;
        }
    for (cw_outputs_sink_id second = 0; second < CW_SINK_COUNT; second++)
        for (cw_outputs_sink_id first = 0; first < second; first++) {
            const char *path = cw_outputs_path_of(config, first);
            const char *other = cw_outputs_path_of(config, second);
            if (!path || !other || strcmp(path, other) != 0)
                continue;
            cw_tool_say(NULL, "output.%s and output.%s are the same: %s", names[first], names[second], path);
            return CW_EXIT_USAGE;
        }
    return CW_EXIT_OK;
}

/* The chain of a log of requests goes over lines of JSON. The exit status. */
static int check_requests(const crawl_config *config)
{
    if (!config->requests || !cw_output_is_csv(config->requests))
        return CW_EXIT_OK;
    cw_tool_say(NULL, "requests: %s: a log of requests is written as JSON Lines, not as CSV", config->requests);
    return CW_EXIT_USAGE;
}

/* Texts are made for lines of JSON and for WET files, data for lines of JSON and for the report. The exit status. */
static int check_content(const crawl_config *config)
{
    bool has_lines = config->output && !cw_output_is_csv(config->output);
    bool has_texts = config->text != CRAWL_RECORD_TEXT_NONE;
    if (has_texts && !has_lines && !config->warc)
        cw_tool_say(NULL, "text: nothing takes texts of pages: --output FILE does, in JSON Lines, and so does --warc");
    else if (config->data && !has_lines && !config->report)
        cw_tool_say(NULL,
                    "data: nothing takes data of pages: --output FILE does, in JSON Lines, and so does --report FILE");
    else
        return CW_EXIT_OK;
    return CW_EXIT_USAGE;
}

int cw_outputs_check(const crawl_config *config)
{
    int status = check_redis(config);
    if (!status)
        status = check_requests(config);
    if (!status)
        status = check_content(config);
    if (!status)
        status = check_different(config);
    if (!status)
        status = check_mirror(config);
    return status ? status : refuse_existing(config);
}
