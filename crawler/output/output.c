/* The files of an output, from opening to closing. See <crawl/output.h>. */
#include "crawler/output/output.h"

#include <stdlib.h>
#include <sys/stat.h>

/* ---- opening ---- */

/* Returns the columns of the file if its name asks for CSV. NULL: JSON Lines, or a file with its own head. */
static const char *const *columns_of(const crawl_output *output, crawl_output_kind kind)
{
    if (!crawl_output_is_csv(crawl_output_path(output->config, kind)))
        return NULL;
    return kind == CRAWL_OUTPUT_RECORDS ? output->columns.names
           : kind == CRAWL_OUTPUT_LINKS ? crawl_edge_columns()
                                        : NULL;
}

/* If the crawl may outlive the process, writes a line before its request is finished, so that no line is lost: an
 * unfinished request comes again. The edges of a page are written together, before its record. */
static unsigned output_flags_of(const crawl_output *output, crawl_output_kind kind, bool appends)
{
    return (appends ? CRAWL_LINES_APPEND : 0) |
           (output->outlives && kind != CRAWL_OUTPUT_LINKS ? CRAWL_LINES_AT_ONCE : 0);
}

/* Refuses a file that is not empty, unless output.existing says what to do with it. */
static crawl_err output_refuse_existing(const crawl_config *config, const char *path, crawl_error *error)
{
    struct stat found;
    bool is_there = config->existing == CRAWL_EXISTING_REFUSE && stat(path, &found) == 0 && S_ISREG(found.st_mode) &&
                    found.st_size > 0;
    return is_there
               ? crawl_error_set(error, CRAWL_EINVAL,
                                 "%s already exists: output.existing = append adds to it, overwrite replaces it", path)
               : CRAWL_OK;
}

static crawl_err open_lines(crawl_output *output, crawl_output_kind kind, bool resumed, crawl_error *error)
{
    const crawl_config *config = output->config;
    const char *path = crawl_output_path(config, kind);
    if (!path || crawl_output_is_sink(path))
        return CRAWL_OK;
    bool appends = resumed ? config->existing != CRAWL_EXISTING_OVERWRITE : config->existing == CRAWL_EXISTING_APPEND;
    const char *const *columns = columns_of(output, kind);
    crawl_err err = resumed ? CRAWL_OK : output_refuse_existing(config, path, error);
    output->is_csv[kind] = columns;
    return err ? err
               : crawl_lines_open(path, output_flags_of(output, kind, appends), columns, &output->lines[kind], error);
}

static crawl_err open_requests(crawl_output *output, const crawl_engine_stats *stats, crawl_error *error)
{
    const crawl_config *config = output->config;
    bool appends =
        stats->resumed ? config->existing != CRAWL_EXISTING_OVERWRITE : config->existing == CRAWL_EXISTING_APPEND;
    if (!output->lines[CRAWL_OUTPUT_REQUESTS])
        return CRAWL_OK;
    if (!output->engine)
        return crawl_error_set(error, CRAWL_ESTATE, "there is no engine whose requests could be logged");
    return crawl_request_log_open(output->lines[CRAWL_OUTPUT_REQUESTS], config, appends, stats, &output->requests,
                                  error);
}

static crawl_err open_warc(crawl_output *output, crawl_error *error)
{
    const crawl_config *config = output->config;
    crawl_slice agent = cw_config_user_agent(&config->headers, crawl_slice_from(config->user_agent));
    crawl_warc_options options;
    crawl_warc_options_init(&options, sizeof options);
    options.prefix = config->warc;
    options.max_file_bytes = config->warc_size;
    options.user_agent = agent.size ? agent.data : NULL;
    options.robots = config->robots;
    options.text = config->text == CRAWL_RECORD_TEXT_NONE ? NULL : crawl_config_choice("text", (size_t)config->text);
    options.is_markdown = config->text == CRAWL_RECORD_TEXT_MARKDOWN || config->text == CRAWL_RECORD_TEXT_ALL_MARKDOWN;
    options.engine = output->engine;
    options.against = config->dedupe_against;
    return config->warc ? crawl_warc_open(&options, &output->warc, error) : CRAWL_OK;
}

static crawl_err open_kind(crawl_output *output, crawl_output_kind kind, const crawl_engine_stats *stats,
                           crawl_error *error)
{
    const crawl_config *config = output->config;
    crawl_err err = kind < CW_OUTPUT_LINES ? open_lines(output, kind, stats->resumed, error) : CRAWL_OK;
    if (err)
        return err;
    switch (kind) {
    case CRAWL_OUTPUT_REQUESTS:
        return open_requests(output, stats, error);
    case CRAWL_OUTPUT_FIELDS:
        return crawl_fields_create(config, output->lines[kind], &output->fields, error);
    case CRAWL_OUTPUT_BODIES:
        return config->bodies ? crawl_bodies_open(config->bodies, "", &output->bodies, error) : CRAWL_OK;
    case CRAWL_OUTPUT_SCREENSHOTS:
        return config->screenshots ? crawl_bodies_open(config->screenshots, ".png", &output->screenshots, error)
                                   : CRAWL_OK;
    case CRAWL_OUTPUT_MIRROR:
        return config->mirror ? crawl_mirror_open(config, &output->mirror, error) : CRAWL_OK;
    case CRAWL_OUTPUT_WARC:
        return open_warc(output, error);
    default:
        return CRAWL_OK;
    }
}

crawl_err crawl_output_open(crawl_output *output, crawl_error *error)
{
    static crawl_engine_stats none;
    crawl_engine_stats stats = none;
    if (output->engine)
        crawl_engine_stats_get(output->engine, &stats);
    for (crawl_output_kind kind = 0; kind < CRAWL_OUTPUT_COUNT; kind++) {
        crawl_error why = {0};
        crawl_err err = open_kind(output, kind, &stats, &why);
        if (err)
            return crawl_error_set(error, err, "%s: %s", crawl_output_kind_name(kind),
                                   *why.message ? why.message : crawl_strerror(err));
    }
    output->is_open = true;
    return CRAWL_OK;
}

/* ---- writing ---- */

/* Stops the engine if the reader of a pipe has gone. That is no failure: it has everything it wanted. */
static crawl_err after(crawl_output *output, crawl_output_kind kind, crawl_err err)
{
    if (err != CRAWL_EIO || !output->engine || !crawl_lines_abandoned(output->lines[kind]))
        return err;
    crawl_engine_stop(output->engine);
    return CRAWL_OK;
}

/* Does the same for a record. If the crawl outlives this process, a page whose reader has gone is not done: the next
 * run asks for it again. */
static crawl_err output_after_record(crawl_output *output, crawl_output_kind kind, crawl_err err)
{
    crawl_err left = after(output, kind, err);
    return err && !left && output->outlives ? CRAWL_AGAIN : left;
}

static crawl_err output_flush(crawl_output *output, crawl_output_kind kind)
{
    crawl_lines *lines = output->lines[kind];
    return lines ? after(output, kind, crawl_lines_flush(lines)) : CRAWL_OK;
}

static bool output_has_body(const crawl_record *record)
{
    return record->status >= 200 && record->status < 300 && !record->error && record->body.size && record->has_digest;
}

/* Appends a record with the members that are added to it, as JSON: CSV has no columns for them. */
static crawl_err output_put_record(crawl_output *output, const crawl_record *record, const char *body, crawl_buf *out)
{
    crawl_buf members = {0};
    const crawl_output_options *options = &output->options;
    crawl_err err = options->members ? options->members(options->user, record, &members) : CRAWL_OK;
    if (!err && output->config->answer_headers)
        err = crawl_record_headers(record, output->config->answer_headers, &members);
    if (!err)
        err = crawl_record_json(record, body, crawl_buf_slice(&members), out);
    crawl_buf_free(&members);
    return err;
}

static crawl_err output_write_line(crawl_output *output, const crawl_record *record, const char *body)
{
    crawl_lines *lines = output->lines[CRAWL_OUTPUT_RECORDS];
    crawl_buf *line = crawl_lines_begin(lines);
    crawl_err err = output->is_csv[CRAWL_OUTPUT_RECORDS] ? cw_output_record_csv(&output->columns, record, body, line)
                                                         : crawl_record_json(record, body, (crawl_slice){0}, line);
    return output_after_record(output, CRAWL_OUTPUT_RECORDS, crawl_lines_end(lines, err));
}

/* Writes a line that was made before, because the caller's functions, which add to it, must not be called with a file's
 * lock held. */
static crawl_err output_copy_line(crawl_output *output, crawl_slice text)
{
    crawl_lines *lines = output->lines[CRAWL_OUTPUT_RECORDS];
    crawl_err err = crawl_buf_append(crawl_lines_begin(lines), text.data, text.size);
    return output_after_record(output, CRAWL_OUTPUT_RECORDS, crawl_lines_end(lines, err));
}

/* Writes the record, with the caller's members, to its file, and then passes its line to on_line. */
static crawl_err output_write_record(crawl_output *output, const crawl_record *record, const char *body)
{
    crawl_buf text = {0};
    const crawl_output_options *options = &output->options;
    bool has_lines = output->lines[CRAWL_OUTPUT_RECORDS];
    bool is_plain = output->is_csv[CRAWL_OUTPUT_RECORDS] || (!options->members && !output->config->answer_headers);
    crawl_err err = CRAWL_OK;
    if (options->on_line || (has_lines && !is_plain))
        err = output_put_record(output, record, body, &text);
    if (!err && has_lines)
        err = is_plain ? output_write_line(output, record, body) : output_copy_line(output, crawl_buf_slice(&text));
    if (!err)
        err = output_after_record(output, CRAWL_OUTPUT_FIELDS, crawl_fields_write(output->fields, record));
    if (!err && options->on_line)
        err = options->on_line(options->user, record, crawl_buf_slice(&text));
    crawl_buf_free(&text);
    return err;
}

/* Writes the statements about the use of a page into the archive, which may have nothing else of the page. */
static crawl_err write_preferences(crawl_warc *warc, const crawl_record *record)
{
    crawl_buf json = {0};
    crawl_err err = cw_output_preferences_json(record, &json);
    if (!err)
        err = crawl_warc_write_metadata(warc, record, "application/json", crawl_buf_slice(&json));
    crawl_buf_free(&json);
    return err;
}

static crawl_err output_write_kept(crawl_output *output, const crawl_record *record)
{
    char name[CRAWL_BODY_NAME_SIZE];
    bool has_file = output->bodies && output_has_body(record);
    crawl_err err = CRAWL_OK;
    if (has_file)
        err = crawl_bodies_write(output->bodies, &record->digest, record->body, name);
    if (!err && output->mirror && !record->external)
        err = crawl_mirror_record(output->mirror, record);
    if (!err && output->warc)
        err = crawl_warc_write_text(output->warc, record);
    if (!err && output->warc)
        err = crawl_warc_write_rendered(output->warc, record);
    if (!err && output->warc && record->preferences.size && !record->external)
        err = write_preferences(output->warc, record);
    return err ? err : output_write_record(output, record, has_file ? name : NULL);
}

/* Does the same for a record with a picture, which its line names. */
static crawl_err output_write_pictured(crawl_output *output, const crawl_record *record)
{
    char name[CRAWL_BODY_NAME_SIZE];
    crawl_record named = *record;
    crawl_record_render render = *record->render;
    crawl_fingerprint digest;
    crawl_fingerprinter *fingerprinter = crawl_fingerprinter_create();
    crawl_err err = fingerprinter ? crawl_fingerprint_bytes(fingerprinter, render.picture, &digest) : CRAWL_ENOMEM;
    crawl_fingerprinter_free(fingerprinter);
    if (!err)
        err = crawl_bodies_write(output->screenshots, &digest, render.picture, name);
    render.picture_file = name;
    named.render = &render;
    return err ? err : output_write_kept(output, &named);
}

/* Writes the links, but not the record, of a page that is not kept. */
crawl_err cw_output_record(crawl_output *output, const crawl_record *record)
{
    if (!output->is_open)
        return CRAWL_ESTATE;
    crawl_err err = output->outlives ? output_flush(output, CRAWL_OUTPUT_LINKS) : CRAWL_OK;
    if (err || record->left_out)
        return err;
    bool is_pictured = output->screenshots && record->render && record->render->picture.size && !record->withheld;
    return is_pictured ? output_write_pictured(output, record) : output_write_kept(output, record);
}

crawl_err cw_output_edge(crawl_output *output, const crawl_edge *edge)
{
    crawl_lines *lines = output->lines[CRAWL_OUTPUT_LINKS];
    if (!lines)
        return CRAWL_OK;
    crawl_buf *line = crawl_lines_begin(lines);
    crawl_err err = output->is_csv[CRAWL_OUTPUT_LINKS] ? crawl_edge_csv(edge, line) : crawl_edge_json(edge, line);
    return after(output, CRAWL_OUTPUT_LINKS, crawl_lines_end(lines, err));
}

crawl_err cw_output_exchange(crawl_output *output, const crawl_exchange *exchange)
{
    bool whole = exchange->response->error != CRAWL_FETCH_CANCELLED; /* a cancelled request comes again */
    crawl_err err = CRAWL_OK;
    if (output->warc && whole && !exchange->left_out)
        err = crawl_warc_write(output->warc, exchange);
    if (!err && output->requests)
        err = after(output, CRAWL_OUTPUT_REQUESTS, crawl_request_log_end(output->requests, exchange));
    return err;
}

crawl_err cw_output_depart(crawl_output *output, const crawl_exchange *exchange)
{
    if (!output->requests)
        return CRAWL_OK;
    crawl_err err = CRAWL_OK;
    if (crawl_request_log_wants_clock(output->requests, exchange->started_us)) {
        crawl_engine_stats stats;
        crawl_engine_stats_get(output->engine, &stats);
        err = crawl_request_log_clock(output->requests, &stats);
    }
    if (!err)
        err = crawl_request_log_depart(output->requests, exchange);
    return after(output, CRAWL_OUTPUT_REQUESTS, err);
}

crawl_err crawl_output_flush(crawl_output *output)
{
    crawl_err err = output->is_open ? CRAWL_OK : CRAWL_ESTATE;
    for (crawl_output_kind kind = 0; kind < CW_OUTPUT_LINES && !err; kind++)
        err = output_flush(output, kind);
    return err || !output->warc ? err : crawl_warc_flush(output->warc);
}

/* ---- moved files ---- */

void crawl_output_reopen(crawl_output *output, void (*failed)(void *user, crawl_output_kind kind, const char *words),
                         void *user)
{
    for (crawl_output_kind kind = 0; kind < CW_OUTPUT_LINES; kind++) {
        crawl_error error = {0};
        crawl_lines *lines = output->lines[kind];
        if (lines && crawl_lines_reopen(lines, &error) && failed)
            failed(user, kind, error.message);
    }
}

/* ---- closing ---- */

typedef struct closing {
    crawl_output *output;
    void (*each)(void *user, crawl_output_kind kind, const crawl_output_ending *ending);
    void *user;
    crawl_error *error;
    crawl_err err; /* the first one */
} closing;

static void output_tell(closing *c, crawl_output_kind kind, crawl_output_ending *ending, const crawl_error *error)
{
    ending->words = ending->err ? error->message : "";
    if (ending->err && !c->err)
        c->err = crawl_error_set(c->error, ending->err, "%s: %s", crawl_output_kind_name(kind), ending->words);
    if (c->each)
        c->each(c->user, kind, ending);
}

/* Ends the log of requests. A failure shows when its lines are closed. */
static void end_requests(crawl_output *output)
{
    crawl_engine_stats stats;
    if (!output->requests)
        return;
    crawl_engine_stats_get(output->engine, &stats);
    (void)crawl_request_log_finish(output->requests, &stats);
    crawl_request_log_free(output->requests);
    output->requests = NULL;
}

/* Flushes the lines first, because a failure then may show that the reader has gone. */
static void close_lines(closing *c, crawl_output_kind kind)
{
    crawl_error error = {0};
    crawl_lines *lines = c->output->lines[kind];
    crawl_output_ending ending = {0};
    if (!lines)
        return;
    ending.is_abandoned = crawl_lines_flush(lines) && crawl_lines_abandoned(lines);
    ending.is_standard = strcmp(crawl_output_path(c->output->config, kind), "-") == 0;
    crawl_err err = crawl_lines_close(lines, &error);
    c->output->lines[kind] = NULL;
    ending.err = ending.is_abandoned ? CRAWL_OK : err;
    output_tell(c, kind, &ending, &error);
}

static void close_bodies(closing *c, crawl_bodies **bodies, crawl_output_kind kind)
{
    crawl_error error = {0};
    if (!*bodies)
        return;
    crawl_output_ending ending = {.err = crawl_bodies_close(*bodies, &error)};
    *bodies = NULL;
    output_tell(c, kind, &ending, &error);
}

static void close_mirror(closing *c, bool finishes)
{
    crawl_error error = {0};
    crawl_mirror_figures figures = {0};
    if (!c->output->mirror)
        return;
    crawl_mirror_watch(c->output->mirror, c->output->options.on_mirror, c->output->options.user);
    crawl_output_ending ending = {.err = crawl_mirror_close(c->output->mirror, finishes, &figures, &error)};
    c->output->mirror = NULL;
    ending.mirror = ending.err ? NULL : &figures;
    output_tell(c, CRAWL_OUTPUT_MIRROR, &ending, &error);
}

static void close_warc(closing *c)
{
    crawl_error error = {0};
    if (!c->output->warc)
        return;
    crawl_output_ending ending = {.err = crawl_warc_close(c->output->warc, &error)};
    c->output->warc = NULL;
    output_tell(c, CRAWL_OUTPUT_WARC, &ending, &error);
}

crawl_err crawl_output_close(crawl_output *output, bool finishes,
                             void (*each)(void *user, crawl_output_kind kind, const crawl_output_ending *ending),
                             void *user, crawl_error *error)
{
    closing c = {.output = output, .each = each, .user = user, .error = error};
    if (!output)
        return CRAWL_OK;
    end_requests(output);
    for (crawl_output_kind kind = 0; kind < CW_OUTPUT_LINES; kind++)
        close_lines(&c, kind);
    close_bodies(&c, &output->bodies, CRAWL_OUTPUT_BODIES);
    close_bodies(&c, &output->screenshots, CRAWL_OUTPUT_SCREENSHOTS);
    close_mirror(&c, finishes);
    close_warc(&c);
    output->is_open = false;
    return c.err;
}

void crawl_output_free(crawl_output *output)
{
    if (!output)
        return;
    (void)crawl_output_close(output, false, NULL, NULL, NULL);
    crawl_fields_free(output->fields);
    free(output);
}

crawl_err crawl_output_summary(crawl_output *output, crawl_buf *out)
{
    return crawl_fields_summary(output->fields, out);
}
