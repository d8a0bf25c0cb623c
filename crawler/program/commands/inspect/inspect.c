/* `crawl inspect` shows the contents of a crawl's directory, and checks its consistency. */
#include "crawler/program/commands/inspect/inspect.h"

#include "base/clock.h"
#include "crawler/program/commands/commands.h"
#include "tools/common/refused_memory.h"
#include "tools/common/say.h"
#include "tools/common/tool_options.h"
#include "tools/common/tool_output.h"

#include <crawl/sys/redis.h>
#include <unistd.h>

static const char tool[] = "inspect";

typedef crawl_err part(cw_inspect *inspect, crawl_error *error);

/* The part that the command line asks for. */
typedef struct wanted {
    part *what;
    const char *word; /* of the option; NULL: none given */
} wanted;

/* Refuses --drop for a directory. */
static crawl_err inspect_refuse_drop(cw_inspect *inspect, crawl_error *error)
{
    return crawl_error_set(error, CRAWL_EINVAL, "--drop is for a crawl in Redis; remove the directory %s yourself",
                           inspect->directory);
}

static bool inspect_take_part(void *user, const char *name, const char *)
{
    static const struct {
        const char *word;
        part *what;
    } parts[] = {{"hosts", cw_inspect_hosts},
                 {"queue", cw_inspect_queue},
                 {"filter", cw_inspect_filter},
                 {"check", cw_inspect_check},
                 {"drop", inspect_refuse_drop}};
    wanted *w = user;
    size_t i = 0;
    while (strcmp(parts[i].word, name) != 0)
        i++;
    if (w->word && w->word != parts[i].word) {
        cw_tool_say(tool, "--%s and --%s: one at a time", w->word, name);
        return false;
    }
    *w = (wanted){parts[i].what, parts[i].word};
    return true;
}

/* Returns what is wrong with the words of the command line. NULL: nothing. */
static const char *inspect_refusal(const wanted *w, int count, const char *word)
{
    bool queue = w->what == cw_inspect_queue;
    if (count == 0)
        return "name the directory of a crawl, or its URL in Redis";
    return count > (queue && !crawl_redis_is_url(word) ? 2 : 1) ? "too many arguments" : NULL;
}

/* Opens the view and prints the part. Begins again if a running crawl has dropped a file meanwhile and nothing is
 * printed yet. */
static crawl_err inspect_look(cw_inspect *inspect, const wanted *w, crawl_error *error)
{
    enum { ATTEMPTS = 5 };
    crawl_err err = CRAWL_EIO;
    if (crawl_redis_is_url(inspect->directory))
        return cw_inspect_shared(inspect, w->word, error);
    cw_tool_memory_begin_disk();
    for (int i = 0; i < ATTEMPTS && err == CRAWL_EIO; i++) {
        err = crawl_frontier_view_open(inspect->directory, &inspect->view, error);
        if (err)
            continue;
        err = w->what(inspect, error);
        crawl_frontier_view_free(inspect->view);
        if (w->what != cw_inspect_check || cw_tool_output_failed())
            break;
    }
    return err;
}

static int inspect_run(cw_inspect *inspect, const wanted *w)
{
    crawl_error error = {0};
    crawl_err err = inspect_look(inspect, w, &error);
    fflush(stdout);
    if (err && cw_tool_output_failed())
        return inspect->status; /* main() reports it */
    if (err)
        cw_tool_say(tool, "%s", *error.message ? error.message : crawl_strerror(err));
    return err ? cw_tool_status(err) : inspect->status;
}

int cw_command_inspect(int argc, char **argv)
{
    wanted w = {.what = cw_inspect_summary};
    cw_inspect inspect = {.now_ms = cw_wall_ms(), .status = CW_EXIT_OK};
    const cw_tool_option known[] = {
        {"hosts", .take = inspect_take_part},
        {"queue", .take = inspect_take_part},
        {"filter", .take = inspect_take_part},
        {"check", .take = inspect_take_part},
        {"drop", .take = inspect_take_part},
        {"yes", .flag = &inspect.yes},
        {"jsonl", .flag = &inspect.jsonl},
        {"config", .text = &inspect.config},
        {0},
    };
    const cw_tool_syntax syntax = {
        .tool = tool,
        .options = known,
        .user = &w,
        .help = cw_command_inspect_help,
    };
    int status;
    if (!cw_tool_options(&syntax, argc, argv, &status))
        return status;
    const char *wrong = inspect_refusal(&w, argc - optind, argv[optind]);
    if (wrong)
        return cw_tool_refuse(&syntax, wrong);
    inspect.directory = argv[optind];
    if (argc - optind == 2)
        inspect.origin = crawl_slice_from(argv[optind + 1]);
    return inspect_run(&inspect, &w);
}
