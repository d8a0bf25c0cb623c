/* See crawl_command.h. Configuration, then seeds, then the engine with the records' sink, the progress line and the signals
 * around it, then the summary. */
#include "crawler/crawl_command.h"

#include "crawler/bodies.h"
#include "crawler/record.h"
#include "crawler/report.h"
#include "crawler/request_log.h"
#include "crawler/resume.h"
#include "crawler/seeds.h"
#include "crawler/tool_config.h"
#include "crawler/tools.h"
#include "crawler/warc.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What is written as JSON Lines. */
typedef enum sink_id { SINK_OUTPUT, SINK_LINKS, SINK_REQUESTS, SINK_COUNT } sink_id;

static const char *const sink_names[SINK_COUNT] = {
    [SINK_OUTPUT] = "output",
    [SINK_LINKS] = "links",
    [SINK_REQUESTS] = "requests",
};

typedef struct command {
    crawl_config config;
    bool print_config;
    bool show_help;
    bool show_version;
    crawl_engine *engine;
    bool resumed;
    cw_record_sink *sinks[SINK_COUNT]; /* NULL: not wanted */
    cw_bodies *bodies;
    cw_warc *warc;
    bool progress; /* standard error is a terminal and may be written to */
    unsigned ticks;
    crawl_engine_stats before;
    crawl_buf line;
    pthread_mutex_t terminal; /* standard error, and progress_shown */
    bool progress_shown;
} command;

/* The one global: signal handlers have no argument. */
static crawl_engine *_Atomic interrupted_engine;
static atomic_int signals_seen;

static void on_signal(int number)
{
    crawl_engine *engine = atomic_load(&interrupted_engine);
    if (atomic_fetch_add(&signals_seen, 1) > 0)
        _exit(128 + number);
    if (engine) /* otherwise it has ended, and is being closed */
        crawl_engine_stop(engine);
}

static void catch_signals(crawl_engine *engine)
{
    atomic_store(&interrupted_engine, engine);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
}

static unsigned terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1u : 79u;
}

/* Prints whole lines, or the progress line, which the next print erases. */
static void say(command *run, const char *text, bool is_progress)
{
    pthread_mutex_lock(&run->terminal);
    if (run->progress_shown)
        fputs("\r\033[K", stderr);
    fputs(text ? text : "", stderr);
    run->progress_shown = is_progress;
    pthread_mutex_unlock(&run->terminal);
}

static void show_progress(command *run, crawl_engine *engine)
{
    enum { TICKS_A_PACE = 8 };
    crawl_engine_stats now;
    crawl_engine_stats_get(engine, &now);
    crawl_buf_clear(&run->line);
    cw_report_progress(&now, &run->before, terminal_columns(), &run->line);
    say(run, run->line.data, true);
    if (run->ticks++ % TICKS_A_PACE == 0)
        run->before = now;
}

/* A reader that went away has all it wanted: the crawl stops, and nothing has failed. */
static crawl_err after_output(command *run, cw_record_sink *sink, crawl_err err)
{
    if (err != CRAWL_EIO || !cw_record_sink_abandoned(sink))
        return err;
    crawl_engine_stop(run->engine);
    return CRAWL_OK;
}

static crawl_err on_tick(void *user, crawl_engine *engine)
{
    command *run = user;
    if (run->progress)
        show_progress(run, engine);
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < SINK_COUNT && !err; i++)
        if (run->sinks[i])
            err = after_output(run, run->sinks[i], cw_record_sink_flush(run->sinks[i]));
    return err;
}

/* With --verbose every request has a line; otherwise only a seed that failed, which is what its user asked for. */
static void say_record(command *run, const crawl_record *record)
{
    bool seed_failed = record->error && record->parent.size == 0;
    if (run->config.verbosity < 1 && !(seed_failed && run->config.verbosity == 0))
        return;
    crawl_buf text = {0};
    cw_report_record(record, &text);
    say(run, text.data, false);
    crawl_buf_free(&text);
}

static bool has_body(const crawl_record *record)
{
    return record->status >= 200 && record->status < 300 && !record->error && record->body.size && record->has_digest;
}

static crawl_err on_record(void *user, const crawl_record *record)
{
    command *run = user;
    say_record(run, record);
    char name[CW_BODY_NAME_SIZE];
    cw_record_sink *sink = run->sinks[SINK_OUTPUT];
    bool kept = run->bodies && has_body(record);
    crawl_err err = kept ? cw_bodies_write(run->bodies, &record->digest, record->body, name) : CRAWL_OK;
    if (!err && sink)
        err = after_output(run, sink, cw_record_sink_write(sink, record, kept ? name : NULL));
    return err;
}

static crawl_err on_edge(void *user, crawl_engine *engine, const crawl_edge *edge)
{
    (void)engine;
    command *run = user;
    cw_record_sink *sink = run->sinks[SINK_LINKS];
    return after_output(run, sink, cw_record_sink_write_edge(sink, edge));
}

static crawl_err on_exchange(void *user, crawl_engine *engine, const crawl_exchange *exchange)
{
    (void)engine;
    command *run = user;
    bool whole = exchange->response->error != CRAWL_FETCH_CANCELLED; /* otherwise it comes again */
    crawl_err err = run->warc && whole ? cw_warc_write(run->warc, exchange) : CRAWL_OK;
    cw_record_sink *sink = run->sinks[SINK_REQUESTS];
    if (!err && sink)
        err = after_output(run, sink, cw_request_log_write(sink, exchange));
    return err;
}

static int other_option(void *user, const char *name, const char *value)
{
    (void)value;
    command *run = user;
    bool *flag = strcmp(name, "print-config") == 0 ? &run->print_config
                 : strcmp(name, "help") == 0       ? &run->show_help
                 : strcmp(name, "version") == 0    ? &run->show_version
                                                   : NULL;
    if (flag)
        *flag = true;
    return flag != NULL;
}

static int usage(const crawl_error *error)
{
    if (error->line)
        fprintf(stderr, "crawl: %s\n", error->message);
    else
        fprintf(stderr, "crawl: %s\nTry 'crawl --help'.\n", error->message);
    return CW_EXIT_USAGE;
}

static int refuse_seeds(bool some)
{
    fputs(some ? "crawl: no usable seed\n" : "crawl: no seeds: name a URL, or a file by --seeds\nTry 'crawl --help'.\n", stderr);
    return CW_EXIT_USAGE;
}

static int read_seeds(command *run, int argc, char **argv, int first, crawl_error *error)
{
    cw_seed_count count = {0};
    for (int i = first; i < argc; i++) {
        crawl_err err = cw_seeds_add_url(run->engine, crawl_slice_from(argv[i]), error);
        if (err)
            fprintf(stderr, "crawl: %s\n", error->message);
        if (cw_seeds_ends(err))
            return CW_EXIT_LOCAL;
        *(err ? &count.refused : &count.taken) += 1;
    }
    if (run->config.seeds && cw_seeds_read(run->engine, run->config.seeds, stderr, &count, error)) {
        fprintf(stderr, "crawl: seeds: %s\n", error->message);
        return cw_seeds_ends(error->code) ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
    }
    if (count.taken || (run->resumed && !count.refused))
        return CW_EXIT_OK;
    return refuse_seeds(count.refused > 0);
}

static void print_summary(command *run, const crawl_engine_stats *stats)
{
    if (run->config.verbosity < 0)
        return;
    crawl_buf_clear(&run->line);
    cw_report_summary(stats, &run->config, &run->line);
    fputs(run->line.data ? run->line.data : "", stderr);
}

static int status_of(crawl_err err, const crawl_engine_stats *stats)
{
    if (err)
        return CW_EXIT_LOCAL;
    if (stats->end == CRAWL_END_STOPPED)
        return CW_EXIT_STOPPED;
    if (stats->resumed && stats->pages + stats->errors == 0)
        return CW_EXIT_OK; /* there was nothing left to do */
    return stats->pages ? CW_EXIT_OK : CW_EXIT_NOTHING;
}

/* What a file that failed is called says more than the engine's own words. True: it failed, and that was said. */
static bool say_failure(const char *name, crawl_err err, const crawl_error *error)
{
    if (err)
        fprintf(stderr, "crawl: %s: %s\n", name, error->message);
    return err != CRAWL_OK;
}

/* A pipe whose reader left is no failure. */
static bool close_sink(command *run, sink_id id, bool *abandoned)
{
    crawl_error error = {0};
    cw_record_sink *sink = run->sinks[id];
    bool left = sink && cw_record_sink_abandoned(sink);
    crawl_err err = cw_record_sink_close(sink, &error);
    run->sinks[id] = NULL;
    if (left && run->config.verbosity >= 0)
        fprintf(stderr, "crawl: %s: its reader went away\n", sink_names[id]);
    *abandoned = *abandoned || left;
    return !left && say_failure(sink_names[id], err, &error);
}

static bool close_warc(command *run)
{
    crawl_error error = {0};
    crawl_err err = cw_warc_close(run->warc, &error);
    run->warc = NULL;
    return say_failure("warc", err, &error);
}

static bool close_bodies(command *run)
{
    crawl_error error = {0};
    crawl_err err = cw_bodies_close(run->bodies, &error);
    run->bodies = NULL;
    return say_failure("bodies", err, &error);
}

/* Closes all that is written to; the exit status. */
static int close_outputs(command *run, crawl_err run_err, const crawl_error *error, int status)
{
    bool abandoned = false;
    bool failed = false;
    for (sink_id id = 0; id < SINK_COUNT; id++)
        failed = close_sink(run, id, &abandoned) || failed;
    failed = close_bodies(run) || failed;
    failed = close_warc(run) || failed;
    if (run_err && !failed)
        fprintf(stderr, "crawl: %s\n", error->message);
    if (run_err || failed)
        return CW_EXIT_LOCAL;
    return abandoned ? CW_EXIT_OK : status;
}

/* A failure that ended the crawl has been told. */
static int close_engine(command *run, const crawl_engine_stats *stats, int status)
{
    crawl_error error = {0};
    crawl_err err = crawl_engine_close(run->engine, &error);
    run->engine = NULL;
    if (err && stats->end != CRAWL_END_FAILED)
        fprintf(stderr, "crawl: %s%s%s\n", run->config.state ? run->config.state : "", run->config.state ? ": " : "",
                error.message);
    return err ? CW_EXIT_LOCAL : status;
}

static void say_left(command *run, const crawl_engine_stats *stats)
{
    if (run->config.verbosity < 0 || !run->config.state)
        return;
    crawl_buf_clear(&run->line);
    cw_report_left(stats, run->config.state, &run->line);
    fputs(run->line.data ? run->line.data : "", stderr);
}

static int crawl(command *run, crawl_error *error)
{
    catch_signals(run->engine);
    crawl_err err = crawl_engine_run(run->engine, error);
    atomic_store(&interrupted_engine, NULL);
    crawl_engine_stats stats;
    crawl_engine_stats_get(run->engine, &stats);
    say(run, "", false);
    int status = close_outputs(run, err, error, status_of(err, &stats));
    print_summary(run, &stats);
    status = close_engine(run, &stats, status);
    say_left(run, &stats);
    return status;
}

static crawl_err open_warc(command *run, crawl_error *error)
{
    const crawl_config *config = &run->config;
    if (!config->warc)
        return CRAWL_OK;
    cw_warc_options options = {
        .prefix = config->warc,
        .max_file_bytes = config->warc_size,
        .user_agent = config->user_agent,
        .robots = config->robots,
    };
    return cw_warc_open(&options, &run->warc, error);
}

static const char *path_of(const crawl_config *config, sink_id id)
{
    const char *const paths[SINK_COUNT] = {
        [SINK_OUTPUT] = config->output,
        [SINK_LINKS] = config->links,
        [SINK_REQUESTS] = config->requests,
    };
    return paths[id];
}

/* Two sinks in one file would write over each other. */
static int check_paths(const crawl_config *config)
{
    for (sink_id second = 0; second < SINK_COUNT; second++)
        for (sink_id first = 0; first < second; first++) {
            const char *path = path_of(config, first);
            const char *other = path_of(config, second);
            if (!path || !other || strcmp(path, other) != 0)
                continue;
            fprintf(stderr, "crawl: output.%s and output.%s are the same: %s\n", sink_names[first], sink_names[second], path);
            return CW_EXIT_USAGE;
        }
    return CW_EXIT_OK;
}

/* The name of what cannot be opened; NULL: all are open. */
static const char *open_all(command *run, crawl_error *error)
{
    const crawl_config *config = &run->config;
    cw_record_mode mode = run->resumed ? CW_RECORDS_APPENDED : config->state ? CW_RECORDS_AT_ONCE : CW_RECORDS_NEW;
    for (sink_id id = 0; id < SINK_COUNT; id++) {
        const char *path = path_of(config, id);
        if (path && cw_record_sink_open(path, mode, &run->sinks[id], error))
            return sink_names[id];
    }
    if (config->bodies && cw_bodies_open(config->bodies, &run->bodies, error))
        return "bodies";
    return open_warc(run, error) ? "warc" : NULL;
}

/* Opens what is to be written to, so that what cannot be is told before anything is asked; the exit status. */
static int open_outputs(command *run, crawl_error *error)
{
    const char *failed = open_all(run, error);
    if (failed)
        fprintf(stderr, "crawl: %s: %s\n", failed, error->message);
    return failed ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

static crawl_err create_engine(command *run, crawl_error *error)
{
    const crawl_config *config = &run->config;
    crawl_engine_hooks hooks = {
        .on_record = on_record,
        .on_edge = config->links ? on_edge : NULL,
        .on_exchange = config->warc || config->requests ? on_exchange : NULL,
        .on_tick = on_tick,
        .user = run,
        .capture = config->warc != NULL,
        .digests = config->output || config->bodies,
    };
    crawl_err err = crawl_engine_create(config, &hooks, &run->engine, error);
    return !err && config->state ? cw_resume_save(config->state, config, error) : err;
}

static void say_resumed(command *run)
{
    crawl_engine_stats stats;
    crawl_engine_stats_get(run->engine, &stats);
    run->resumed = stats.resumed;
    if (!run->resumed || run->config.verbosity < 0)
        return;
    cw_report_resumed(&stats, run->config.state, &run->line);
    fputs(run->line.data ? run->line.data : "", stderr);
}

static int start(command *run, int argc, char **argv, int first)
{
    crawl_error error = {0};
    const crawl_config *config = &run->config;
    bool has_seeds = first < argc || config->seeds;
    int status = check_paths(config);
    if (status)
        return status;
    if (!has_seeds && config->state && access(config->state, F_OK))
        return refuse_seeds(false); /* before the directory is made for nothing */
    crawl_err err = create_engine(run, &error);
    if (err) {
        fprintf(stderr, "crawl: %s\n", error.message);
        return err == CRAWL_EINVAL || err == CRAWL_EPARSE ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
    }
    say_resumed(run);
    status = read_seeds(run, argc, argv, first, &error);
    if (!status)
        status = open_outputs(run, &error);
    if (status)
        return status;
    run->progress = run->config.verbosity >= 0 && isatty(STDERR_FILENO);
    return crawl(run, &error);
}

static int print(crawl_err err)
{
    return err || fflush(stdout) ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

int cw_crawl_command(int argc, char **argv)
{
    command run = {.terminal = PTHREAD_MUTEX_INITIALIZER};
    crawl_error error = {0};
    int first = argc;
    int status;
    if (cw_configure(&run.config, argc, argv, &first, other_option, &run, &error))
        status = usage(&error);
    else if (run.show_help)
        cw_crawl_help(stdout), status = print(CRAWL_OK);
    else if (run.show_version)
        status = print(printf("crawl %s\n", crawl_version()) < 0 ? CRAWL_EIO : CRAWL_OK);
    else if (run.print_config)
        status = print(crawl_config_print(&run.config, stdout));
    else
        status = start(&run, argc, argv, first);
    for (sink_id id = 0; id < SINK_COUNT; id++)
        cw_record_sink_close(run.sinks[id], NULL);
    cw_bodies_close(run.bodies, NULL);
    crawl_engine_free(run.engine);
    crawl_config_free(&run.config);
    crawl_buf_free(&run.line);
    return status;
}

void cw_crawl_help(FILE *out)
{
    fputs(
        "usage: crawl [options] [URL...]\n"
        "       crawl help [WORD]\n"
        "\n"
        "Crawls the web from URLs or a file of seeds over the links it finds.\n"
        "\n"
        "  crawl --seeds seeds.txt --depth 3 --output pages.jsonl\n"
        "\n"
        "With --state DIR the crawl is kept in DIR, and `crawl --state DIR` goes on with it after any end, with the options\n"
        "it had; those given then go before. --max-pages, --max-time and --max-bytes are limits of one run. --order and [seen]\n"
        "are decided once. `crawl inspect DIR` shows what is there.\n"
        "\n"
        "  crawl --state news --output news.jsonl https://example.com/\n"
        "\n"
        "Options; each can stand in crawler.conf too, and overrides it:\n",
        out);
    crawl_config_help(out);
    fputs("\nOthers:\n"
          "  --config FILE      read this configuration in place of ./crawler.conf\n"
          "  --print-config     print the effective configuration, commented, and end\n"
          "  --version          print the version and end\n"
          "\n"
          "What holds for one host alone (headers, user and password, proxy, delay, ...) stands in sections [host NAME] of the\n"
          "configuration; --print-config lists their keys.\n"
          "\n"
          "Durations are written 250ms, 5s, 2m, 1h, 7d; counts 10k, 5M, 1G; sizes 64KiB, 1MiB.\n"
          "Exit status: 0 done, 1 nothing could be fetched, 2 usage or configuration, 3 stopped by a signal, 4 disk or memory.\n",
          out);
}
