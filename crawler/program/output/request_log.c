/* See request_log.h. Lines are put together by hand: there are two for each request, and JSON's own library takes five
 * times as long. */
#include "crawler/program/output/request_log.h"

#include "crawler/program/output/chain.h"
#include "crawler/program/output/record_file.h"
#include "crawler/program/words.h"

#include <crawl/robots.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

struct cw_output_request_log {
    pthread_mutex_t lock; /* over all that follows: the order of the chain is that of the file */
    cw_output_sink *sink;
    cw_output_chain chain;
    cw_words line;
    uint64_t requests; /* ended */
};

/* Microseconds as the milliseconds of a log. */
typedef struct ms_text {
    char text[32];
} ms_text;

static ms_text ms_of(int64_t us)
{
    ms_text ms;
    snprintf(ms.text, sizeof ms.text, "%" PRId64 ".%03" PRId64, us / 1000, us % 1000);
    return ms;
}

static ms_text ms_or_null(int64_t us, bool is_set)
{
    return is_set ? ms_of(us) : (ms_text){"null"};
}

static const char *word_of(bool is_true)
{
    return is_true ? "true" : "false";
}

static void append_text(cw_words *line, const char *name, crawl_slice text)
{
    cw_words_add(line, ",\"%s\":", name);
    if (text.size)
        cw_words_json(line, text);
    else
        cw_words_bytes(line, crawl_slice_from("null"));
}

static const char *kind_of(const crawl_exchange *e)
{
    return e->robots ? "robots" : e->sitemap ? "sitemap" : "page";
}

/* What is known of a request when it leaves, as a line of its own. */
static void begin_line(cw_words *line, const char *event, const crawl_exchange *e)
{
    cw_words_clear(line);
    cw_words_add(line, "{\"event\":\"%s\",\"request\":%" PRIu64, event, e->number);
    append_text(line, "host", e->origin);
    append_text(line, "ip", e->ip);
    append_text(line, "url", e->url);
    if (e->address_limit)
        cw_words_add(line, ",\"address_limit\":%" PRIu32 ",\"address_pause\":%s", e->address_limit,
                     ms_of(e->address_pause_us).text);
    cw_words_add(line,
                 ",\"kind\":\"%s\",\"seq\":%" PRIu64 ",\"attempt\":%" PRIu32 ",\"sent\":%s,\"start\":%s,\"pause\":%s,"
                 "\"pause_by\":\"%s\",\"limit\":%" PRIu32 ",\"per_ip\":%s,\"probe\":%s",
                 kind_of(e), e->seq, e->attempt, word_of(e->sent), ms_of(e->started_us).text, ms_of(e->pause_us).text,
                 e->pause_by, e->limit, word_of(e->per_ip), word_of(e->probe));
}

/* A robots.txt that is longer than what counts of it. */
static bool is_cut(const crawl_exchange *e)
{
    bool is_read = e->robots && crawl_robots_effect_of(e->response->status) == CRAWL_ROBOTS_PARSE;
    return is_read && e->response->body.size > CRAWL_ROBOTS_MAX_SIZE;
}

static void append_answer(cw_words *line, const crawl_exchange *e)
{
    cw_words_add(line, ",\"end\":%s,\"status\":%d", ms_of(e->ended_us).text, e->response->status);
    append_text(line, "error", crawl_slice_from(crawl_fetch_error_name(e->response->error)));
    cw_words_add(line, ",\"retry_after\":%s,\"hold_until\":%s",
                 ms_or_null(e->retry_after_us, e->retry_after_us >= 0).text,
                 ms_or_null(e->hold_until_us, e->hold_until_us != 0).text);
    append_text(line, "hold_by", crawl_slice_from(e->hold_by));
    if (is_cut(e))
        cw_words_add(line, ",\"cut\":true");
}

/* log->line lacks its last brace. */
static crawl_err write_line(cw_output_request_log *log)
{
    crawl_err err = log->line.err ? log->line.err : cw_output_chain_append(&log->chain, &log->line.text);
    return err ? err : cw_output_sink_line(log->sink, log->line.text.data);
}

crawl_err cw_output_request_log_depart(cw_output_request_log *log, const crawl_exchange *exchange)
{
    pthread_mutex_lock(&log->lock);
    begin_line(&log->line, "depart", exchange);
    crawl_err err = write_line(log);
    if (!err)
        err = cw_output_sink_flush(log->sink);
    pthread_mutex_unlock(&log->lock);
    return err;
}

crawl_err cw_output_request_log_end(cw_output_request_log *log, const crawl_exchange *exchange)
{
    pthread_mutex_lock(&log->lock);
    begin_line(&log->line, "end", exchange);
    append_answer(&log->line, exchange);
    crawl_err err = write_line(log);
    log->requests++;
    pthread_mutex_unlock(&log->lock);
    return err;
}

crawl_err cw_output_request_log_finish(cw_output_request_log *log, const crawl_engine_stats *stats)
{
    cw_words_clear(&log->line);
    cw_words_add(&log->line, "{\"event\":\"run-end\",\"end\":%s,\"requests\":%" PRIu64, ms_of(stats->now_us).text,
                 log->requests);
    return write_line(log);
}

static crawl_err begin(cw_output_request_log *log, const char *path, bool appended, const crawl_engine_stats *stats,
                       crawl_error *error)
{
    crawl_err err = cw_output_chain_open(&log->chain);
    if (!err && appended)
        err = cw_output_record_file_last(path, &log->line.text, error);
    if (err)
        return err;
    cw_output_chain_follow(&log->chain, crawl_buf_slice(&log->line.text));
    cw_words_clear(&log->line);
    cw_words_add(&log->line, "{\"event\":\"run\",\"program\":\"crawl %s\",\"start\":%s,\"workers\":%" PRIu32,
                 crawl_version(), ms_of(stats->opened_us).text, stats->workers);
    if (stats->set_back_ms)
        cw_words_add(&log->line, ",\"set_back\":%" PRId64, stats->set_back_ms);
    return write_line(log);
}

crawl_err cw_output_request_log_open(cw_output_sink *sink, const char *path, bool appended,
                                     const crawl_engine_stats *stats, cw_output_request_log **out, crawl_error *error)
{
    cw_output_request_log *log = calloc(1, sizeof *log);
    if (!log)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    log->sink = sink;
    pthread_mutex_init(&log->lock, NULL);
    crawl_err err = begin(log, path, appended, stats, error);
    if (err == CRAWL_ENOMEM)
        crawl_error_set(error, err, "%s", crawl_strerror(err));
    if (err)
        cw_output_request_log_free(log);
    else
        *out = log;
    return err;
}

void cw_output_request_log_free(cw_output_request_log *log)
{
    if (!log)
        return;
    cw_output_chain_close(&log->chain);
    cw_words_free(&log->line);
    pthread_mutex_destroy(&log->lock);
    free(log);
}
