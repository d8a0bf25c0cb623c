/* See request_log.h. */
#include "crawler/request_log.h"

#include "crawler/tool_io.h"

#include <crawl/robots.h>
#include <jansson.h>
#include <stdlib.h>

static double ms_of(int64_t us)
{
    return (double)us / 1000;
}

static json_t *ms_or_null(int64_t us, bool is_set)
{
    return is_set ? json_real(ms_of(us)) : json_null();
}

static json_t *word_or_null(const char *word)
{
    return word && *word ? json_string(word) : json_null();
}

static json_t *to_json(const crawl_exchange *e)
{
    const crawl_response *response = e->response;
    return json_pack("{s:o, s:I, s:o, s:s, s:o, s:b, s:f, s:f, s:i, s:o, s:I, s:f, s:s, s:I, s:b, s:b, s:o, s:o, s:o}", "host",
                     cw_json_text(e->origin), "seq", (json_int_t)e->seq, "ip", word_or_null(response->ip), "kind",
                     e->robots    ? "robots"
                     : e->sitemap ? "sitemap"
                                  : "page",
                     "url", cw_json_text(e->url), "sent", e->sent, "start", ms_of(e->started_us), "end", ms_of(e->ended_us),
                     "status", response->status, "error", word_or_null(crawl_fetch_error_name(response->error)), "attempt",
                     (json_int_t)e->attempt, "pause", ms_of(e->pause_us), "pause_by", e->pause_by, "limit", (json_int_t)e->limit,
                     "per_ip", e->per_ip, "probe", e->probe, "retry_after", ms_or_null(e->retry_after_us, e->retry_after_us >= 0),
                     "hold_until", ms_or_null(e->hold_until_us, e->hold_until_us != 0), "hold_by", word_or_null(e->hold_by));
}

/* A robots.txt that is longer than what counts of it. */
static bool is_cut(const crawl_exchange *e)
{
    bool is_read = e->robots && crawl_robots_effect_of(e->response->status) == CRAWL_ROBOTS_PARSE;
    return is_read && e->response->body.size > CRAWL_ROBOTS_MAX_SIZE;
}

crawl_err cw_request_log_write(cw_record_sink *sink, const crawl_exchange *exchange)
{
    enum { DIGITS = 16 }; /* microseconds since 1970 */
    json_t *object = to_json(exchange);
    if (object && is_cut(exchange))
        json_object_set_new(object, "cut", json_true());
    char *line = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(DIGITS)) : NULL;
    json_decref(object);
    crawl_err err = line ? cw_record_sink_line(sink, line) : CRAWL_ENOMEM;
    free(line);
    return err;
}
