/* `crawl mcp` offers the crawler to programs with a language model, by the Model Context Protocol on standard input and
 * output. This file has its options. */
#include "base/bytes.h"
#include "tools/common/say.h"
#include "tools/common/status.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"
#include "tools/mcp/fetched.h"
#include "tools/mcp/handles.h"
#include "tools/mcp/protocol.h"

#include <crawl/config.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char name[] = "mcp";

static bool mcp_take_limit(void *user, const char *option, const char *value)
{
    cw_mcp_server *server = user;
    cw_mcp_limits *limits = option[0] == 'm' ? &server->call : &server->left;
    const char *of = strchr(option, '-') + 1;
    char key[32];
    int64_t limit;
    snprintf(key, sizeof key, "crawl.max_%s", of);
    if (!cw_tool_option_number(name, option, key, value, &limit))
        return false;
    if (limit == 0) {
        cw_tool_say(name, "--%s %s: expected more than 0", option, value);
        return false;
    }
    *(of[0] == 'p' ? &limits->pages : of[0] == 'b' ? &limits->bytes : &limits->ms) = limit;
    return true;
}

/* Finds the program from the path by which it started this executable. */
static bool mcp_find_program(crawl_buf *path)
{
    static const char tail[] = CW_EXECUTABLES "/crawl-mcp";
    const char *own = (const char *)getauxval(AT_EXECFN);
    crawl_slice slice = crawl_slice_from(own ? own : "");
    if (!cw_ends_with(slice, tail)) {
        cw_tool_say(name, "start it as: crawl mcp");
        return false;
    }
    cw_tool_memory_must(crawl_buf_printf(path, "%.*scrawl", (int)(slice.size - strlen(tail)), own));
    return true;
}

/* Refuses settings that name files to write, or a crawl to share, which are not for a model. */
static crawl_err mcp_check_setting(void *user, const char *key, const char *)
{
    static const char *const sections[] = {"output.", "live.", "state."};
    static const char *const keys[] = {"crawl.seeds", "fetch.cookies_save"};
    bool is_refused = false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        is_refused |= strncmp(key, sections[i], strlen(sections[i])) == 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        is_refused |= strcmp(key, keys[i]) == 0;
    if (is_refused)
        cw_tool_say(name, "%s: %s is not allowed for this server", (const char *)user, key);
    return is_refused ? CRAWL_REFUSED : CRAWL_OK;
}

/* Reads the configuration, if there is one. */
static bool mcp_read_config(cw_mcp_server *server, const char *path)
{
    crawl_error error = {0};
    cw_tool_memory_must(crawl_config_create(&server->settings));
    if (!path)
        return true;
    server->config = path;
    if (crawl_config_load(server->settings, path, &error))
        cw_tool_say(name, "%s", error.message);
    return !error.code && !crawl_config_changes(server->settings, mcp_check_setting, (void *)path);
}

static int mcp_run(cw_mcp_server *server, const char *root)
{
    crawl_error error = {0};
    int status = CW_EXIT_LOCAL;
    if (cw_mcp_handles_open(server, root, &error)) {
        cw_tool_say(name, "%s", error.message);
    } else {
        cw_mcp_protocol_open(server);
        server->holds = json_object();
        server->states = json_object();
        status = cw_mcp_serve(server);
    }
    cw_mcp_fetched_forget(server);
    cw_mcp_handles_close(server);
    json_decref(server->tools);
    json_decref(server->holds);
    json_decref(server->states);
    crawl_buf_free(&server->program);
    return status;
}

static int mcp_main(int argc, char **argv)
{
    cw_mcp_server server = {.config = "/dev/null", .call = {200, 64 << 20, 120000}, .left = {2000, 1 << 30, 3600000}};
    const char *root = NULL, *config = NULL;
    const cw_tool_option known[] = {
        {"root", .text = &root},
        {"max-pages", .takes_value = true, .take = mcp_take_limit},
        {"max-bytes", .takes_value = true, .take = mcp_take_limit},
        {"max-time", .takes_value = true, .take = mcp_take_limit},
        {"total-pages", .takes_value = true, .take = mcp_take_limit},
        {"total-bytes", .takes_value = true, .take = mcp_take_limit},
        {"total-time", .takes_value = true, .take = mcp_take_limit},
        {"user-agent", .text = &server.user_agent},
        {"config", .text = &config},
        {"allow-private", .flag = &server.allow_private},
        {0},
    };
    const cw_tool_syntax syntax = {.tool = name, .options = known, .user = &server, .help = cw_tool_help};
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    if (optind < argc)
        return cw_tool_refuse(&syntax, "expected only options");
    bool is_ready = mcp_read_config(&server, config) && mcp_find_program(&server.program);
    status = is_ready ? mcp_run(&server, root) : CW_EXIT_USAGE;
    crawl_config_free(server.settings);
    return status;
}

int main(int argc, char **argv)
{
    return cw_tool_main(argc, argv, mcp_main);
}
