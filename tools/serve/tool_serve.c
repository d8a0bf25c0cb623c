/* `crawl serve`: reads its configuration and its command line, and serves. */
#include "base/error.h"
#include "base/files/file_read.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/signals.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/serve/serve.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HELLO_MS = 30 * 1000 };

static const char tool[] = "serve";

static void say_started(const char *address)
{
    cw_tool_say(tool, "URLFrontier at %s", address);
}

/* Reads the token from the file or, without one, from the environment. The caller frees *out. NULL: no token. */
static crawl_err read_token(const char *path, char **out, crawl_error *error)
{
    const char *set = getenv(CW_SERVE_TOKEN);
    *out = NULL;
    if (path) {
        cw_tool_secret_warn(path, "a token");
        return cw_secret_read(path, out, error);
    }
    *out = set ? strdup(set) : NULL;
    return set && !*out ? crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM)) : CRAWL_OK;
}

static crawl_err serve(cw_serve_options *options, const char *token_file)
{
    crawl_error error = {0};
    char *token = NULL;
    crawl_err err = read_token(token_file, &token, &error);
    options->guard.token = token;
    cw_tool_secret_warn(options->guard.key, "a private key");
    if (!err)
        err = cw_serve(options, say_started, &error);
    if (err)
        cw_tool_say(tool, "%s", error.message);
    cw_secret_free(token);
    return err;
}

/* Fills options from the configuration, which owns the texts. Returns what is wrong; NULL: nothing. */
static const char *serve_take_config(const crawl_config *config, cw_serve_options *options)
{
    const char *listen = crawl_config_text(config, "serve.urlfrontier");
    options->directory = crawl_config_text(config, "serve.state");
    options->always = strcmp(crawl_config_text(config, "serve.sync"), "always") == 0;
    options->guard.certificate = crawl_config_text(config, "serve.tls_cert");
    options->guard.key = crawl_config_text(config, "serve.tls_key");
    if (!listen)
        return "--urlfrontier is missing, and so is urlfrontier in [serve] of " CW_TOOL_CONFIG_FILE;
    if (!options->directory)
        return "--state is missing, and so is state in [serve] of " CW_TOOL_CONFIG_FILE;
    if (!options->guard.certificate != !options->guard.key)
        return "--tls-cert and --tls-key must be given together";
    crawl_listen_parse(crawl_slice_from(listen), &options->listen); /* the schema has checked it */
    return NULL;
}

/* Sets the key of [serve] of an option, with "_" for each "-" of its name. */
static crawl_err set_option(crawl_config *config, const char *option, const char *value, crawl_error *error)
{
    char key[32];
    crawl_error why = {0};
    snprintf(key, sizeof key, "serve.%s", option);
    for (char *dash = key; (dash = strchr(dash, '-'));)
        *dash = '_';
    crawl_err err = crawl_config_set(config, key, value, &why);
    return err ? crawl_error_set(error, err, "--%s: %s", option, why.message) : CRAWL_OK;
}

/* Loads the file (NULL: ./crawler.conf if it exists), then sets the options that have a text. */
static crawl_err serve_read_config(crawl_config **out, const char *file, const cw_tool_option *options,
                                   crawl_error *error)
{
    crawl_err err = crawl_config_create(out);
    if (err)
        return cw_error(error, err);
    if (file || access(CW_TOOL_CONFIG_FILE, F_OK) == 0)
        err = crawl_config_load(*out, file ? file : CW_TOOL_CONFIG_FILE, error);
    for (; options->name && !err; options++)
        if (*options->text)
            err = set_option(*out, options->name, *options->text, error);
    return err;
}

static int serve_say_refused(const cw_tool_syntax *syntax, const crawl_error *error)
{
    if (error->code == CRAWL_EPARSE && !error->line)
        return cw_tool_refuse(syntax, error->message);
    cw_tool_say(tool, "%s", error->message);
    return error->code == CRAWL_EPARSE ? CW_EXIT_USAGE : cw_tool_status(error->code);
}

static int serve_run(const cw_tool_syntax *syntax, const crawl_config *config)
{
    cw_serve_options options = {.guard.hello_ms = HELLO_MS};
    const char *wrong = serve_take_config(config, &options);
    if (wrong)
        return cw_tool_refuse(syntax, wrong);
    if (!cw_tool_process_prepare())
        return CW_EXIT_LOCAL;
    return cw_tool_status(serve(&options, crawl_config_text(config, "serve.token_file")));
}

/* options: those that are also keys */
static int serve_configure_and_run(const cw_tool_syntax *syntax, const char *file, const cw_tool_option *options)
{
    crawl_config *config = NULL;
    crawl_error error = {0};
    crawl_err err = serve_read_config(&config, file, options, &error);
    int status = err ? serve_say_refused(syntax, &error) : serve_run(syntax, config);
    crawl_config_free(config);
    return status;
}

static int serve_main(int argc, char **argv)
{
    const char *file = NULL;
    const char *texts[6] = {0};
    const cw_tool_option known[] = {{"config", .text = &file},         {"urlfrontier", .text = &texts[0]},
                                    {"state", .text = &texts[1]},      {"sync", .text = &texts[2]},
                                    {"tls-cert", .text = &texts[3]},   {"tls-key", .text = &texts[4]},
                                    {"token-file", .text = &texts[5]}, {0}};
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .help = cw_tool_help,
    };
    int status = CW_EXIT_LOCAL;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    if (optind < argc)
        return cw_tool_refuse(&syntax, "takes only options");
    cw_tool_memory_begin_disk();
    return serve_configure_and_run(&syntax, file, known + 1);
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, serve_main);
}
