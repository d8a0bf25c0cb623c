/* The log of requests. See <crawl/output.h>. */
#include "base/bytes.h"
#include "base/error.h"
#include "base/header.h"
#include "base/json/json_write.h"
#include "base/text/http_validators.h"
#include "base/text/percent.h"
#include "crawler/output/output.h"
#include "crawler/output/record_file.h"
#include "crawler/output/whole.h"

#include <crawl/robots.h>
#include <crawl/sys/request_log.h>
#include <pthread.h>
#include <stdlib.h>

enum { SOON_US = 1000000 }; /* a few answers make the server's time much more accurate than at the start */

struct crawl_request_log {
    pthread_mutex_t lock; /* protects the rest, so that the chain follows the order of lines in the file */
    crawl_lines *lines;
    const crawl_config *config;
    crawl_chain *chain;
    crawl_buf line;
    crawl_buf rules;
    uint64_t requests; /* ended */
    bool is_shared;
    int64_t clock_us; /* when the next "clock" line is due */
};

/* Writes microseconds, at least 0, as milliseconds with three decimals. */
static void put_ms(cw_writer *line, const char *name, int64_t us)
{
    const int64_t rest = us % 1000;
    const char decimals[] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10)};
    cw_json_int(line, name, us / 1000);
    cw_put(line, crawl_slice_of(decimals, sizeof decimals));
}

static void put_ms_or_null(cw_writer *line, const char *name, int64_t us, bool is_set)
{
    if (is_set)
        put_ms(line, name, us);
    else
        cw_json_words(line, name, NULL);
}

/* Begins a line. request_log_end_line writes its last brace, with the chain. */
static cw_writer request_log_begin_line(crawl_request_log *log, const char *event)
{
    cw_writer line = {.out = &log->line};
    crawl_buf_clear(&log->line);
    cw_json_words(&line, "{\"event\":", event);
    return line;
}

static const char *request_log_kind_of(const crawl_exchange *e)
{
    static const char *const names[] = {
        [CRAWL_EXCHANGE_PAGE] = "page",     [CRAWL_EXCHANGE_ROBOTS] = "robots", [CRAWL_EXCHANGE_SITEMAP] = "sitemap",
        [CRAWL_EXCHANGE_TDMREP] = "tdmrep", [CRAWL_EXCHANGE_LLMS] = "llms",     [CRAWL_EXCHANGE_MISSING] = "missing",
        [CRAWL_EXCHANGE_PART] = "part",
    };
    return names[e->kind];
}

/* Writes the facts known when a request leaves. */
static void put_departure(cw_writer *line, const crawl_exchange *e)
{
    cw_json_int(line, ",\"request\":", (int64_t)e->number);
    cw_json_text_or_null(line, ",\"host\":", e->origin);
    cw_json_text_or_null(line, ",\"ip\":", e->ip);
    cw_json_text_or_null(line, ",\"url\":", e->url);
    if (e->address_limit) {
        cw_json_int(line, ",\"address_limit\":", e->address_limit);
        put_ms(line, ",\"address_pause\":", e->address_pause_us);
    }
    if (e->group.size)
        cw_json_text_or_null(line, ",\"group\":", e->group);
    cw_json_words(line, ",\"kind\":", request_log_kind_of(e));
    if (e->kind == CRAWL_EXCHANGE_PART)
        cw_json_text(line, ",\"for\":", e->parent);
    if (e->site.size)
        cw_json_text(line, ",\"site\":", e->site);
    if (e->method.size && !cw_is(e->method, "GET"))
        cw_json_text(line, ",\"method\":", e->method);
    if (e->is_conditional)
        cw_json_bool(line, ",\"conditional\":", true);
    if (e->depth)
        cw_json_int(line, ",\"depth\":", e->depth);
    cw_json_int(line, ",\"seq\":", (int64_t)e->seq);
    cw_json_int(line, ",\"attempt\":", e->attempt);
    cw_json_bool(line, ",\"sent\":", e->sent);
    put_ms(line, ",\"start\":", e->started_us);
    put_ms(line, ",\"pause\":", e->pause_us);
    cw_json_words(line, ",\"pause_by\":", e->pause_by);
    cw_json_int(line, ",\"limit\":", e->limit);
    cw_json_bool(line, ",\"per_ip\":", e->per_ip);
    cw_json_bool(line, ",\"probe\":", e->probe);
}

/* Returns true for a robots.txt whose rules apply. */
static bool has_rules(const crawl_exchange *e)
{
    bool is_robots = e->kind == CRAWL_EXCHANGE_ROBOTS && !e->response->error;
    return is_robots && crawl_robots_effect_of(e->response->status) == CRAWL_ROBOTS_PARSE;
}

/* Writes the rules of a robots.txt for the crawl's token. Bytes that JSON cannot hold as text are escaped; rules are
 * compared in that form. */
static void put_rules(crawl_request_log *log, cw_writer *line, const crawl_exchange *e)
{
    crawl_robots *robots = NULL;
    crawl_buf_clear(&log->rules);
    crawl_err err = crawl_robots_parse(e->response->body, crawl_slice_from(log->config->robots_agent), &robots);
    if (!err)
        err = crawl_robots_rules(robots, &log->rules);
    crawl_robots_free(robots);
    size_t plain = log->rules.size;
    if (!err)
        err = crawl_buf_reserve(&log->rules, plain * 3 + 1);
    if (err) {
        line->err = err;
        return;
    }
    char *end = log->rules.data + plain;
    for (const char *at = log->rules.data; at < log->rules.data + plain; at++) {
        if ((unsigned char)*at >= 0x80)
            end = cw_percent_escape(end, (unsigned char)*at);
        else
            *end++ = *at;
    }
    cw_json_text(line, ",\"rules\":", crawl_slice_of(log->rules.data + plain, (size_t)(end - log->rules.data) - plain));
}

/* Returns true if the answer has a validator for a later conditional request. */
static bool has_validator(const crawl_exchange *e)
{
    int64_t date_ms;
    crawl_slice date = crawl_response_header(e->response, "Last-Modified");
    return cw_http_etag(crawl_response_header(e->response, "ETag")).size ||
           cw_http_last_modified(date, e->ended_us / 1000, &date_ms).size;
}

/* Writes an "end" line, except the contents of robots.txt, the last brace and the chain. */
static void request_log_put_end(cw_writer *line, const crawl_exchange *e)
{
    cw_json_words(line, "{\"event\":", "end");
    put_departure(line, e);
    put_ms(line, ",\"end\":", e->ended_us);
    cw_json_int(line, ",\"status\":", e->response->status);
    cw_json_words(line, ",\"error\":", crawl_fetch_error_name(e->response->error));
    put_ms_or_null(line, ",\"retry_after\":", e->retry_after_us, e->retry_after_us >= 0);
    put_ms_or_null(line, ",\"hold_until\":", e->hold_until_us, e->hold_until_us != 0);
    cw_json_words(line, ",\"hold_by\":", e->hold_by);
    if (e->response->is_signed)
        cw_json_bool(line, ",\"signed\":", true);
    if (has_validator(e))
        cw_json_bool(line, ",\"validator\":", true);
}

crawl_err crawl_exchange_json(const crawl_exchange *exchange, crawl_buf *out)
{
    cw_output_exchange_room room;
    cw_writer line = {.out = out};
    exchange = cw_output_whole(exchange, &room);
    if (!exchange)
        return CRAWL_EINVAL;
    request_log_put_end(&line, exchange);
    cw_put_text(&line, "}");
    return line.err;
}

static crawl_err request_log_end_line(crawl_request_log *log, const cw_writer *line)
{
    crawl_err err = line->err ? line->err : crawl_chain_append(log->chain, &log->line);
    if (err)
        return err;
    err = crawl_buf_append(crawl_lines_begin(log->lines), log->line.data, log->line.size);
    return crawl_lines_end(log->lines, err);
}

crawl_err crawl_request_log_depart(crawl_request_log *log, const crawl_exchange *exchange)
{
    cw_output_exchange_room room;
    exchange = cw_output_whole(exchange, &room);
    if (!exchange)
        return CRAWL_EINVAL;
    pthread_mutex_lock(&log->lock);
    cw_writer line = request_log_begin_line(log, "depart");
    put_departure(&line, exchange);
    crawl_err err = request_log_end_line(log, &line);
    if (!err)
        err = crawl_lines_flush(log->lines);
    pthread_mutex_unlock(&log->lock);
    return err;
}

crawl_err crawl_request_log_end(crawl_request_log *log, const crawl_exchange *exchange)
{
    cw_output_exchange_room room;
    exchange = cw_output_whole(exchange, &room);
    if (!exchange)
        return CRAWL_EINVAL;
    pthread_mutex_lock(&log->lock);
    cw_writer line = {.out = &log->line};
    crawl_buf_clear(&log->line);
    request_log_put_end(&line, exchange);
    if (has_rules(exchange) && exchange->response->body.size > CRAWL_ROBOTS_MAX_SIZE)
        cw_json_bool(&line, ",\"cut\":", true);
    if (has_rules(exchange))
        put_rules(log, &line, exchange);
    crawl_err err = request_log_end_line(log, &line);
    log->requests++;
    pthread_mutex_unlock(&log->lock);
    return err;
}

bool crawl_request_log_wants_clock(crawl_request_log *log, int64_t at_us)
{
    enum { EVERY_US = 60000000 };
    pthread_mutex_lock(&log->lock);
    bool is_due = log->is_shared && at_us >= log->clock_us;
    log->clock_us = is_due ? at_us + EVERY_US : log->clock_us;
    pthread_mutex_unlock(&log->lock);
    return is_due;
}

crawl_err crawl_request_log_clock(crawl_request_log *log, const crawl_engine_stats *stats)
{
    if (!stats->is_shared || !stats->shared.server_us)
        return CRAWL_OK;
    pthread_mutex_lock(&log->lock);
    cw_writer line = request_log_begin_line(log, "clock");
    put_ms(&line, ",\"at\":", stats->now_us);
    put_ms(&line, ",\"redis\":", stats->shared.server_us);
    put_ms(&line, ",\"within\":", stats->shared.server_within_us);
    crawl_err err = request_log_end_line(log, &line);
    pthread_mutex_unlock(&log->lock);
    return err;
}

crawl_err crawl_request_log_finish(crawl_request_log *log, const crawl_engine_stats *stats)
{
    cw_writer line = request_log_begin_line(log, "run-end");
    put_ms(&line, ",\"end\":", stats->now_us);
    cw_json_int(&line, ",\"requests\":", (int64_t)log->requests);
    return request_log_end_line(log, &line);
}

/* Writes the identity of the crawler, and its limits. */
static void put_manners(cw_writer *line, const crawl_config *config)
{
    crawl_slice agent = cw_config_user_agent(&config->headers, crawl_slice_from(config->user_agent));
    cw_json_text(line, ",\"user_agent\":", agent);
    cw_json_words(line, ",\"robots_agent\":", config->robots_agent);
    if (!config->robots)
        cw_json_bool(line, ",\"robots\":", false);
    cw_json_int(line, ",\"depth\":", config->depth);
    bool is_same = true;
    for (size_t i = 0; i < config->host_count; i++)
        is_same = is_same && crawl_slice_equal(cw_config_user_agent(&config->hosts[i].headers, agent), agent);
    if (!is_same)
        cw_json_bool(line, ",\"other_agents\":", true);
}

static crawl_err request_log_begin(crawl_request_log *log, bool appended, const crawl_engine_stats *stats,
                                   crawl_error *error)
{
    crawl_err err = log->chain ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && appended)
        err = cw_output_record_file_last(log->config->requests, &log->line, error);
    if (err)
        return err;
    crawl_chain_follow(log->chain, crawl_buf_slice(&log->line));
    cw_writer line = request_log_begin_line(log, "run");
    cw_put_text(&line, ",\"program\":\"crawl ");
    cw_put_text(&line, crawl_version());
    put_ms(&line, "\",\"start\":", stats->opened_us);
    put_manners(&line, log->config);
    cw_json_int(&line, ",\"workers\":", stats->workers);
    if (stats->resumed)
        cw_json_bool(&line, ",\"resumed\":", true);
    if (stats->set_back_ms)
        cw_json_int(&line, ",\"set_back\":", stats->set_back_ms);
    if (stats->is_shared)
        cw_json_bool(&line, ",\"shared\":", true);
    log->is_shared = stats->is_shared;
    log->clock_us = stats->now_us + SOON_US;
    err = request_log_end_line(log, &line);
    return err ? err : crawl_request_log_clock(log, stats);
}

crawl_err crawl_request_log_open(crawl_lines *lines, const crawl_config *config, bool appended,
                                 const crawl_engine_stats *stats, crawl_request_log **out, crawl_error *error)
{
    crawl_request_log *log = calloc(1, sizeof *log);
    if (!log)
        return cw_error(error, CRAWL_ENOMEM);
    log->lines = lines;
    log->config = config;
    log->chain = crawl_chain_create();
    pthread_mutex_init(&log->lock, NULL);
    crawl_err err = request_log_begin(log, appended, stats, error);
    if (err == CRAWL_ENOMEM)
        cw_error(error, err);
    if (err)
        crawl_request_log_free(log);
    else
        *out = log;
    return err;
}

void crawl_request_log_free(crawl_request_log *log)
{
    if (!log)
        return;
    crawl_chain_free(log->chain);
    crawl_buf_free(&log->line);
    crawl_buf_free(&log->rules);
    pthread_mutex_destroy(&log->lock);
    free(log);
}
