#include "crawler/program/webhook/webhook_event.h"

#include "base/bytes.h"
#include "base/date.h"
#include "base/json/json_write.h"
#include "base/utf8.h"
#include "crawler/program/summary/report.h"

static cw_writer webhook_event_begin(const char *type, int64_t now_ms, crawl_buf *out)
{
    cw_writer to = {.out = out};
    cw_json_words(&to, "{\"type\":", type);
    cw_json_words(&to, ",\"timestamp\":", cw_date_of(now_ms).text);
    cw_put_text(&to, ",\"data\":{");
    return to;
}

static crawl_err webhook_event_end(cw_writer *to)
{
    cw_put_text(to, "}}");
    return to->err;
}

crawl_err cw_webhook_event_finished(const crawl_engine_stats *stats, int status, const char *place, int64_t now_ms,
                                    crawl_buf *out)
{
    cw_writer to = webhook_event_begin("crawl.finished", now_ms, out);
    cw_json_words(&to, "\"crawl\":", place);
    cw_json_int(&to, ",\"exit_status\":", status);
    cw_json_words(&to, ",\"end\":", cw_report_end(stats->end));
    cw_json_bool(&to, ",\"is_complete\":", stats->end == CRAWL_END_DRAINED);
    const struct {
        const char *before;
        uint64_t figure;
    } figures[] = {{",\"elapsed_ms\":", (uint64_t)stats->elapsed_ms},
                   {",\"pages\":", stats->pages},
                   {",\"errors\":", stats->errors},
                   {",\"bytes\":", stats->bytes},
                   {",\"wire_bytes\":", stats->wire_bytes},
                   {",\"visits\":", stats->visits},
                   {",\"changed\":", stats->changed},
                   {",\"gone\":", stats->gone},
                   {",\"queued\":", stats->frontier.queued}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        cw_json_int(&to, figures[i].before, (int64_t)figures[i].figure);
    cw_put_text(&to, ",\"statuses\":{");
    for (size_t i = 1; i <= 5; i++)
        cw_put_format(&to, "%s\"%zuxx\":%llu", i > 1 ? "," : "", i, (unsigned long long)stats->status[i]);
    cw_put_text(&to, "}");
    return webhook_event_end(&to);
}

crawl_err cw_webhook_event_changed(const crawl_record *record, int64_t now_ms, crawl_buf *out)
{
    enum { TITLE_MOST = 512 }; /* bytes: a longer one would leave the body no room */
    char digest[sizeof "sha1:" + 32] = "", fingerprint[41];
    cw_writer to = webhook_event_begin("page.changed", now_ms, out);
    crawl_fingerprint_hex(&record->fingerprint, fingerprint);
    if (record->has_digest) {
        memcpy(digest, "sha1:", strlen("sha1:"));
        cw_base32_encode(record->digest.bytes, sizeof record->digest.bytes, digest + strlen("sha1:"));
    }
    cw_json_text(&to, "\"url\":", record->url);
    cw_json_words(&to, ",\"fingerprint\":", fingerprint);
    cw_json_text_or_null(&to, ",\"title\":", cw_utf8_cut(record->title, TITLE_MOST));
    cw_json_int(&to, ",\"visit\":", record->visit);
    cw_json_int(&to, ",\"status\":", record->status);
    cw_json_words(&to, ",\"digest\":", digest);
    cw_json_words(&to, ",\"fetched_at\":", cw_date_of(record->fetched_at_ms).text);
    bool is_dated = record->last_modified >= 0;
    cw_json_words(&to, ",\"last_modified\":", is_dated ? cw_date_of(record->last_modified * 1000).text : "");
    return webhook_event_end(&to);
}

crawl_err cw_webhook_event_wall(const crawl_record *record, crawl_slice host, int64_t now_ms, crawl_buf *out)
{
    cw_writer to = webhook_event_begin("wall.met", now_ms, out);
    cw_json_text(&to, "\"host\":", host);
    cw_json_words(&to, ",\"verdict\":", record->verdict);
    cw_json_words(&to, ",\"service\":", record->wall);
    cw_json_words(&to, ",\"detail\":", record->error_text);
    cw_json_int(&to, ",\"status\":", record->status);
    cw_json_text(&to, ",\"url\":", record->url);
    return webhook_event_end(&to);
}
