/* See crawl_command.h. The order: configuration, signals, seeds, the engine with its outputs and the progress line, and
 * the summary. */
#include "crawler/program/crawl_command.h"

#include "config/config_values.h"
#include "crawler/program/help.h"
#include "crawler/program/live/live.h"
#include "crawler/program/output/outputs.h"
#include "crawler/program/program_config.h"
#include "crawler/program/redis/remote_seeds.h"
#include "crawler/program/reload.h"
#include "crawler/program/seeds.h"
#include "crawler/program/stop_file.h"
#include "crawler/program/summary/copying.h"
#include "crawler/program/summary/progress.h"
#include "crawler/program/summary/report.h"
#include "crawler/program/summary/units.h"
#include "crawler/program/terminal/modes.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"
#include "tools/common/resume.h"
#include "tools/common/say.h"
#include "tools/common/signals.h"
#include "tools/common/status.h"

#include <crawl/sys/redis.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct command {
    crawl_config config;
    cw_program_arguments arguments;
    bool print_config;
    bool show_help;
    bool show_version;
    cw_tool_signals *signals;
    crawl_engine *engine;
    cw_live *live; /* NULL: not wanted */
    bool resumed;
    cw_program_bare_seeds *bare;
    cw_remote_seeds *remote_seeds; /* NULL: no seeds in Redis */
    cw_outputs outputs;
    cw_program_progress progress;
    cw_program_copying copying;
    bool was_stopped; /* a signal came before the outputs were closed */
    atomic_uint_fast64_t failed_seeds;
    crawl_buf line;
} command;

/* Prints the summary so far, even with --quiet, because a signal asked for it. */
static void say_summary(command *run, crawl_engine *engine)
{
    crawl_buf text = {0};
    crawl_engine_stats stats;
    crawl_engine_stats_get(engine, &stats);
    cw_report_summary(&stats, &run->config, &text);
    cw_message_lines(CW_MESSAGE_ASKED, text.data);
    crawl_buf_free(&text);
}

static int other_option(void *user, const char *name, const char *)
{
    command *run = user;
    bool *flag = strcmp(name, "print-config") == 0                        ? &run->print_config
                 : strcmp(name, "help") == 0 || strcmp(name, "h") == 0    ? &run->show_help
                 : strcmp(name, "version") == 0 || strcmp(name, "V") == 0 ? &run->show_version
                                                                          : NULL;
    if (flag)
        *flag = true;
    return flag != NULL;
}

static void reload(command *run)
{
    cw_program_reload_all(&(cw_program_reload){.config = &run->config,
                                               .engine = run->engine,
                                               .outputs = &run->outputs,
                                               .progress = &run->progress,
                                               .arguments = &run->arguments});
}

static crawl_err crawl_command_on_tick(void *user, crawl_engine *engine)
{
    command *run = user;
    cw_program_progress_tick(&run->progress, engine);
    if (cw_tool_signals_want_summary())
        say_summary(run, engine);
    if (cw_tool_signals_want_reopen())
        reload(run);
    crawl_err err = run->remote_seeds ? cw_remote_seeds_failed(run->remote_seeds) : CRAWL_OK;
    return err ? err : cw_outputs_failed(&run->outputs);
}

/* Called while an offline copy is finished. Returns true if that goes on: the first signal ends it, but not the one
 * that has already ended the crawl. */
static bool on_mirror(void *user, uint64_t finished, uint64_t all)
{
    command *run = user;
    cw_program_copying_tell(&run->copying, &run->config, finished, all);
    if (cw_tool_signals_want_summary())
        say_summary(run, run->engine);
    return run->was_stopped || !cw_program_stop_told(cw_tool_signals_event());
}

/* Reports a failed seed as a warning, because the user named it, and also a failed target of its redirects. Other
 * failures are many, as are those of a long list of seeds: only --verbose shows them. */
static void crawl_command_say_record(command *run, const crawl_record *record)
{
    enum { FAILED_SEEDS_NAMED = 100 };
    bool seed_failed = (record->error || record->status >= 400) && record->depth == 0 && !record->requisite;
    uint_fast64_t before = seed_failed ? atomic_fetch_add(&run->failed_seeds, 1) : 0;
    bool is_named = seed_failed && before < FAILED_SEEDS_NAMED;
    if (before == FAILED_SEEDS_NAMED)
        cw_message_say(CW_MESSAGE_WARNING,
                       "more than %d seeds failed: see the others in the records, or with "
                       "--verbose",
                       FAILED_SEEDS_NAMED);
    cw_message_level level = is_named ? CW_MESSAGE_WARNING : CW_MESSAGE_DEBUG;
    if (!cw_message_wants(level))
        return;
    crawl_buf text = {0};
    cw_report_record(record, &text);
    cw_message_lines(level, text.data);
    crawl_buf_free(&text);
}

static crawl_err crawl_command_on_record(void *user, const crawl_record *record)
{
    command *run = user;
    crawl_command_say_record(run, record);
    cw_terminal_note(run->progress.terminal, record);
    cw_live_record(run->live, record);
    cw_program_bare_seeds_record(run->bare, run->engine, record);
    return cw_outputs_record(&run->outputs, record);
}

static crawl_err crawl_command_on_edge(void *user, crawl_engine *, const crawl_edge *edge)
{
    command *run = user;
    return cw_outputs_edge(&run->outputs, edge);
}

static crawl_err crawl_command_on_exchange(void *user, crawl_engine *, const crawl_exchange *exchange)
{
    command *run = user;
    return cw_outputs_exchange(&run->outputs, exchange);
}

static void notice(void *, const char *words)
{
    cw_message_say(CW_MESSAGE_WARNING, "%s", words);
}

static void crawl_command_on_notice(void *user, crawl_engine *, const char *words)
{
    notice(user, words);
}

static int usage(const crawl_error *error)
{
    cw_tool_say(NULL, "%s", error->message);
    bool is_damage = error->code == CRAWL_ECORRUPT;
    if (!error->line && !is_damage)
        cw_message_lines(CW_MESSAGE_ERROR, "Try 'crawl --help'.\n");
    return is_damage ? CW_EXIT_LOCAL : CW_EXIT_USAGE;
}

/* Prints and empties run->line, which a cw_report function has filled. */
static void crawl_command_say_line(command *run)
{
    cw_message_lines(CW_MESSAGE_INFO, run->line.size ? run->line.data : NULL);
    crawl_buf_clear(&run->line);
}

static void crawl_command_print_summary(command *run, const crawl_engine_stats *stats)
{
    cw_report_summary(stats, &run->config, &run->line);
    (void)crawl_output_summary(run->outputs.library, &run->line);
    crawl_command_say_line(run);
}

static int crawl_command_status_of(crawl_err err, const crawl_engine_stats *stats)
{
    if (err)
        return CW_EXIT_LOCAL;
    if (stats->end == CRAWL_END_STOPPED)
        return CW_EXIT_STOPPED;
    bool asked = stats->pages + stats->errors > stats->error_classes[CRAWL_CLASS_LIMIT];
    bool is_left = cw_report_unfinished(stats, &stats->frontier) > stats->frontier.revisits;
    if (!asked && (stats->is_shared || (stats->resumed && !is_left)))
        return CW_EXIT_OK; /* other workers did it, or nothing was left to do */
    return cw_report_fetched(stats) ? CW_EXIT_OK : CW_EXIT_NOTHING;
}

/* Returns the directory or Redis URL that keeps the crawl; "": it is not kept. */
static const char *crawl_command_place_of(const crawl_config *config)
{
    return config->state ? config->state : config->shared ? config->shared : "";
}

/* Closes the engine. Does not repeat a failure that ended the crawl. Returns status if closing succeeds, otherwise an
 * exit status. */
static int close_engine(command *run, const crawl_engine_stats *stats, int status)
{
    crawl_error error = {0};
    cw_tool_signals_stop_engine(run->signals, NULL);
    crawl_err err = crawl_engine_close(run->engine, &error);
    run->engine = NULL;
    const char *place = crawl_command_place_of(&run->config);
    if (err && stats->end != CRAWL_END_FAILED)
        cw_tool_say(NULL, "%s%s%s", place, *place ? ": " : "", error.message);
    return err ? CW_EXIT_LOCAL : status;
}

static void say_left(command *run, const crawl_engine_stats *stats)
{
    const char *place = crawl_command_place_of(&run->config);
    if (!*place)
        return;
    cw_report_left(stats, run->config.revisit, place, &run->line);
    crawl_command_say_line(run);
}

/* Call before the engine is closed, because the live page reads the engine's figures. */
static void close_live(command *run)
{
    cw_live_close(run->live);
    run->live = NULL;
}

/* Call before the engine is closed, because the engine takes these seeds. Returns true if reading them failed; the user
 * was told. */
static bool close_seeds(command *run)
{
    crawl_error error = {0};
    crawl_err err = cw_remote_seeds_close(run->remote_seeds, &error);
    run->remote_seeds = NULL;
    if (err)
        cw_tool_say(NULL, "seeds: %s", error.message);
    return err != CRAWL_OK;
}

static bool has_remote_seeds(const crawl_config *config)
{
    return config->program.seeds && crawl_redis_is_url(config->program.seeds);
}

/* Refuses inconsistent options about seeds in Redis, and a missing file before a crawl is made. Returns the exit
 * status. */
static int check_seeds(const crawl_config *config)
{
    crawl_error error = {0};
    bool is_remote = has_remote_seeds(config);
    const char *file = is_remote ? NULL : config->program.seeds;
    if (config->program.wait && !is_remote)
        crawl_error_set(&error, CRAWL_EINVAL, "--wait is for seeds in Redis: --seeds redis://HOST/DB?list=KEY");
    else if (is_remote)
        (void)cw_remote_seeds_check(config->program.seeds, &error);
    else if (file && strcmp(file, "-") != 0 && access(file, R_OK))
        crawl_error_set(&error, CRAWL_EINVAL, "%s: %s", file, strerror(errno));
    if (error.code)
        cw_tool_say(NULL, "seeds: %s", error.message);
    return error.code ? CW_EXIT_USAGE : CW_EXIT_OK;
}

/* Starts to take seeds from Redis, if any are configured. Returns the exit status. */
static int open_seeds(command *run, crawl_error *error)
{
    if (!has_remote_seeds(&run->config))
        return CW_EXIT_OK;
    crawl_err err = cw_remote_seeds_open(&run->config, run->engine, notice, run, &run->remote_seeds, error);
    if (err)
        cw_tool_say(NULL, "seeds: %s", error->message);
    return err == CRAWL_EINVAL ? CW_EXIT_USAGE : err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

static int command_crawl(command *run, crawl_error *error)
{
    crawl_err err = crawl_engine_run(run->engine, error);
    close_live(run);
    crawl_engine_stats stats;
    crawl_engine_stats_get(run->engine, &stats);
    cw_program_progress_close(&run->progress);
    run->was_stopped = stats.end == CRAWL_END_STOPPED && cw_program_stop_told(cw_tool_signals_event());
    bool seeds_failed = close_seeds(run);
    cw_outputs_settle(&run->outputs, stats.end == CRAWL_END_STOPPED);
    crawl_engine_stats_get(run->engine, &stats); /* requests whose records were kept meanwhile are done */
    int status = cw_outputs_close(&run->outputs, err, error, crawl_command_status_of(err, &stats));
    cw_program_copying_end(&run->copying);
    status = seeds_failed ? CW_EXIT_LOCAL : status;
    crawl_command_print_summary(run, &stats);
    status = close_engine(run, &stats, status);
    say_left(run, &stats);
    return cw_outputs_at_end(&run->outputs, &stats, status);
}

/* Keeps the options with the crawl. Without them it would go on as another crawl, and write no records. */
static crawl_err keep_options(command *run, bool kept, crawl_error *error)
{
    const char *state = run->config.state;
    crawl_engine_stats stats;
    crawl_engine_stats_get(run->engine, &stats);
    if (stats.resumed && !kept)
        return crawl_error_set(
            error, CRAWL_ECORRUPT,
            "%s: damaged: its crawler.conf, the options of the crawl, is missing; create an empty one to resume "
            "with the options given now",
            state);
    return cw_tool_resume_save(state, &run->config, error);
}

static crawl_err create_engine(command *run, crawl_error *error)
{
    const crawl_config *config = &run->config;
    crawl_engine_hooks hooks = {
        .size = sizeof hooks,
        .on_record = crawl_command_on_record,
        .on_edge = cw_outputs_wants_edges(config) ? crawl_command_on_edge : NULL,
        .on_exchange = cw_outputs_wants_exchanges(config) ? crawl_command_on_exchange : NULL,
        .on_tick = crawl_command_on_tick,
        .on_notice = crawl_command_on_notice,
        .user = run,
        .contents = config->program.report,
        .digests = (config->program.report || config->program.webhooks.count) && config->digest == CRAWL_DIGEST_SHA1,
    };
    bool kept = config->state && cw_tool_resume_is_kept(config->state);
    crawl_err err = cw_outputs_engine(&run->outputs, &hooks, &run->engine, error);
    run->outputs.notice = notice;
    run->outputs.on_mirror = on_mirror;
    run->outputs.of = run;
    return !err && config->state ? keep_options(run, kept, error) : err;
}

static void say_resumed(command *run)
{
    crawl_engine_stats stats;
    crawl_engine_stats_get(run->engine, &stats);
    run->resumed = stats.resumed;
    if (!run->resumed)
        return;
    cw_report_resumed(&stats, crawl_command_place_of(&run->config), &run->line);
    crawl_command_say_line(run);
}

/* Opens the port before anything is created or requested, so that a port in use costs nothing. Returns the exit
 * status. */
static int open_live(command *run, crawl_error *error)
{
    if (!run->config.program.listen)
        return CW_EXIT_OK;
    if (cw_live_open(&run->config, run->config.program.verbosity >= 0, &run->live, error)) {
        cw_tool_say(NULL, "--listen %s: %s", run->config.program.listen, error->message);
        return cw_tool_status(error->code);
    }
    cw_live_say_where(run->live);
    return CW_EXIT_OK;
}

static int start_live(command *run, int seed_count, char **seeds, crawl_error *error)
{
    if (!run->live || cw_live_start(run->live, run->engine, seed_count, seeds, error) == CRAWL_OK)
        return CW_EXIT_OK;
    cw_tool_say(NULL, "--listen: %s", error->message);
    return CW_EXIT_LOCAL;
}

/* Opens everything that a run needs before it reads a seed. Signals come first, so that none is lost. Returns the exit
 * status. */
static int assemble(command *run)
{
    crawl_error error = {0};
    if (!cw_tool_process_prepare())
        return CW_EXIT_LOCAL;
    crawl_err err = cw_tool_signals_open(cw_terminal_give_back, &run->signals, &error);
    if (!err && cw_message_has_log())
        cw_tool_signals_reopen_on_hangup();
    int status = err ? CW_EXIT_OK : open_live(run, &error);
    if (status)
        return status;
    cw_tool_signals_end_at_once(run->config.shared); /* the server may have to be waited for */
    if (!err)
        err = create_engine(run, &error);
    cw_tool_signals_end_at_once(false);
    if (!err) {
        cw_tool_signals_stop_engine(run->signals, run->engine);
        return CW_EXIT_OK;
    }
    cw_tool_say(NULL, "%s", error.message);
    return err == CRAWL_EPARSE ? CW_EXIT_USAGE : cw_tool_status(err);
}

/* Ends a run that a signal stopped while it read seeds. It opens no output, so that the outputs of earlier runs
 * stay. */
static int end_before_it_began(command *run)
{
    crawl_engine_stats stats;
    crawl_engine_stop(run->engine);
    close_live(run);
    crawl_engine_stats_get(run->engine, &stats);
    cw_program_quoted(crawl_slice_from(crawl_command_place_of(&run->config)), &run->line);
    if (run->line.size)
        cw_message_say(CW_MESSAGE_INFO, "stopped; to resume, give its seeds again: crawl --state %s", run->line.data);
    return close_engine(run, &stats, CW_EXIT_STOPPED);
}

/* Opens the log, and writes the program's version as its first line. Returns the exit status. */
static int open_messages(const crawl_config *config)
{
    crawl_error error = {0};
    crawl_err err = cw_message_open(config, &error);
    char begins[80];
    snprintf(begins, sizeof begins, "crawl %s begins, process %ld\n", crawl_version(), (long)getpid());
    if (err)
        cw_tool_say(NULL, "log: %s", error.message);
    else
        cw_message_put(&(cw_message){.level = CW_MESSAGE_INFO, .text = crawl_slice_from(begins), .is_logged = true});
    return err == CRAWL_EINVAL ? CW_EXIT_USAGE : err ? CW_EXIT_LOCAL : CW_EXIT_OK;
}

static int crawl_command_start(command *run)
{
    crawl_error error = {0};
    const crawl_config *config = &run->config;
    int argc = run->arguments.argc - run->arguments.first;
    char **argv = run->arguments.argv + run->arguments.first;
    cw_tool_memory_begin_crawl();
    if (config->state)
        cw_tool_memory_begin_disk();
    run->bare = cw_program_bare_seeds_create();
    int status = cw_outputs_create(&run->outputs, config);
    status = status ? status : check_seeds(config);
    status = status ? status : open_messages(config);
    if (status)
        return status;
    bool is_new = config->state ? access(config->state, F_OK) != 0 : run->arguments.is_new;
    if (!argc && !config->program.seeds && is_new)
        return cw_program_seeds_refuse(config, false); /* before a crawl is made for nothing */
    status = assemble(run);
    if (status)
        return status;
    say_resumed(run);
    status = start_live(run, argc, argv, &error);
    if (!status)
        status = cw_program_seeds_take_all(run->engine, config, run->resumed, argc, argv, run->bare);
    if (status == CW_EXIT_STOPPED)
        return end_before_it_began(run);
    status = status ? status : cw_outputs_open(&run->outputs, run->resumed);
    status = status ? status : open_seeds(run, &error);
    if (status)
        return status;
    cw_program_progress_open(&run->progress, config, run->engine);
    return command_crawl(run, &error);
}

/* Prints what the options ask for in place of a crawl. main() reports a failed standard output. Returns the exit
 * status. */
static int crawl_command_print(command *run)
{
    if (run->show_help)
        cw_program_help_short(stdout);
    else if (run->show_version)
        return cw_program_version_print(stdout) ? CW_EXIT_LOCAL : CW_EXIT_OK;
    else if (crawl_config_print(&run->config, stdout) == CRAWL_ENOMEM)
        cw_tool_memory_refused();
    return CW_EXIT_OK;
}

int cw_program_crawl(int argc, char **argv)
{
    command run = {.progress = {.form = CRAWL_PROGRESS_NONE}};
    crawl_error error = {0};
    int status;
    run.arguments = (cw_program_arguments){argc, argv, .other = other_option, .user = &run, .joins = true};
    if (cw_program_configure(&run.config, &run.arguments, &error))
        status = usage(&error);
    else if (run.show_help || run.show_version || run.print_config)
        status = crawl_command_print(&run);
    else
        status = crawl_command_start(&run);
    cw_remote_seeds_close(run.remote_seeds, NULL);
    cw_outputs_let_go(&run.outputs);
    close_live(&run);
    cw_tool_signals_close(run.signals);
    crawl_engine_free(run.engine);
    cw_outputs_drop(&run.outputs);
    cw_program_bare_seeds_free(run.bare);
    cw_program_decided_free(run.arguments.decided);
    cw_config_clear(&run.config);
    crawl_buf_free(&run.line);
    cw_message_close();
    return status;
}
