/* See program_config.h. An option names the file, and the file or options name the directory, although the directory's
 * settings come first. So the options are read to find the file, then file and options to find the directory, and then
 * all three. */
#include "crawler/program/program_config.h"

#include "base/error.h"
#include "config/config.h"
#include "config/config_values.h"
#include "crawler/program/exec/exec_output.h"
#include "crawler/program/redis/remote.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"
#include "tools/common/resume.h"
#include "tools/common/say.h"

#include <crawl/sys/explain.h>
#include <crawl/sys/redis.h>
#include <crawl/sys/shared_view.h>
#include <event2/event.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int program_config_take(void *user, const char *name, const char *value)
{
    cw_program_arguments *arguments = user;
    if (strcmp(name, "config") == 0) {
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

/* Takes ./crawler.conf if it is there, and says so. */
static void find_unnamed_file(const crawl_config *options, cw_program_arguments *arguments)
{
    bool is_told = options->program.verbosity >= 0;
    if (access(CW_TOOL_CONFIG_FILE, F_OK))
        return;
    if (options->state && cw_tool_resume_is_kept(options->state)) {
        if (is_told)
            cw_message_say(CW_MESSAGE_INFO,
                           "%s resumes with its own settings; ./" CW_TOOL_CONFIG_FILE " is not read: "
                           "--config " CW_TOOL_CONFIG_FILE " takes it",
                           options->state);
        return;
    }
    arguments->file = CW_TOOL_CONFIG_FILE;
    arguments->is_unnamed = true;
    if (is_told)
        cw_message_say(CW_MESSAGE_INFO, "settings are read from ./" CW_TOOL_CONFIG_FILE);
}

/* Reads the options into a temporary configuration, to find the file. */
static crawl_err program_config_find_file(cw_program_arguments *arguments, crawl_error *error)
{
    crawl_config found = {0};
    crawl_err err = cw_config_init(&found);
    if (err)
        return cw_error(error, err);
    err = program_config_take_options(&found, arguments, error);
    if (!err && !arguments->file)
        find_unnamed_file(&found, arguments);
    arguments->names_directory = found.state && !crawl_redis_is_url(found.state) && !found.shared;
    cw_config_clear(&found);
    arguments->is_read = !err;
    return err;
}

static bool is_terminal(const char *path)
{
    int file = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool is = file >= 0 && isatty(file);
    if (file >= 0)
        close(file);
    return is;
}

/* Returns true for a file whose second reading gives something else than the first, or waits. */
static bool program_config_is_read_once(const char *path)
{
    struct stat now;
    if (stat(path, &now))
        return false;
    return S_ISFIFO(now.st_mode) || S_ISSOCK(now.st_mode) || (S_ISCHR(now.st_mode) && is_terminal(path));
}

/* Reads the file, if there is one, into arguments->text. */
static crawl_err program_config_read_file(cw_program_arguments *arguments, bool is_again, crawl_error *error)
{
    if (!arguments->file)
        return CRAWL_OK;
    if (is_again && program_config_is_read_once(arguments->file))
        return crawl_error_set(error, CRAWL_EIO, "%s cannot be read twice, since it is not a regular file",
                               arguments->file);
    return cw_config_read(arguments->file, &arguments->text, error);
}

/* Returns the setting that names a program to run. NULL: none does. */
static const char *program_config_runs(const crawl_config *config)
{
    bool to_command = config->output && cw_exec_output_is_command(config->output);
    return config->preprocess.count ? "parse.preprocess"
           : config->render_browser ? "render.browser"
           : to_command             ? "output.output"
                                    : NULL;
}

/* Refuses a ./crawler.conf that names a command: a folder unpacked from somewhere must not run one. */
static crawl_err program_config_refuse_commands(const char *file, crawl_slice text, crawl_error *error)
{
    crawl_config alone = {0};
    crawl_err err = cw_config_init(&alone);
    if (!err)
        err = cw_config_parse(&alone, file, text, error);
    const char *setting = program_config_runs(&alone);
    if (!err && setting)
        err = crawl_error_set(error, CRAWL_EINVAL, "./%s sets a command, %s, and is not read unless named: --config %s",
                              file, setting, file);
    cw_config_clear(&alone);
    return err;
}

/* Takes the settings of the file, if there is one. */
static crawl_err program_config_take_file(crawl_config *config, const cw_program_arguments *arguments,
                                          crawl_error *error)
{
    const char *file = arguments->file;
    crawl_slice text = crawl_buf_slice(&arguments->text);
    if (!file)
        return CRAWL_OK;
    crawl_err err = arguments->is_unnamed ? program_config_refuse_commands(file, text, error) : CRAWL_OK;
    return err ? err : cw_config_parse(config, file, text, error);
}

/* Applies the settings that output.audit stands for. */
static crawl_err program_config_set_audit(crawl_config *config, crawl_error *error)
{
    static const char *const settings[][2] = {
        {"crawl.sitemaps", "true"},
        {"crawl.requisites", "true"},
        {"crawl.check_external", "true"},
        {"crawl.check_fragments", "true"},
        {"crawl.soft_404", "true"},
        {"dedupe.kind", "near"},
        {"output.data", "true"},
        {"output.text", "plain"},
        {"output.answer_headers", "strict-transport-security,content-security-policy,x-content-type-options,"
                                  "x-frame-options,referrer-policy"},
    };
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && !err; i++)
        err = crawl_config_set(config, settings[i][0], settings[i][1], error);
    return err;
}

/* Reads everything once. audits: output.audit is set, by the file or by an option; its settings come before those. */
static crawl_err program_config_read_once(crawl_config *config, const char *directory, cw_program_arguments *arguments,
                                          bool audits, crawl_error *error)
{
    cw_config_clear(config);
    crawl_err err = cw_config_init(config);
    if (err)
        return cw_error(error, err);
    if (directory)
        err = cw_tool_resume_load(directory, config, error);
    else if (arguments->decided)
        err = cw_program_decided_take(arguments->decided, config, error);
    if (err && err != CRAWL_ABSENT)
        return err;
    const cw_tool_resume_counts kept = cw_tool_resume_count(config);
    err = audits && !config->program.audit ? program_config_set_audit(config, error) : CRAWL_OK;
    if (!err)
        err = program_config_take_file(config, arguments, error);
    if (!err)
        err = program_config_take_options(config, arguments, error);
    if (arguments->names_directory) {
        free(config->shared); /* of the file */
        config->shared = NULL;
    }
    cw_tool_resume_replace(config, &kept);
    return err;
}

/* Refills *config: from the settings that a directory keeps (NULL: none) or a shared crawl was made with, then from
 * the file, then from the options. */
static crawl_err program_config_read_all(crawl_config *config, const char *directory, cw_program_arguments *arguments,
                                         crawl_error *error)
{
    crawl_err err = program_config_read_once(config, directory, arguments, false, error);
    return err || !config->program.audit ? err : program_config_read_once(config, directory, arguments, true, error);
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

/* Checks a URL before a message names it. A wrong URL is not shown, since it may hold a password. */
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

/* Takes a URL in --state as that of a shared crawl; it overrides the one of a file. */
static crawl_err find_shared(crawl_config *config, crawl_error *error)
{
    if (config->state && crawl_redis_is_url(config->state)) {
        crawl_err err = crawl_config_set(config, "state.shared", config->state, error);
        free(config->state);
        config->state = NULL;
        if (err)
            return err;
    }
    if (config->state && strstr(config->state, "://")) /* not shown, since it may hold a password */
        return crawl_error_set(error, CRAWL_EINVAL,
                               "state: neither a directory nor redis://HOST/DB?name=NAME, rediss:// or unix:/PATH");
    return config->shared ? program_config_check_shared(config->shared, error) : CRAWL_OK;
}

/* Adopts the settings that the joined crawl was made with. Only once: later readings of the file are compared with
 * them. */
static crawl_err read_with_server(crawl_config *config, cw_program_arguments *arguments, crawl_error *error)
{
    crawl_err err = cw_program_decided_ask(config, &arguments->decided);
    arguments->joins = false;
    arguments->is_new = err == CRAWL_ABSENT;
    if (err == CRAWL_ENOMEM)
        return cw_error(error, err);
    if (err)
        return CRAWL_OK; /* joining reports why */
    err = program_config_read_all(config, NULL, arguments, error);
    return err ? err : find_shared(config, error);
}

crawl_err cw_program_configure(crawl_config *config, cw_program_arguments *arguments, crawl_error *error)
{
    *config = (crawl_config){0};
    bool is_again = arguments->is_read;
    crawl_err err = is_again ? CRAWL_OK : program_config_find_file(arguments, error);
    if (!err)
        err = program_config_read_file(arguments, is_again, error);
    if (!err)
        err = program_config_read_all(config, NULL, arguments, error);
    if (!err)
        err = find_shared(config, error);
    if (!err && config->state)
        err = read_with_directory(config, arguments, error);
    if (!err && config->shared && arguments->joins)
        err = read_with_server(config, arguments, error);
    crawl_buf_free(&arguments->text);
    if (err == CRAWL_ENOMEM)
        cw_tool_memory_refused();
    config->requisites |= config->mirror != NULL; /* the pages of a copy need their parts */
    config->cookies |= config->cookies_file || config->cookies_save;
    if (!err && config->program.verbosity >= 0)
        cw_tool_secrets_warn(config, arguments->file);
    return err;
}

struct cw_program_decided {
    json_t *values; /* by name */
    struct event_base *base;
    crawl_err err;
};

enum { PATIENCE_MS = 3000 };

static void decided_on_viewed(void *user, crawl_err err, const crawl_error *, const crawl_shared_picture *picture)
{
    cw_program_decided *decided = user;
    decided->err = err;
    for (size_t i = 0; !decided->err && i < picture->decided_count; i++) {
        const crawl_shared_decided *one = &picture->decided[i];
        json_t *value = json_stringn_nocheck(one->value.data, one->value.size);
        if (!value || json_object_set_new_nocheck(decided->values, one->name.data, value))
            decided->err = CRAWL_ENOMEM;
    }
    event_base_loopbreak(decided->base);
}

static crawl_err decided_ask(cw_program_decided *decided, const crawl_config *config)
{
    static const char *const names[] = {"name", NULL};
    cw_remote *remote = NULL;
    crawl_error error = {0};
    crawl_err err = cw_remote_open(config->shared, names, config, &remote, &error);
    if (!err) {
        const crawl_shared_view_options options = {
            .size = sizeof options, .name = cw_remote_url(remote)->values[0], .decided = true};
        decided->base = cw_remote_base(remote);
        decided->err = CRAWL_ENET;
        err = crawl_shared_view(cw_remote_redis(remote), &options, decided_on_viewed, decided, &error);
        if (!err)
            cw_remote_run(remote, PATIENCE_MS);
        err = err ? err : decided->err;
    }
    cw_remote_close(remote);
    return err;
}

crawl_err cw_program_decided_ask(const crawl_config *config, cw_program_decided **out)
{
    *out = NULL;
    cw_program_decided *decided = calloc(1, sizeof *decided);
    if (decided)
        decided->values = json_object();
    crawl_err err = decided && decided->values ? decided_ask(decided, config) : CRAWL_ENOMEM;
    if (err)
        cw_program_decided_free(decided);
    else
        *out = decided;
    return err;
}

crawl_err cw_program_decided_take(const cw_program_decided *decided, crawl_config *config, crawl_error *error)
{
    const char *name;
    json_t *value;
    crawl_err err = CRAWL_OK;
    json_object_foreach(decided->values, name, value)
    {
        crawl_slice text = crawl_slice_of(json_string_value(value), json_string_length(value));
        err = err ? err : crawl_shared_adopt(config, crawl_slice_from(name), text, error);
    }
    return err;
}

void cw_program_decided_free(cw_program_decided *decided)
{
    if (!decided)
        return;
    json_decref(decided->values);
    free(decided);
}
