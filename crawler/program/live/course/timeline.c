#include "crawler/program/live/course/timeline.h"

#include "base/json/json_write.h"

static void halve(cw_live_timeline *timeline)
{
    size_t kept = 0;
    for (size_t i = 0; i < timeline->count; i += 2)
        timeline->points[kept++] = timeline->points[i];
    timeline->count = kept;
    timeline->apart_ms *= 2;
}

void cw_live_timeline_add(cw_live_timeline *timeline, const crawl_engine_stats *stats)
{
    enum { FIRST_MS = 1000, SLACK_MS = 100 }; /* the loop's ticks come a little early or late */
    if (!timeline->apart_ms)
        timeline->apart_ms = FIRST_MS;
    const cw_live_point *last = timeline->count ? &timeline->points[timeline->count - 1] : NULL;
    if (last && stats->elapsed_ms - last->elapsed_ms < timeline->apart_ms - SLACK_MS)
        return;
    if (timeline->count == CW_LIVE_POINTS)
        halve(timeline);
    timeline->points[timeline->count++] = (cw_live_point){
        .elapsed_ms = stats->elapsed_ms,
        .pages = stats->pages,
        .errors = stats->errors,
        .queued = stats->frontier.queued,
        .keys = stats->frontier.filter.count,
        .fill = stats->frontier.filter.fill,
        .lost = stats->frontier.filter.expected_false,
    };
}

static double timeline_value_of(const cw_live_point *point, size_t column)
{
    const double values[] = {(double)point->elapsed_ms / 1000,
                             (double)point->pages,
                             (double)point->errors,
                             (double)point->queued,
                             (double)point->keys,
                             point->fill,
                             point->lost};
    return values[column];
}

void cw_live_timeline_write(const cw_live_timeline *timeline, cw_writer *out)
{
    static const char *const columns[] = {"elapsed_s",   "pages",       "errors",     "queued",
                                          "filter_keys", "filter_fill", "filter_lost"};
    for (size_t column = 0; column < sizeof columns / sizeof *columns; column++) {
        cw_json_words(out, column ? "," : "{", columns[column]);
        cw_put_text(out, ":[");
        for (size_t i = 0; i < timeline->count; i++) {
            cw_put_text(out, i ? "," : "");
            cw_json_put_real(out, timeline_value_of(&timeline->points[i], column));
        }
        cw_put_char(out, ']');
    }
    cw_put_text(out, "}\n");
}
