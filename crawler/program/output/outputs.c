#include "crawler/program/output/outputs.h"

#include "crawler/program/summary/units.h"
#include "tools/common/messages/message.h"
#include "tools/common/say.h"
#include "tools/common/status.h"

#include "base/bytes.h"

crawl_err cw_outputs_engine(cw_outputs *outputs, const crawl_engine_hooks *hooks, crawl_engine **out,
                            crawl_error *error)
{
    crawl_err err = crawl_output_engine_create(outputs->library, hooks, out, error);
    if (!err)
        outputs->engine = *out;
    return err;
}

/* --- Opening. --- */

static crawl_err open_exec(cw_outputs *outputs, crawl_error *error)
{
    const cw_exec_options options = {.command = outputs->config->output,
                                     .state = outputs->config->state,
                                     .engine = outputs->engine,
                                     .notice = outputs->notice,
                                     .of = outputs->of,
                                     .silence_ms = CW_EXEC_SILENCE_MS,
                                     .pause_ms = CW_EXEC_PAUSE_MS};
    return cw_exec_output_open(&options, &outputs->exec, error);
}

/* Opens what the program writes. Returns the name of what cannot be opened; NULL: all are open. */
static const char *open_own(cw_outputs *outputs, bool resumed, crawl_error *error)
{
    const crawl_config *config = outputs->config;
    if (cw_outputs_is_remote(config) &&
        cw_remote_output_open(config, outputs->engine, outputs->notice, outputs->of, &outputs->remote, error))
        return "output";
    if (cw_outputs_is_exec(config) && open_exec(outputs, error))
        return "output";
    if (config->report && cw_site_report_open(config, resumed, &outputs->report, error))
        return "report";
    if (config->sitemap && cw_site_map_open(config, resumed, &outputs->site_map, error))
        return "write-sitemap";
    return NULL;
}

int cw_outputs_open(cw_outputs *outputs, bool resumed)
{
    crawl_error error = {0};
    crawl_err err = crawl_output_open(outputs->library, &error);
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

/* The report and the sitemaps take all pages, those too that are not kept. */
crawl_err cw_outputs_record(cw_outputs *outputs, const crawl_record *record)
{
    crawl_err err = outputs->report ? cw_site_report_record(outputs->report, record) : CRAWL_OK;
    if (!err && outputs->site_map)
        err = cw_site_map_record(outputs->site_map, record);
    return err;
}

crawl_err cw_outputs_edge(cw_outputs *outputs, const crawl_edge *edge)
{
    return outputs->report ? cw_site_report_edge(outputs->report, edge) : CRAWL_OK;
}

crawl_err cw_outputs_failed(cw_outputs *outputs)
{
    crawl_err err = outputs->remote ? cw_remote_output_failed(outputs->remote) : CRAWL_OK;
    return !err && outputs->exec ? cw_exec_output_failed(outputs->exec) : err;
}

/* --- Files that were moved away. --- */

static void say_moved(void *user, crawl_output_kind kind, const char *words)
{
    (void)user;
    cw_tool_say(NULL, "%s: %s; the file of before goes on", crawl_output_kind_name(kind), words);
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

/* Tells of an output that failed, by its name, which says more than the engine's words. True: there was one. */
static bool say_failure(const char *name, crawl_err err, const char *words)
{
    if (err)
        cw_tool_say(NULL, "%s: %s", name, words);
    return err != CRAWL_OK;
}

/* A path that a shell takes as it stands. */
static bool outputs_is_plain(crawl_slice path)
{
    for (size_t i = 0; i < path.size; i++)
        if (!cw_is_alnum((unsigned char)path.data[i]) && !memchr("/._-+,:@%", path.data[i], 9))
            return false;
    return true;
}

/* Appends it so that it can be pasted into a shell, to which "!" of a copy's names means something. */
static crawl_err quote(crawl_slice path, crawl_buf *out)
{
    if (outputs_is_plain(path))
        return crawl_buf_append(out, path.data, path.size);
    crawl_err err = crawl_buf_append_char(out, '\'');
    for (size_t i = 0; i < path.size && !err; i++)
        err = path.data[i] == '\'' ? crawl_buf_append_text(out, "'\\''") : crawl_buf_append_char(out, path.data[i]);
    return err ? err : crawl_buf_append_char(out, '\'');
}

/* "; open FILE", where there is one. Without memory less is said. */
static void put_first(const crawl_config *config, const crawl_mirror_figures *figures, crawl_buf *out)
{
    crawl_buf path = {0};
    if (!*figures->first)
        return;
    CW_PROGRAM_SAY(out, "; open ");
    CW_PROGRAM_SAY(&path, "%s/%s", config->mirror, figures->first);
    (void)quote(crawl_buf_slice(&path), out);
    crawl_buf_free(&path);
}

static void say_mirror(const crawl_config *config, const crawl_mirror_figures *figures)
{
    if (figures->as_they_came)
        cw_message_say(
            CW_MESSAGE_WARNING,
            "mirror: %llu page%s would have become too long with links into the copy; theirs are as they came",
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

/* Tells how an output ended. A pipe whose reader has left is no failure; main() tells of standard output. */
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
    (void)crawl_output_close(outputs->library, !run_err, say_end, &c, NULL); /* each failure is said */
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

void cw_outputs_drop(cw_outputs *outputs)
{
    crawl_output_free(outputs->library);
    cw_remote_output_close(outputs->remote, NULL);
    cw_exec_output_close(outputs->exec, NULL);
    cw_site_report_free(outputs->report);
    cw_site_map_free(outputs->site_map);
    *outputs = (cw_outputs){0};
}
