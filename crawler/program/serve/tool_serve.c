/* `crawl serve`: reads its command line, and serves. */
#include "base/files/read.h"
#include "crawler/program/process.h"
#include "crawler/program/secrets.h"
#include "crawler/program/serve/serve.h"
#include "crawler/program/tools/options.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { HELLO_MS = 30 * 1000 };

static const char tool[] = "serve";

const char cw_tool_serve_help[] =
    "usage: crawl serve --urlfrontier ADDR:PORT --state DIR [options]\n"
    "\n"
    "Serves the frontier to crawlers in any language by the protocol URLFrontier (gRPC), until a signal ends it. What was\n"
    "acknowledged is there after a crash, with pauses, blocks, limits and leases. Answers grpc.health.v1 and\n"
    "grpc.reflection.v1 too, so that grpcurl needs no description of the protocol.\n"
    "\n"
    "  --urlfrontier A:P  where to listen. 127.0.0.1:7071 is the custom; port 0 is any that is free. An address that others\n"
    "                     than this machine can reach needs TLS and a token\n"
    "  --state DIR        where crawls are kept; made if it is not there. One process at a time has it\n"
    "  --sync WHEN        interval: what was acknowledged reaches the disk within a second, and only a power cut can lose it\n"
    "                     always: before it is acknowledged, which is slower [interval]\n"
    "  --tls-cert FILE    TLS 1.2 or later with this certificate, in PEM, and behind it those that lead to its root\n"
    "  --tls-key FILE     the private key of the certificate, in PEM, without a passphrase\n"
    "  --token-file FILE  the first line is a token of 16 characters or more: a call that does not show it, by the metadata\n"
    "                     'authorization: Bearer TOKEN', ends with UNAUTHENTICATED. The variable CRAWL_SERVE_TOKEN of the\n"
    "                     environment may hold it in place of a file\n"
    "  --help             this text\n"
    "\n"
    "Exit status: 0 ended by a signal; 2 usage; 4 a local failure: the address, DIR, a file of TLS or of the token, the disk, or memory.\n";

static void say_started(const char *address)
{
    cw_tool_say(tool, "URLFrontier at %s", address);
}

/* The token of the file or, without a file, of the environment; *out is the caller's, NULL: there is none. */
static crawl_err read_token(const char *path, char **out, crawl_error *error)
{
    const char *set = getenv(CW_SERVE_TOKEN);
    *out = NULL;
    if (path) {
        cw_program_secret_warn(path, "a token");
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
    cw_program_secret_warn(options->guard.key, "a private key");
    if (!err)
        err = cw_serve(options, say_started, &error);
    if (err)
        cw_tool_say(tool, "%s", error.message);
    if (token)
        explicit_bzero(token, strlen(token));
    free(token);
    return err;
}

/* The fault of the options; NULL: none. */
static const char *read_options(const char *listen, const char *sync, cw_serve_options *options, int words)
{
    options->always = sync && strcmp(sync, "always") == 0;
    if (words)
        return "takes options alone";
    if (!listen)
        return "--urlfrontier is missing";
    if (crawl_listen_parse(crawl_slice_from(listen), &options->listen))
        return "--urlfrontier: not ADDR:PORT";
    if (!options->directory)
        return "--state is missing";
    if (sync && !options->always && strcmp(sync, "interval") != 0)
        return "--sync: interval or always";
    if (!options->guard.certificate != !options->guard.key)
        return "--tls-cert and --tls-key need each other";
    return NULL;
}

int cw_tool_serve(int argc, char **argv)
{
    const char *listen = NULL;
    const char *sync = NULL;
    cw_serve_options options = {.guard.hello_ms = HELLO_MS};
    const char *token_file = NULL;
    const cw_tool_option known[] = {{"urlfrontier", .text = &listen},
                                    {"state", .text = &options.directory},
                                    {"sync", .text = &sync},
                                    {"tls-cert", .text = &options.guard.certificate},
                                    {"tls-key", .text = &options.guard.key},
                                    {"token-file", .text = &token_file},
                                    {0}};
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .help = cw_tool_serve_help,
        .usage = "Try 'crawl help serve'.\n",
        .unknown = "unknown option",
        .missing = "a value is missing",
    };
    int status = CW_EXIT_LOCAL;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    const char *wrong = read_options(listen, sync, &options, argc - optind);
    if (wrong)
        return cw_tool_refuse(&syntax, wrong);
    if (!cw_program_process_prepare())
        return CW_EXIT_LOCAL;
    return cw_tool_status(serve(&options, token_file));
}
