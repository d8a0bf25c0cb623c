/* See program_config.h. An option names the file, and file or options name the directory, though both go before what it
 * keeps. So options are read to find the file, file and options to find the directory, and then all three. */
#include "crawler/program/program_config.h"

#include "base/error.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"
#include "tools/common/resume.h"
#include "tools/common/secrets.h"

#include <crawl/redis.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int program_config_take(void *user, const char *name, const char *value)
{
    cw_program_arguments *arguments = user;
    if (strcmp(name, "config") == 0 && value) {
        arguments->file = value;
        return 2;
    }
    return arguments->other ? arguments->other(arguments->user, name, value) : 0;
}

static crawl_err program_config_take_options(crawl_config *config, cw_program_arguments *arguments, crawl_error *error)
{
    return crawl_config_options(config, arguments->argc, arguments->argv, &arguments->first, program_config_take,
                                arguments, error);
}

/* Takes ./crawler.conf, which nobody has named, and says so. */
static void find_unnamed_file(const crawl_config *options, cw_program_arguments *arguments)
{
    bool is_told = options->verbosity >= 0;
    if (access(CW_TOOL_CONFIG_FILE, F_OK))
        return;
    if (options->state && cw_tool_resume_is_kept(options->state)) {
        if (is_told)
            cw_message_say(CW_MESSAGE_INFO,
                           "%s goes on with the settings it keeps; ./" CW_TOOL_CONFIG_FILE " is not read: "
                           "--config " CW_TOOL_CONFIG_FILE " takes it",
                           options->state);
        return;
    }
    arguments->file = CW_TOOL_CONFIG_FILE;
    arguments->is_unnamed = true;
    if (is_told)
        cw_message_say(CW_MESSAGE_INFO, "settings are read from ./" CW_TOOL_CONFIG_FILE);
}

/* Reads the options into a configuration that is thrown away: only the place of the file is wanted. */
static crawl_err program_config_find_file(cw_program_arguments *arguments, crawl_error *error)
{
    crawl_config found = {0};
    crawl_err err = crawl_config_init(&found);
    if (err)
        return cw_error(error, err);
    err = program_config_take_options(&found, arguments, error);
    if (!err && !arguments->file)
        find_unnamed_file(&found, arguments);
    crawl_config_free(&found);
    arguments->is_read = !err;
    return err;
}

/* Reads the file, if there is one. A folder that was unpacked from somewhere must not run what it likes. */
static crawl_err program_config_load(crawl_config *config, const cw_program_arguments *arguments, crawl_error *error)
{
    size_t commands = config->preprocess.count;
    crawl_err err = arguments->file ? crawl_config_load(config, arguments->file, error) : CRAWL_OK;
    if (err || !arguments->is_unnamed || config->preprocess.count == commands)
        return err;
    return crawl_error_set(error, CRAWL_EINVAL,
                           "./" CW_TOOL_CONFIG_FILE
                           " names a command, parse.preprocess, and nobody has named the file: "
                           "--config " CW_TOOL_CONFIG_FILE " takes it");
}

/* Fills *config anew: by what a directory keeps (NULL: none) or a shared crawl was made with, then by the file, then by
 * the options. */
static crawl_err program_config_read_all(crawl_config *config, const char *directory, cw_program_arguments *arguments,
                                         crawl_error *error)
{
    crawl_config_free(config);
    crawl_err err = crawl_config_init(config);
    if (err)
        return cw_error(error, err);
    if (directory)
        err = cw_tool_resume_load(directory, config, error);
    else if (arguments->decided)
        err = cw_remote_decided_take(arguments->decided, config, error);
    if (err && err != CRAWL_ABSENT)
        return err;
    const cw_tool_resume_counts kept = cw_tool_resume_count(config);
    err = program_config_load(config, arguments, error);
    if (!err)
        err = program_config_take_options(config, arguments, error);
    cw_tool_resume_replace(config, &kept);
    return err;
}

static crawl_err read_with_directory(crawl_config *config, cw_program_arguments *arguments, crawl_error *error)
{
    char *directory = strdup(config->state);
    if (!directory)
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = program_config_read_all(config, directory, arguments, error);
    free(directory);
    return err;
}

/* Checks a URL before any message names it: one that is wrong is not shown, since it may have a password. */
static crawl_err program_config_check_shared(const char *text, crawl_error *error)
{
    crawl_redis_url url;
    crawl_error why = {0};
    crawl_err err = crawl_redis_url_parse(crawl_slice_from(text), (const char *const[]){"name", NULL}, &url, &why);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, CRAWL_EINVAL, "the URL of a shared crawl: %s", why.message);
    if (err)
        return cw_error(error, err);
    bool is_named = url.values[0] && *url.values[0];
    crawl_redis_url_free(&url);
    return is_named ? CRAWL_OK
                    : crawl_error_set(error, CRAWL_EINVAL,
                                      "the URL of a shared crawl lacks its name: redis://HOST/DB?name=NAME");
}

/* Takes a URL in --state for that of a shared crawl; it goes before one that a file names. */
static crawl_err find_shared(crawl_config *config, crawl_error *error)
{
    if (config->state && crawl_redis_is_url(config->state)) {
        crawl_err err = crawl_config_set(config, "state.shared", config->state, error);
        free(config->state);
        config->state = NULL;
        if (err)
            return err;
    }
    return config->shared ? program_config_check_shared(config->shared, error) : CRAWL_OK;
}

/* Takes over what the crawl that is joined was made with. Once: a later reading of the file is held against that. */
static crawl_err read_with_server(crawl_config *config, cw_program_arguments *arguments, crawl_error *error)
{
    crawl_err err = cw_remote_decided_ask(config, &arguments->decided);
    arguments->joins = false;
    if (err || !arguments->decided)
        return err ? cw_error(error, err) : CRAWL_OK;
    err = program_config_read_all(config, NULL, arguments, error);
    return err ? err : find_shared(config, error);
}

crawl_err cw_program_configure(crawl_config *config, cw_program_arguments *arguments, crawl_error *error)
{
    *config = (crawl_config){0};
    crawl_err err = arguments->is_read ? CRAWL_OK : program_config_find_file(arguments, error);
    if (!err)
        err = program_config_read_all(config, NULL, arguments, error);
    if (!err)
        err = find_shared(config, error);
    if (!err && config->state)
        err = read_with_directory(config, arguments, error);
    if (!err && config->shared && arguments->joins)
        err = read_with_server(config, arguments, error);
    if (err == CRAWL_ENOMEM)
        cw_tool_memory_refused();
    config->requisites |= config->mirror != NULL; /* the pages of a copy need their parts to be shown */
    if (!err && config->verbosity >= 0)
        cw_tool_secrets_warn(config, arguments->file);
    return err;
}
