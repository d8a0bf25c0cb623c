/* See request_log.h. Lines are put together by hand: there are two for each request, and JSON's own library takes five
 * times as long. */
#include "crawler/program/output/request_log.h"

#include "crawler/program/output/chain.h"
#include "crawler/program/output/record_file.h"
#include "crawler/program/tools/io.h"

#include <crawl/robots.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

struct cw_request_log {
    pthread_mutex_t lock; /* over all that follows: the order of the chain is that of the file */
    cw_record_sink *sink;
    cw_chain chain;
    crawl_buf line;
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

static crawl_err append_text(crawl_buf *line, const char *name, crawl_slice text)
{
    crawl_err err = crawl_buf_printf(line, ",\"%s\":", name);
    if (err)
        return err;
    return text.size ? cw_json_append_text(line, text) : crawl_buf_append_text(line, "null");
}

static const char *kind_of(const crawl_exchange *e)
{
    return e->robots ? "robots" : e->sitemap ? "sitemap" : "page";
}

/* What is known of a request when it leaves. */
static crawl_err append_departure(crawl_buf *line, const char *event, const crawl_exchange *e)
{
    crawl_err err = crawl_buf_printf(line, "{\"event\":\"%s\",\"request\":%" PRIu64, event, e->number);
    if (!err)
        err = append_text(line, "host", e->origin);
    if (!err)
        err = append_text(line, "ip", e->ip);
    if (!err)
        err = append_text(line, "url", e->url);
    if (!err && e->address_limit)
        err = crawl_buf_printf(line, ",\"address_limit\":%" PRIu32 ",\"address_pause\":%s", e->address_limit,
                               ms_of(e->address_pause_us).text);
    if (err)
        return err;
    return crawl_buf_printf(line,
                            ",\"kind\":\"%s\",\"seq\":%" PRIu64 ",\"attempt\":%" PRIu32
                            ",\"sent\":%s,\"start\":%s,\"pause\":%s,"
                            "\"pause_by\":\"%s\",\"limit\":%" PRIu32 ",\"per_ip\":%s,\"probe\":%s",
                            kind_of(e), e->seq, e->attempt, word_of(e->sent), ms_of(e->started_us).text,
                            ms_of(e->pause_us).text, e->pause_by, e->limit, word_of(e->per_ip), word_of(e->probe));
}

/* A robots.txt that is longer than what counts of it. */
static bool is_cut(const crawl_exchange *e)
{
    bool is_read = e->robots && crawl_robots_effect_of(e->response->status) == CRAWL_ROBOTS_PARSE;
    return is_read && e->response->body.size > CRAWL_ROBOTS_MAX_SIZE;
}

static crawl_err append_answer(crawl_buf *line, const crawl_exchange *e)
{
    const char *error = crawl_fetch_error_name(e->response->error);
    crawl_err err = crawl_buf_printf(line, ",\"end\":%s,\"status\":%d", ms_of(e->ended_us).text, e->response->status);
    if (!err)
        err = append_text(line, "error", crawl_slice_from(error));
    if (!err)
        err = crawl_buf_printf(line, ",\"retry_after\":%s,\"hold_until\":%s",
                               ms_or_null(e->retry_after_us, e->retry_after_us >= 0).text,
                               ms_or_null(e->hold_until_us, e->hold_until_us != 0).text);
    if (!err)
        err = append_text(line, "hold_by", crawl_slice_from(e->hold_by));
    return !err && is_cut(e) ? crawl_buf_append_text(line, ",\"cut\":true") : err;
}

/* log->line lacks its last brace. */
static crawl_err write_line(cw_request_log *log)
{
    crawl_err err = cw_chain_append(&log->chain, &log->line);
    return err ? err : cw_record_sink_line(log->sink, log->line.data);
}

crawl_err cw_request_log_depart(cw_request_log *log, const crawl_exchange *exchange)
{
    pthread_mutex_lock(&log->lock);
    crawl_buf_clear(&log->line);
    crawl_err err = append_departure(&log->line, "depart", exchange);
    if (!err)
        err = write_line(log);
    if (!err)
        err = cw_record_sink_flush(log->sink);
    pthread_mutex_unlock(&log->lock);
    return err;
}

crawl_err cw_request_log_end(cw_request_log *log, const crawl_exchange *exchange)
{
    pthread_mutex_lock(&log->lock);
    crawl_buf_clear(&log->line);
    crawl_err err = append_departure(&log->line, "end", exchange);
    if (!err)
        err = append_answer(&log->line, exchange);
    if (!err)
        err = write_line(log);
    log->requests++;
    pthread_mutex_unlock(&log->lock);
    return err;
}

crawl_err cw_request_log_finish(cw_request_log *log, const crawl_engine_stats *stats)
{
    crawl_buf_clear(&log->line);
    crawl_err err = crawl_buf_printf(&log->line, "{\"event\":\"run-end\",\"end\":%s,\"requests\":%" PRIu64,
                                     ms_of(stats->now_us).text, log->requests);
    return err ? err : write_line(log);
}

static crawl_err begin(cw_request_log *log, const char *path, bool appended, const crawl_engine_stats *stats,
                       crawl_error *error)
{
    crawl_err err = cw_chain_open(&log->chain);
    if (!err && appended)
        err = cw_record_file_last(path, &log->line, error);
    if (err)
        return err;
    cw_chain_follow(&log->chain, crawl_buf_slice(&log->line));
    crawl_buf_clear(&log->line);
    err = crawl_buf_printf(&log->line, "{\"event\":\"run\",\"program\":\"crawl %s\",\"start\":%s,\"workers\":%" PRIu32,
                           crawl_version(), ms_of(stats->opened_us).text, stats->workers);
    if (!err && stats->set_back_ms)
        err = crawl_buf_printf(&log->line, ",\"set_back\":%" PRId64, stats->set_back_ms);
    return err ? err : write_line(log);
}

crawl_err cw_request_log_open(cw_record_sink *sink, const char *path, bool appended, const crawl_engine_stats *stats,
                              cw_request_log **out, crawl_error *error)
{
    cw_request_log *log = calloc(1, sizeof *log);
    if (!log)
        return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
    log->sink = sink;
    pthread_mutex_init(&log->lock, NULL);
    crawl_err err = begin(log, path, appended, stats, error);
    if (err == CRAWL_ENOMEM)
        crawl_error_set(error, err, "%s", crawl_strerror(err));
    if (err)
        cw_request_log_free(log);
    else
        *out = log;
    return err;
}

void cw_request_log_free(cw_request_log *log)
{
    if (!log)
        return;
    cw_chain_close(&log->chain);
    crawl_buf_free(&log->line);
    pthread_mutex_destroy(&log->lock);
    free(log);
}
