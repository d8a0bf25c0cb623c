#include "crawler/program/live/course/timeline.h"

#include "base/date.h"
#include "base/json/json_write.h"
#include "crawler/program/summary/units.h"

#include <crawl/links.h>

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
    enum { FIRST_MS = 1000, SLACK_MS = 100 }; /* the loop's ticks come slightly early or late */
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

/* A ring. */

/* Returns a past moment; back 0: the last one. */
static const cw_live_moment *moment_at(const cw_live_history *history, size_t back)
{
    return &history->moments[(history->count - 1 - back) % CW_LIVE_MOMENTS];
}

static size_t kept(const cw_live_history *history)
{
    return history->count < CW_LIVE_MOMENTS ? history->count : CW_LIVE_MOMENTS;
}

static double pace_between(const cw_live_moment *from, const cw_live_moment *to)
{
    return to->pages < from->pages ? 0
                                   : cw_program_per_second(to->pages - from->pages, to->elapsed_ms - from->elapsed_ms);
}

void cw_live_history_add(cw_live_history *history, cw_live_moment moment)
{
    if (history->count && moment.elapsed_ms <= moment_at(history, 0)->elapsed_ms)
        return;
    history->moments[history->count % CW_LIVE_MOMENTS] = moment;
    history->count++;
}

double cw_live_history_pace(const cw_live_history *history, cw_live_moment now, int64_t over_ms)
{
    size_t count = kept(history);
    size_t back = 0;
    if (!count)
        return cw_program_per_second(now.pages, now.elapsed_ms);
    while (back + 1 < count && now.elapsed_ms - moment_at(history, back)->elapsed_ms < over_ms)
        back++;
    return pace_between(moment_at(history, back), &now);
}

size_t cw_live_history_paces(const cw_live_history *history, double *paces)
{
    size_t count = kept(history);
    for (size_t i = 1; i < count; i++)
        paces[i - 1] = pace_between(moment_at(history, count - i), moment_at(history, count - i - 1));
    return count ? count - 1 : 0;
}

void cw_live_journal_init(cw_live_journal *journal)
{
    pthread_mutex_init(&journal->lock, NULL);
    journal->count = 0;
}

void cw_live_journal_free(cw_live_journal *journal)
{
    pthread_mutex_destroy(&journal->lock);
}

bool cw_live_copy(char *field, size_t room, crawl_slice text)
{
    bool is_cut = text.size >= room;
    size_t size = is_cut ? room - 1 : text.size;
    if (size)
        memcpy(field, text.data, size);
    field[size] = '\0';
    return is_cut;
}

void cw_live_journal_add(cw_live_journal *journal, const crawl_record *record)
{
    crawl_slice type = crawl_media_type(record->content_type);
    pthread_mutex_lock(&journal->lock);
    cw_live_request *one = &journal->ring[journal->count % CW_LIVE_REQUESTS];
    one->number = ++journal->count;
    one->at_ms = record->fetched_at_ms;
    one->elapsed_ms = record->elapsed_ms;
    one->bytes = record->bytes;
    one->status = record->status;
    one->depth = record->depth;
    one->is_cut = cw_live_copy(one->url, sizeof one->url, record->url);
    (void)cw_live_copy(one->error, sizeof one->error, crawl_slice_from(record->error));
    (void)cw_live_copy(one->words, sizeof one->words, crawl_slice_from(record->error_text));
    (void)cw_live_copy(one->type, sizeof one->type, type);
    pthread_mutex_unlock(&journal->lock);
}

static void write_one(const cw_live_request *one, cw_writer *out)
{
    cw_json_int(out, "{\"number\":", (int64_t)one->number);
    cw_json_words(out, ",\"at\":", cw_date_of(one->at_ms).text);
    cw_json_words(out, ",\"url\":", one->url);
    cw_json_bool(out, ",\"cut\":", one->is_cut);
    cw_json_int(out, ",\"status\":", one->status);
    cw_put_text(out, ",\"elapsed_ms\":");
    cw_json_put_real(out, one->elapsed_ms);
    cw_json_int(out, ",\"bytes\":", (int64_t)one->bytes);
    cw_json_int(out, ",\"depth\":", one->depth);
    cw_json_words(out, ",\"type\":", one->type);
    cw_json_words(out, ",\"error\":", one->error);
    cw_json_words(out, ",\"words\":", one->words);
    cw_put_char(out, '}');
}

/* Copies a request under the lock. It is written without the lock, so that the crawl's threads wait for at most one
 * copy. */
static bool read_one(cw_live_journal *journal, uint64_t number, cw_live_request *out)
{
    pthread_mutex_lock(&journal->lock);
    *out = journal->ring[(number - 1) % CW_LIVE_REQUESTS];
    pthread_mutex_unlock(&journal->lock);
    return out->number == number;
}

uint64_t cw_live_journal_write(cw_live_journal *journal, uint64_t after, size_t most, cw_writer *out)
{
    cw_live_request one;
    const char *before = "";
    pthread_mutex_lock(&journal->lock);
    uint64_t last = journal->count;
    pthread_mutex_unlock(&journal->lock);
    uint64_t least = last > most ? last - most : 0;
    cw_put_char(out, '[');
    for (uint64_t number = (after > least ? after : least) + 1; number <= last; number++) {
        if (!read_one(journal, number, &one))
            continue; /* overwritten meanwhile */
        cw_put_text(out, before);
        write_one(&one, out);
        before = ",";
    }
    cw_put_char(out, ']');
    return last;
}
