#include "crawler/program/live/course/live_journal.h"

#include "base/bytes.h"
#include "base/date.h"
#include "base/json/json_write.h"

#include <crawl/links.h>

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

/* Copies a request under the lock. It is written without the lock, so that the crawl's threads wait for one copy at
 * most. */
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
