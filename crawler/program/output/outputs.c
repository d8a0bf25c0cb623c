/* See outputs.h. */
#include "crawler/program/output/outputs.h"

#include "crawler/program/messages/message.h"
#include "crawler/output/csv.h"
#include "crawler/program/tools/say.h"
#include "crawler/program/tools/tools.h"

#include <crawl/redis.h>
#include <stdio.h>
#include <string.h>

/* --- Opening. --- */

/* The columns of the file, if its name asks for CSV; NULL: it is JSON Lines. */
static const char *const *columns_of(const crawl_config *config, cw_outputs_sink_id id)
{
    const char *const *const columns[CW_SINK_COUNT] = {
        [CW_SINK_OUTPUT] = cw_output_csv_records,
        [CW_SINK_LINKS] = cw_output_csv_edges,
    };
    const char *path = cw_outputs_path_of(config, id);
    return path && cw_output_is_csv(path) ? columns[id] : NULL;
}

static crawl_err open_requests(cw_outputs *outputs, const crawl_config *config, bool appends, crawl_error *error)
{
    crawl_engine_stats stats;
    if (!config->requests)
        return CRAWL_OK;
    crawl_engine_stats_get(outputs->engine, &stats);
    return cw_output_request_log_open(outputs->sinks[CW_SINK_REQUESTS], config->requests, appends, &stats,
                                      &outputs->requests, error);
}

static crawl_err open_warc(cw_outputs *outputs, const crawl_config *config, crawl_error *error)
{
    if (!config->warc)
        return CRAWL_OK;
    cw_warc_options options = {
        .prefix = config->warc,
        .max_file_bytes = config->warc_size,
        .user_agent = config->user_agent,
        .robots = config->robots,
        .text = config->text == CRAWL_RECORD_TEXT_NONE ? NULL : crawl_config_choice("text", (size_t)config->text),
        .is_markdown = config->text == CRAWL_RECORD_TEXT_MARKDOWN || config->text == CRAWL_RECORD_TEXT_ALL_MARKDOWN,
        .engine = outputs->engine,
    };
    return cw_warc_open(&options, &outputs->warc, error);
}

/* Of a crawl that outlives its process a line leaves before its request is finished there, so that it comes again if
 * need be, and none is lost. The edges of a page leave together, before its record. */
static unsigned flags_of(cw_outputs_sink_id id, bool outlives, bool appends)
{
    return (appends ? CW_SINK_APPENDS : 0) | (outlives && id != CW_SINK_LINKS ? CW_SINK_AT_ONCE : 0);
}

/* The name of what cannot be opened; NULL: all are open. */
static const char *open_all(cw_outputs *outputs, const crawl_config *config, bool resumed, crawl_error *error)
{
    bool appends = config->existing == CRAWL_EXISTING_APPEND || (config->existing == CRAWL_EXISTING_REFUSE && resumed);
    outputs->outlives = config->state || config->shared;
    for (cw_outputs_sink_id id = 0; id < CW_SINK_COUNT; id++) {
        const char *path = cw_outputs_path_of(config, id);
        unsigned flags = flags_of(id, outputs->outlives, appends);
        outputs->columns[id] = columns_of(config, id);
        if (path && !crawl_redis_is_url(path) &&
            cw_output_sink_open(path, flags, outputs->columns[id], &outputs->sinks[id], error))
            return cw_outputs_name_of(id);
    }
    if (cw_outputs_is_remote(config) &&
        cw_remote_output_open(config, outputs->engine, outputs->notice, outputs->of, &outputs->remote, error))
        return cw_outputs_name_of(CW_SINK_OUTPUT);
    if (open_requests(outputs, config, appends, error))
        return cw_outputs_name_of(CW_SINK_REQUESTS);
    if (cw_output_fields_create(config, outputs->sinks[CW_SINK_FIELDS], &outputs->fields, error))
        return cw_outputs_name_of(CW_SINK_FIELDS);
    if (config->bodies && cw_output_bodies_open(config->bodies, &outputs->bodies, error))
        return "bodies";
    if (config->mirror && cw_mirror_open(config, &outputs->mirror, error))
        return "mirror";
    if (config->report && cw_site_report_open(config, resumed, &outputs->report, error))
        return "report";
    if (config->sitemap && cw_site_map_open(config, resumed, &outputs->site_map, error))
        return "write-sitemap";
    return open_warc(outputs, config, error) ? "warc" : NULL;
}

int cw_outputs_open(cw_outputs *outputs, const crawl_config *config, bool resumed)
{
    crawl_error error = {0};
    const char *failed = open_all(outputs, config, resumed, &error);
    if (failed)
        cw_tool_say(NULL, "%s: %s", failed, error.message);
    if (!failed)
        return CW_EXIT_OK;
    return error.code == CRAWL_EINVAL ? CW_EXIT_USAGE : CW_EXIT_LOCAL;
}

/* --- Writing. --- */

/* A reader that went away has all it wanted. */
static crawl_err after(cw_outputs *outputs, cw_outputs_sink_id id, crawl_err err)
{
    if (err != CRAWL_EIO || !cw_output_sink_abandoned(outputs->sinks[id]))
        return err;
    crawl_engine_stop(outputs->engine);
    return CRAWL_OK;
}

static bool has_body(const crawl_record *record)
{
    return record->status >= 200 && record->status < 300 && !record->error && record->body.size && record->has_digest;
}

/* A row of what the line of JSON says. */
static void put_row(cw_writer *row, cw_writer *line, const char *const *columns)
{
    if (line->err && !row->err)
        row->err = line->err;
    cw_output_put_csv(row, crawl_buf_slice(line->out), columns);
    crawl_buf_free(line->out);
}

static crawl_err send_record(cw_outputs *outputs, const crawl_record *record, const char *body)
{
    crawl_buf text = {0};
    cw_writer line = {.out = &text};
    cw_output_put_record(&line, record, body);
    crawl_err err = line.err;
    if (!err)
        err = cw_remote_output_write(outputs->remote, record->receipt, crawl_buf_slice(&text));
    crawl_buf_free(&text);
    return err;
}

/* What a page says has no columns, and is not put into the line that a row is made of: it may be large, and have
 * numbers that no reader of JSON takes. */
static crawl_err write_row(cw_output_sink *sink, const crawl_record *record, const char *body,
                           const char *const *columns)
{
    crawl_record lean = *record;
    crawl_buf text = {0};
    cw_writer line = {.out = &text};
    lean.fields = lean.missing = lean.data = lean.text = (crawl_slice){0};
    lean.has_ids = false;
    cw_output_put_record(&line, &lean, body);
    put_row(cw_output_sink_begin(sink), &line, columns);
    return cw_output_sink_end(sink);
}

static crawl_err write_record(cw_outputs *outputs, const crawl_record *record, const char *body)
{
    cw_output_sink *sink = outputs->sinks[CW_SINK_OUTPUT];
    const char *const *columns = outputs->columns[CW_SINK_OUTPUT];
    if (columns)
        return write_row(sink, record, body, columns);
    cw_output_put_record(cw_output_sink_begin(sink), record, body);
    return cw_output_sink_end(sink);
}

static crawl_err flush(cw_outputs *outputs, cw_outputs_sink_id id)
{
    cw_output_sink *sink = outputs->sinks[id];
    return sink ? after(outputs, id, cw_output_sink_flush(sink)) : CRAWL_OK;
}

static crawl_err write_kept(cw_outputs *outputs, const crawl_record *record)
{
    char name[CW_OUTPUT_BODY_NAME_SIZE];
    cw_output_sink *sink = outputs->sinks[CW_SINK_OUTPUT];
    bool has_file = outputs->bodies && has_body(record);
    crawl_err err = CRAWL_OK;
    if (has_file)
        err = cw_output_bodies_write(outputs->bodies, &record->digest, record->body, name);
    if (!err && outputs->mirror && !record->external)
        err = cw_mirror_record(outputs->mirror, record);
    if (!err && outputs->warc)
        err = cw_warc_write_text(outputs->warc, record);
    if (!err && sink)
        err = after(outputs, CW_SINK_OUTPUT, write_record(outputs, record, has_file ? name : NULL));
    if (!err)
        err = after(outputs, CW_SINK_FIELDS, cw_output_fields_write(outputs->fields, record));
    if (!err && outputs->remote)
        err = send_record(outputs, record, has_file ? name : NULL);
    return err;
}

/* The links of a page that is not kept are written all the same, and its page is done: there is no record to wait for.
 * Report and sitemaps are about all pages. */
crawl_err cw_outputs_record(cw_outputs *outputs, const crawl_record *record)
{
    crawl_err err = outputs->outlives ? flush(outputs, CW_SINK_LINKS) : CRAWL_OK;
    if (!err && outputs->report)
        err = cw_site_report_record(outputs->report, record);
    if (!err && outputs->site_map)
        err = cw_site_map_record(outputs->site_map, record);
    return err || record->left_out ? err : write_kept(outputs, record);
}

crawl_err cw_outputs_edge(cw_outputs *outputs, const crawl_edge *edge)
{
    cw_output_sink *sink = outputs->sinks[CW_SINK_LINKS];
    crawl_err err = outputs->report ? cw_site_report_edge(outputs->report, edge) : CRAWL_OK;
    if (err || !sink)
        return err;
    const char *const *columns = outputs->columns[CW_SINK_LINKS];
    crawl_buf text = {0};
    cw_writer line = {.out = &text};
    cw_writer *out = cw_output_sink_begin(sink);
    cw_output_put_edge(columns ? &line : out, edge);
    if (columns)
        put_row(out, &line, columns);
    return after(outputs, CW_SINK_LINKS, cw_output_sink_end(sink));
}

crawl_err cw_outputs_exchange(cw_outputs *outputs, const crawl_exchange *exchange)
{
    bool whole = exchange->response->error != CRAWL_FETCH_CANCELLED; /* otherwise it comes again */
    crawl_err err = outputs->warc && whole && !exchange->left_out ? cw_warc_write(outputs->warc, exchange) : CRAWL_OK;
    if (!err && outputs->requests)
        err = after(outputs, CW_SINK_REQUESTS, cw_output_request_log_end(outputs->requests, exchange));
    return err;
}

crawl_err cw_outputs_depart(cw_outputs *outputs, const crawl_exchange *exchange)
{
    return after(outputs, CW_SINK_REQUESTS, cw_output_request_log_depart(outputs->requests, exchange));
}

crawl_err cw_outputs_flush(cw_outputs *outputs)
{
    crawl_err err = CRAWL_OK;
    for (cw_outputs_sink_id id = 0; id < CW_SINK_COUNT && !err; id++)
        err = flush(outputs, id);
    if (!err && outputs->remote)
        err = cw_remote_output_failed(outputs->remote);
    return err || !outputs->warc ? err : cw_warc_flush(outputs->warc);
}

/* --- Files that were moved away. --- */

void cw_outputs_reopen(cw_outputs *outputs)
{
    static const cw_outputs_sink_id ids[] = {CW_SINK_OUTPUT, CW_SINK_LINKS, CW_SINK_REQUESTS};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        crawl_error error = {0};
        cw_output_sink *sink = outputs->sinks[ids[i]];
        if (sink && cw_output_sink_reopen(sink, &error))
            cw_tool_say(NULL, "%s: %s; the file of before goes on", cw_outputs_name_of(ids[i]), error.message);
    }
}

/* --- Closing. --- */

/* What a file that failed is called says more than the engine's own words. True: it failed, and that was said. */
static bool say_failure(const char *name, crawl_err err, const crawl_error *error)
{
    if (err)
        cw_tool_say(NULL, "%s: %s", name, error->message);
    return err != CRAWL_OK;
}

/* Flushed first, as that may be what shows that the reader has gone. */
static bool is_abandoned(cw_output_sink *sink)
{
    return sink && cw_output_sink_flush(sink) && cw_output_sink_abandoned(sink);
}

/* A pipe whose reader left is no failure; one of standard output is told by main(). */
static bool close_sink(cw_outputs *outputs, const crawl_config *config, cw_outputs_sink_id id, bool *abandoned)
{
    crawl_error error = {0};
    cw_output_sink *sink = outputs->sinks[id];
    bool left = is_abandoned(sink);
    crawl_err err = cw_output_sink_close(sink, &error);
    outputs->sinks[id] = NULL;
    if (left)
        cw_message_say(CW_MESSAGE_INFO, "%s: its reader went away", cw_outputs_name_of(id));
    *abandoned = *abandoned || left;
    if (left || !err)
        return false;
    return strcmp(cw_outputs_path_of(config, id), "-") == 0 || say_failure(cw_outputs_name_of(id), err, &error);
}

/* A failure is the sink's, which says it. */
static void close_requests(cw_outputs *outputs)
{
    crawl_engine_stats stats;
    if (!outputs->requests)
        return;
    crawl_engine_stats_get(outputs->engine, &stats);
    (void)cw_output_request_log_finish(outputs->requests, &stats);
    cw_output_request_log_free(outputs->requests);
    outputs->requests = NULL;
}

static bool close_warc(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_err err = cw_warc_close(outputs->warc, &error);
    outputs->warc = NULL;
    return say_failure("warc", err, &error);
}

static bool close_remote(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_err err = cw_remote_output_close(outputs->remote, &error);
    outputs->remote = NULL;
    return say_failure(cw_outputs_name_of(CW_SINK_OUTPUT), err, &error);
}

void cw_outputs_settle(cw_outputs *outputs, bool stopped)
{
    enum { PATIENCE_MS = 30000, STOPPED_MS = 5000 };
    if (outputs->remote)
        cw_remote_output_settle(outputs->remote, stopped ? STOPPED_MS : PATIENCE_MS);
}

static bool close_bodies(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_err err = cw_output_bodies_close(outputs->bodies, &error);
    outputs->bodies = NULL;
    return say_failure("bodies", err, &error);
}

static void say_mirror(const crawl_config *config, const cw_mirror_figures *figures)
{
    cw_message_say(CW_MESSAGE_INFO, "mirror: %llu files new or changed, links of %llu rewritten, %llu removed%s%s%s%s",
                   (unsigned long long)figures->written, (unsigned long long)figures->rewritten,
                   (unsigned long long)figures->removed, *figures->first ? "; open " : "",
                   *figures->first ? config->mirror : "", *figures->first ? "/" : "", figures->first);
}

static bool close_mirror(cw_outputs *outputs, const crawl_config *config, bool finishes)
{
    crawl_error error = {0};
    cw_mirror_figures figures = {0};
    if (!outputs->mirror)
        return false;
    crawl_err err = cw_mirror_close(outputs->mirror, finishes, &figures, &error);
    outputs->mirror = NULL;
    if (!err)
        say_mirror(config, &figures);
    return say_failure("mirror", err, &error);
}

static bool close_report(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_err err = outputs->report ? cw_site_report_close(outputs->report, &error) : CRAWL_OK;
    return say_failure("report", err, &error);
}

static bool close_site_map(cw_outputs *outputs)
{
    crawl_error error = {0};
    crawl_err err = outputs->site_map ? cw_site_map_close(outputs->site_map, &error) : CRAWL_OK;
    return say_failure("write-sitemap", err, &error);
}

int cw_outputs_close(cw_outputs *outputs, const crawl_config *config, crawl_err run_err, const crawl_error *error,
                    int status)
{
    bool abandoned = false;
    bool failed = false;
    close_requests(outputs);
    for (cw_outputs_sink_id id = 0; id < CW_SINK_COUNT; id++)
        failed = close_sink(outputs, config, id, &abandoned) || failed;
    failed = close_remote(outputs) || failed;
    failed = close_bodies(outputs) || failed;
    failed = close_mirror(outputs, config, !run_err) || failed;
    failed = close_report(outputs) || failed;
    failed = close_site_map(outputs) || failed;
    failed = close_warc(outputs) || failed;
    if (run_err && !failed)
        cw_tool_say(NULL, "%s", error->message);
    if (run_err || failed)
        return CW_EXIT_LOCAL;
    return abandoned ? CW_EXIT_OK : status;
}

void cw_outputs_drop(cw_outputs *outputs)
{
    cw_output_request_log_free(outputs->requests);
    for (cw_outputs_sink_id id = 0; id < CW_SINK_COUNT; id++)
        cw_output_sink_close(outputs->sinks[id], NULL);
    cw_remote_output_close(outputs->remote, NULL);
    cw_output_fields_free(outputs->fields);
    cw_output_bodies_close(outputs->bodies, NULL);
    cw_mirror_close(outputs->mirror, false, &(cw_mirror_figures){0}, NULL);
    cw_site_report_free(outputs->report);
    cw_site_map_free(outputs->site_map);
    *outputs = (cw_outputs){0};
}
