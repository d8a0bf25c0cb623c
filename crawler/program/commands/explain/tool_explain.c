/* `crawl explain` says whether a crawl would fetch a URL, and why. This file reads the command line, and builds the
 * world that URLs are judged by. */
#include "base/error.h"
#include "config/config_values.h"
#include "crawler/program/commands/commands.h"
#include "crawler/program/commands/explain/command_explain.h"
#include "crawler/program/program_config.h"
#include "crawler/program/seeds.h"
#include "tools/common/io.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/tool_output.h"

#include <stdlib.h>

static const char tool[] = "explain";

enum { MAX_DEPTH = 1000000 }; /* as for crawl.depth */

typedef struct explain_options {
    const char **seeds; /* room for as many as argv has words, followed by as many records */
    size_t seed_count;
    const char **records;
    size_t record_count;
    const char *robots;
    int64_t at_depth; /* negative: not given */
    bool jsonl;
    bool help;
} explain_options;

/* --- the world --- */

static crawl_err take_seed(void *user, const crawl_seed *seed, crawl_error *error)
{
    return crawl_judge_seed(user, seed, error);
}

static int read_seeds(cw_explain_world *world, const explain_options *o)
{
    crawl_error error = {0};
    cw_program_seed_count count = {0};
    const char *path = world->config->program.seeds;
    for (size_t i = 0; i < o->seed_count; i++) {
        if (cw_program_seeds_take_url(crawl_slice_from(o->seeds[i]), take_seed, world->judge, &error)) {
            cw_tool_say(tool, "--seed: %s", error.message);
            return CW_EXIT_USAGE;
        }
    }
    if (path && cw_program_seeds_each(path, -1, take_seed, world->judge, &count, &error)) {
        cw_tool_say(tool, "seeds: %s", error.message);
        return cw_program_seeds_ends(error.code) ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    }
    return CW_EXIT_OK;
}

static int read_robots(cw_explain_world *world, const explain_options *o)
{
    if (!o->robots)
        return CW_EXIT_OK;
    crawl_buf text = {0};
    if (cw_tool_read_robots(tool, o->robots, &text))
        return CW_EXIT_LOCAL;
    crawl_slice agent = crawl_slice_from(world->config->robots_agent);
    cw_tool_memory_must(crawl_robots_parse(crawl_buf_slice(&text), agent, &world->robots));
    world->robots_path = cw_tool_name(o->robots);
    crawl_buf_free(&text);
    return CW_EXIT_OK;
}

/* Opens the kept state of the crawl, and takes over the places that its seeds added to the scope. */
static crawl_err take_places(cw_explain_world *world)
{
    crawl_err err = cw_explain_take_shared_places(world);
    return err ? err : cw_explain_open_state(world);
}

static int open_world(cw_explain_world *world, crawl_config *config, const explain_options *o)
{
    crawl_error error = {0};
    crawl_err err = cw_explain_open_shared(world, config);
    if (err) {
        cw_tool_say(tool, "%s", world->error.message);
        return cw_tool_status(err);
    }
    world->url = cw_tool_memory_granted(crawl_url_create());
    err = crawl_judge_create(world->config, &world->judge, &error);
    if (err) {
        cw_tool_say(tool, "%s", error.message);
        return err == CRAWL_ENOMEM ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    }
    err = take_places(world);
    if (err) {
        cw_tool_say(tool, "%s", world->error.message);
        return cw_tool_status(err);
    }
    int status = read_seeds(world, o);
    return status ? status : read_robots(world, o);
}

static void close_world(cw_explain_world *world)
{
    cw_explain_close_shared(world);
    crawl_frontier_view_free(world->view);
    crawl_judge_free(world->judge);
    crawl_robots_free(world->robots);
    crawl_url_free(world->url);
    crawl_buf_free(&world->canonical);
}

static int explain_run(crawl_config *config, const explain_options *o, int count, char **urls)
{
    cw_explain_world world = {
        .config = config, .at_depth = o->at_depth, .records = o->records, .record_count = o->record_count};
    int status = open_world(&world, config, o);
    if (!status)
        status = cw_explain_urls(&world, o->jsonl, count, urls);
    close_world(&world);
    return status;
}

/* --- the command line --- */

static bool explain_refuse(const char *option, const char *why)
{
    cw_tool_say(tool, "--%s: %s", option, why);
    cw_message_lines(CW_MESSAGE_ERROR, "Try 'crawl help explain'.\n");
    return false;
}

/* Reads only digits; strtoull would also accept signs and blanks. */
static bool read_depth(const char *text, int64_t *out)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || number > MAX_DEPTH)
        return explain_refuse("at-depth", "expected a whole number from 0 to 1000000");
    *out = (int64_t)number;
    return true;
}

static bool explain_take_value(explain_options *o, const char *name, const char *value)
{
    if (strcmp(name, "seed") == 0)
        o->seeds[o->seed_count++] = value;
    else if (strcmp(name, "records") == 0)
        o->records[o->record_count++] = value;
    else if (strcmp(name, "robots") == 0)
        o->robots = value;
    else
        return read_depth(value, &o->at_depth);
    return true;
}

/* Recognizes this tool's own options, which are removed from argv first, because one of them, --robots, is a switch of
 * a crawl. Returns the name if word is one of them; *value is the text after "=". */
static const char *own_option(const char *word, const char **value, bool *takes_value)
{
    static const char *const names[] = {"seed", "robots", "at-depth", "records", "jsonl", "help"};
    enum { WITH_VALUE = 4 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size = strlen(names[i]);
        if (strncmp(word, "--", 2) != 0 || strncmp(word + 2, names[i], size) != 0)
            continue;
        const char *end = word + 2 + size;
        *value = *end == '=' ? end + 1 : NULL;
        *takes_value = i < WITH_VALUE;
        if (!*end || *value)
            return names[i];
    }
    return NULL;
}

static bool take_own(int *argc, char **argv, explain_options *o)
{
    int kept = 1;
    int i = 1;
    for (; i < *argc && strcmp(argv[i], "--") != 0; i++) {
        const char *value;
        bool takes_value;
        const char *name = own_option(argv[i], &value, &takes_value);
        if (!name) {
            argv[kept++] = argv[i];
            continue;
        }
        if (!takes_value && value)
            return explain_refuse(name, CW_TAKES_NO_VALUE);
        if (takes_value && !value && i + 1 == *argc)
            return explain_refuse(name, CW_NEEDS_VALUE);
        if (takes_value && !explain_take_value(o, name, value ? value : argv[++i]))
            return false;
        o->jsonl |= strcmp(name, "jsonl") == 0;
        o->help |= strcmp(name, "help") == 0;
    }
    while (i < *argc)
        argv[kept++] = argv[i++];
    *argc = kept;
    return true;
}

/* Returns true if at most one option reads standard input, which can be read only once. */
static bool explain_check(const explain_options *o, const crawl_config *config, int urls)
{
    int readers = (urls == 0) + (o->robots && strcmp(o->robots, "-") == 0) +
                  (config->program.seeds && strcmp(config->program.seeds, "-") == 0);
    if (readers > 1)
        cw_tool_say(tool, "URLs, seeds and robots.txt cannot all come from standard input");
    return readers <= 1;
}

static int explain_configure_and_run(explain_options *o, int argc, char **argv)
{
    crawl_config config;
    crawl_error error = {0};
    cw_program_arguments arguments = {.argc = argc, .argv = argv};
    int status = CW_EXIT_USAGE;
    if (cw_program_configure(&config, &arguments, &error)) {
        cw_tool_say(tool, "%s", error.message);
        cw_message_lines(CW_MESSAGE_ERROR, error.line ? "" : "Try 'crawl help explain'.\n");
    } else if (explain_check(o, &config, argc - arguments.first))
        status = explain_run(&config, o, argc - arguments.first, argv + arguments.first);
    cw_config_clear(&config);
    return status;
}

int cw_command_explain(int argc, char **argv)
{
    explain_options o = {.seeds = cw_tool_memory_take(2 * (size_t)argc * sizeof *o.seeds), .at_depth = -1};
    o.records = o.seeds + argc;
    int status;
    if (!take_own(&argc, argv, &o))
        status = CW_EXIT_USAGE;
    else if (o.help)
        status = cw_tool_output_text(cw_command_explain_help);
    else
        status = explain_configure_and_run(&o, argc, argv);
    free(o.seeds);
    return status;
}
