#include "crawler/program/output/outputs.h"

#include "base/error.h"
#include "base/process.h"
#include "crawler/program/summary/report.h"
#include "crawler/program/summary/units.h"
#include "tools/common/messages/message.h"
#include "tools/common/resume.h"
#include "tools/common/say.h"
#include "tools/common/signals.h"
#include "tools/common/status.h"

#include "base/bytes.h"

#include <errno.h>
#include <unistd.h>

crawl_err cw_outputs_engine(cw_outputs *outputs, const crawl_engine_hooks *hooks, crawl_engine **out,
                            crawl_error *error)
{
    crawl_err err = crawl_output_engine_create(outputs->library, hooks, out, error);
    if (!err)
        outputs->engine = *out;
    return err;
}

/* --- Opening. --- */

/* Appends a word to a command, quoted. */
static crawl_err outputs_put_word(const char *word, crawl_buf *command)
{
    crawl_err err = crawl_buf_append_text(command, " \"");
    for (; *word && !err; word++) {
        if (*word == '"' || *word == '\\')
            err = crawl_buf_append_char(command, '\\');
        if (!err)
            err = crawl_buf_append_char(command, *word);
    }
    return err ? err : crawl_buf_append_char(command, '"');
}

/* `crawl query` writes a database, so that the crawl needs no SQLite, and does not wait for it. */
static crawl_err put_database_command(const char *database, crawl_buf *command, crawl_error *error)
{
    crawl_buf path = {0};
    int why = cw_process_path("query", &path);
    crawl_err err = why ? crawl_error_set(error, CRAWL_EIO, "crawl-query: %s", strerror(why)) : CRAWL_OK;
    if (!err && (crawl_buf_append_text(command, "exec:") || outputs_put_word(path.data, command) ||
                 crawl_buf_append_text(command, " --sink") || outputs_put_word(database, command)))
        err = cw_error(error, CRAWL_ENOMEM);
    crawl_buf_free(&path);
    return err;
}

/* Removes a database that is to be replaced, and SQLite's files beside it. */
static crawl_err remove_database(const char *path, crawl_error *error)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    crawl_buf name = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !err; i++) {
        crawl_buf_clear(&name);
        err = crawl_buf_printf(&name, "%s%s", path, ends[i]) ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
        if (!err && unlink(name.data) && errno != ENOENT)
            err = crawl_error_set(error, CRAWL_EIO, "%s: %s", name.data, strerror(errno));
    }
    crawl_buf_free(&name);
    return err;
}

static crawl_err open_exec(cw_outputs *outputs, const char *command, int grace_ms, crawl_error *error)
{
    const cw_exec_options options = {.command = command,
                                     .state = outputs->config->state,
                                     .is_kept = outputs->config->state || outputs->config->shared,
                                     .engine = outputs->engine,
                                     .notice = outputs->notice,
                                     .of = outputs->of,
                                     .silence_ms = CW_EXEC_SILENCE_MS,
                                     .grace_ms = grace_ms,
                                     .at_once_ms = CW_EXEC_AT_ONCE_MS,
                                     .pause_ms = CW_EXEC_PAUSE_MS};
    return cw_exec_output_open(&options, &outputs->exec, error);
}

static crawl_err open_database(cw_outputs *outputs, crawl_error *error)
{
    enum { GRACE_MS = 3600 * 1000 }; /* indexes are built at the end */
    crawl_buf command = {0};
    const crawl_config *config = outputs->config;
    crawl_err err = config->existing == CRAWL_EXISTING_OVERWRITE ? remove_database(config->output, error) : CRAWL_OK;
    if (!err)
        err = put_database_command(config->output, &command, error);
    if (!err)
        err = open_exec(outputs, command.data, GRACE_MS, error);
    crawl_buf_free(&command);
    return err;
}

/* Opens the outputs of the program. Returns the name of the one that failed. NULL: all are open. */
static const char *open_own(cw_outputs *outputs, bool resumed, crawl_error *error)
{
    const crawl_config *config = outputs->config;
    if (cw_outputs_is_remote(config) &&
        cw_remote_output_open(config, outputs->engine, outputs->notice, outputs->of, &outputs->remote, error))
        return "output";
    if (cw_tool_is_database(config->output) ? open_database(outputs, error)
        : cw_outputs_is_exec(config)        ? open_exec(outputs, config->output, CW_EXEC_GRACE_MS, error)
                                            : CRAWL_OK)
        return "output";
    if (config->program.report && cw_site_report_open(config, resumed, &outputs->report, error))
        return "report";
    if (config->program.sitemap && cw_site_map_open(config, resumed, &outputs->site_map, error))
        return "write-sitemap";
    if (config->program.webhooks.count &&
        cw_webhooks_open(config, outputs->notice, outputs->of, &outputs->webhooks, error))
        return "webhook";
    return NULL;
}

int cw_outputs_open(cw_outputs *outputs, bool resumed)
{
    crawl_error error = {0};
    crawl_err err =
        outputs->config->program.upload ? cw_site_upload_open(outputs->config, &outputs->upload, &error) : CRAWL_OK;
    if (!err)
        err = crawl_output_open(outputs->library, &error);
    if (err) {
        cw_tool_say(NULL, "%s", error.message);
        return cw_tool_status(err);
    }
    const char *failed = open_own(outputs, resumed, &error);
    if (failed)
        cw_tool_say(NULL, "%s: %s", failed, error.message);
    return failed ? cw_tool_status(error.code) : CW_EXIT_OK;
}

/* --- Writing. --- */

/* The report and the sitemaps take all pages, including those that are not kept. */
crawl_err cw_outputs_record(cw_outputs *outputs, const crawl_record *record)
{
    crawl_err err = outputs->report ? cw_site_report_record(outputs->report, record) : CRAWL_OK;
    if (!err && outputs->site_map)
        err = cw_site_map_record(outputs->site_map, record);
    if (outputs->webhooks)
        cw_webhooks_record(outputs->webhooks, record);
    bool goes_alone = record->left_out && cw_tool_is_database(outputs->config->links);
    return !err && goes_alone ? cw_exec_output_write(outputs->exec, record, (crawl_slice){0}) : err;
}

/* Returns true for a link that only makes a database larger: most links of large sites occur earlier on their page, as
 * links to its parts do. A report counts all of them. */
static bool outputs_tells_nothing(const crawl_config *config, const crawl_edge *edge)
{
    return edge->verdict == CRAWL_EDGE_REPEATED && !edge->requisite && !config->check_fragments &&
           !config->program.report;
}

crawl_err cw_outputs_edge(cw_outputs *outputs, const crawl_edge *edge)
{
    const crawl_config *config = outputs->config;
    crawl_err err = outputs->report ? cw_site_report_edge(outputs->report, edge) : CRAWL_OK;
    if (err || !cw_tool_is_database(config->links) || outputs_tells_nothing(config, edge))
        return err;
    return cw_exec_output_edge(outputs->exec, edge);
}

crawl_err cw_outputs_exchange(cw_outputs *outputs, const crawl_exchange *exchange)
{
    return cw_exec_output_exchange(outputs->exec, exchange);
}

crawl_err cw_outputs_failed(cw_outputs *outputs)
{
    crawl_err err = outputs->remote ? cw_remote_output_failed(outputs->remote) : CRAWL_OK;
    return !err && outputs->exec ? cw_exec_output_failed(outputs->exec) : err;
}

/* --- Files that were moved. --- */

static void say_moved(void *, crawl_output_kind kind, const char *words)
{
    cw_tool_say(NULL, "%s: %s; the old file stays in use", crawl_output_kind_name(kind), words);
}

void cw_outputs_reopen(cw_outputs *outputs)
{
    crawl_output_reopen(outputs->library, say_moved, NULL);
}

/* --- Closing. --- */

void cw_outputs_settle(cw_outputs *outputs, bool stopped)
{
    enum { PATIENCE_MS = 30000, STOPPED_MS = 5000 };
    if (outputs->remote)
        cw_remote_output_settle(outputs->remote, stopped ? STOPPED_MS : PATIENCE_MS);
    if (outputs->exec)
        cw_exec_output_settle(outputs->exec, stopped ? STOPPED_MS : PATIENCE_MS);
}

/* Reports an output that failed, by its name, which says more than the engine's words. Returns true if it failed. */
static bool say_failure(const char *name, crawl_err err, const char *words)
{
    if (err)
        cw_tool_say(NULL, "%s: %s", name, words);
    return err != CRAWL_OK;
}

/* Appends "; open FILE" if there is one. When out of memory, less is said. */
static void put_first(const crawl_config *config, const crawl_mirror_figures *figures, crawl_buf *out)
{
    crawl_buf path = {0};
    if (!*figures->first)
        return;
    CW_PROGRAM_SAY(out, "; open ");
    CW_PROGRAM_SAY(&path, "%s/%s", config->mirror, figures->first);
    cw_program_quoted(crawl_buf_slice(&path), out);
    crawl_buf_free(&path);
}

static void say_mirror(const crawl_config *config, const crawl_mirror_figures *figures)
{
    if (figures->as_they_came)
        cw_message_say(CW_MESSAGE_WARNING,
                       "mirror: %llu page%s would be too long with links into the copy; their links stay as they were",
                       (unsigned long long)figures->as_they_came, cw_program_plural(figures->as_they_came));
    if (figures->left) {
        cw_message_say(CW_MESSAGE_INFO,
                       "mirror: stopped: %llu file%s new or changed, links of %llu rewritten; %llu pages and style "
                       "sheets are left to the next crawl into %s",
                       (unsigned long long)figures->written, cw_program_plural(figures->written),
                       (unsigned long long)figures->rewritten, (unsigned long long)figures->left, config->mirror);
        return;
    }
    crawl_buf first = {0};
    put_first(config, figures, &first);
    cw_message_say(CW_MESSAGE_INFO, "mirror: %llu file%s new or changed, links of %llu rewritten, %llu removed%s",
                   (unsigned long long)figures->written, cw_program_plural(figures->written),
                   (unsigned long long)figures->rewritten, (unsigned long long)figures->removed,
                   first.size ? first.data : "");
    crawl_buf_free(&first);
}

typedef struct said_ends {
    const crawl_config *config;
    bool abandoned;
    bool failed;
    bool stopped; /* before all was done */
} said_ends;

/* Reports how an output ended. A pipe whose reader has left is no failure. main() reports a failed standard output. */
static void say_end(void *user, crawl_output_kind kind, const crawl_output_ending *ending)
{
    said_ends *c = user;
    const char *name = crawl_output_kind_name(kind);
    if (ending->is_abandoned)
        cw_message_say(CW_MESSAGE_INFO, "%s: its reader went away", name);
    if (ending->mirror)
        say_mirror(c->config, ending->mirror);
    c->stopped = c->stopped || (ending->mirror && ending->mirror->left);
    c->abandoned = c->abandoned || ending->is_abandoned;
    if (ending->err && (ending->is_standard || say_failure(name, ending->err, ending->words)))
        c->failed = true;
}

static bool close_remote(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_err err = cw_remote_output_close(outputs->remote, &error);
    if (!err)
        err = cw_exec_output_close(outputs->exec, &error);
    outputs->remote = NULL;
    outputs->exec = NULL;
    return say_failure("output", err, error.message);
}

static bool close_report(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_err err = outputs->report ? cw_site_report_close(outputs->report, &error) : CRAWL_OK;
    return say_failure("report", err, error.message);
}

static bool close_site_map(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_err err = outputs->site_map ? cw_site_map_close(outputs->site_map, &error) : CRAWL_OK;
    return say_failure("write-sitemap", err, error.message);
}

int cw_outputs_close(cw_outputs *outputs, crawl_err run_err, const crawl_error *error, int status)
{
    said_ends c = {.config = outputs->config};
    (void)crawl_output_close(outputs->library, !run_err, say_end, &c, NULL); /* each failure is reported */
    bool failed = close_remote(outputs) || c.failed;
    failed = close_report(outputs) || failed;
    failed = close_site_map(outputs) || failed;
    if (run_err && !failed)
        cw_tool_say(NULL, "%s", error->message);
    if (run_err || failed)
        return CW_EXIT_LOCAL;
    status = c.abandoned ? CW_EXIT_OK : status;
    return c.stopped && status == CW_EXIT_OK ? CW_EXIT_STOPPED : status;
}

void cw_outputs_let_go(cw_outputs *outputs)
{
    (void)crawl_output_close(outputs->library, false, NULL, NULL, NULL);
    cw_remote_output_close(outputs->remote, NULL);
    cw_exec_output_close(outputs->exec, NULL);
    outputs->remote = NULL;
    outputs->exec = NULL;
}

void cw_outputs_drop(cw_outputs *outputs)
{
    crawl_output_free(outputs->library);
    cw_site_report_free(outputs->report);
    cw_site_map_free(outputs->site_map);
    cw_site_upload_free(outputs->upload);
    cw_webhooks_free(outputs->webhooks);
    *outputs = (cw_outputs){0};
}

/* --- Outputs made at the end. --- */

/* Prints a line about an output, and empties it. */
static void at_end_say(crawl_buf *line)
{
    cw_message_lines(CW_MESSAGE_INFO, line->size ? line->data : NULL);
    crawl_buf_clear(line);
}

static int at_end_make_wacz(const cw_outputs *outputs, const crawl_engine_stats *, crawl_buf *line)
{
    return outputs->config->program.wacz ? cw_site_wacz_make(outputs->config, line) : CW_EXIT_OK;
}

static int at_end_make_site_map(const cw_outputs *outputs, const crawl_engine_stats *, crawl_buf *line)
{
    return outputs->site_map ? cw_site_map_make(outputs->site_map, line) : CW_EXIT_OK;
}

static int at_end_make_report(const cw_outputs *outputs, const crawl_engine_stats *stats, crawl_buf *line)
{
    const char *ended_by = stats->end == CRAWL_END_DRAINED ? "" : cw_report_end(stats->end);
    return outputs->report ? cw_site_report_make(outputs->report, ended_by, line) : CW_EXIT_OK;
}

int cw_outputs_at_end(cw_outputs *outputs, const crawl_engine_stats *stats, int status)
{
    static int (*const makers[])(const cw_outputs *, const crawl_engine_stats *,
                                 crawl_buf *) = {at_end_make_wacz, at_end_make_site_map, at_end_make_report};
    crawl_buf line = {0};
    for (size_t i = 0; i < sizeof makers / sizeof *makers && status != CW_EXIT_LOCAL; i++) {
        int failed = makers[i](outputs, stats, &line);
        at_end_say(&line);
        status = failed ? failed : status;
    }
    int failed = outputs->upload ? cw_site_upload_finish(outputs->upload, &line) : CW_EXIT_OK;
    at_end_say(&line);
    status = failed ? failed : status;
    if (outputs->webhooks)
        cw_webhooks_finish(outputs->webhooks, stats, status, cw_tool_signals_event(), &line);
    at_end_say(&line);
    crawl_buf_free(&line);
    return status;
}
