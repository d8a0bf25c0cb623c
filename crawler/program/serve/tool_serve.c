/* `crawl serve`: reads its command line, and serves. */
#include "crawler/program/process.h"
#include "crawler/program/serve/serve.h"
#include "crawler/program/tools/options.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <getopt.h>
#include <string.h>

static const char tool[] = "serve";

const char cw_tool_serve_help[] =
    "usage: crawl serve --urlfrontier ADDR:PORT --state DIR [options]\n"
    "\n"
    "Serves the frontier to crawlers in any language by the protocol URLFrontier (gRPC), until a signal ends it. What was\n"
    "acknowledged is there after a crash, with pauses, blocks, limits and leases. Answers grpc.health.v1 too.\n"
    "\n"
    "  --urlfrontier A:P  where to listen, an address of this machine alone: calls are not encrypted, and nobody is asked\n"
    "                     who he is. 127.0.0.1:7071 is the custom; port 0 is any that is free\n"
    "  --state DIR        where crawls are kept; made if it is not there. One process at a time has it\n"
    "  --sync WHEN        interval: what was acknowledged reaches the disk within a second, and only a power cut can lose it\n"
    "                     always: before it is acknowledged, which is slower [interval]\n"
    "  --help             this text\n"
    "\n"
    "Exit status: 0 ended by a signal; 2 usage; 4 a local failure: the address, DIR, the disk, or memory.\n";

static void say_started(const char *address)
{
    cw_tool_say(tool, "URLFrontier at %s", address);
}

/* What is wrong with the options; NULL: nothing. */
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
    return NULL;
}

int cw_tool_serve(int argc, char **argv)
{
    const char *listen = NULL;
    const char *sync = NULL;
    cw_serve_options options = {0};
    const cw_tool_option known[] = {
        {"urlfrontier", .text = &listen}, {"state", .text = &options.directory}, {"sync", .text = &sync}, {0}};
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .help = cw_tool_serve_help,
        .usage = "Try 'crawl help serve'.\n",
        .unknown = "unknown option",
        .missing = "a value is missing",
    };
    int status = CW_EXIT_LOCAL;
    crawl_error error = {0};
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    const char *wrong = read_options(listen, sync, &options, argc - optind);
    if (wrong)
        return cw_tool_refuse(&syntax, wrong);
    if (!cw_program_process_prepare())
        return CW_EXIT_LOCAL;
    crawl_err err = cw_serve(&options, say_started, &error);
    if (err)
        cw_tool_say(tool, "%s", error.message);
    return cw_tool_status(err);
}
