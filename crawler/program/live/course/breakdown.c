#include "crawler/program/live/course/breakdown.h"

#include "base/bytes.h"
#include "base/date.h"
#include "base/json/json_write.h"

#include <crawl/links.h>

#include <stdio.h>

void cw_live_breakdown_init(cw_live_breakdown *breakdown)
{
    pthread_mutex_init(&breakdown->lock, NULL);
}

void cw_live_breakdown_free(cw_live_breakdown *breakdown)
{
    pthread_mutex_destroy(&breakdown->lock);
}

static void count_type(cw_live_breakdown *all, crawl_slice type)
{
    if (!type.size) {
        all->untyped++;
        return;
    }
    for (unsigned i = 0; i < all->type_count; i++)
        if (cw_equal_nocase(crawl_slice_from(all->types[i].name), type)) {
            all->types[i].count++;
            return;
        }
    if (all->type_count == CW_LIVE_TYPES || type.size >= sizeof all->types->name) {
        all->other_types++;
        return;
    }
    cw_live_type *one = &all->types[all->type_count++];
    cw_copy_lower(one->name, type);
    one->count = 1;
}

/* Returns the kind of that name, adding it if needed. NULL: no room for another. */
static cw_live_kind *breakdown_kind_of(cw_live_breakdown *all, const char *name)
{
    for (unsigned i = 0; i < all->kind_count; i++)
        if (strcmp(all->kinds[i].name, name) == 0)
            return &all->kinds[i];
    if (all->kind_count == CW_LIVE_KINDS)
        return NULL;
    cw_live_kind *one = &all->kinds[all->kind_count++];
    (void)cw_live_copy(one->name, sizeof one->name, crawl_slice_from(name));
    return one;
}

static void add_error(cw_live_breakdown *all, const crawl_record *record)
{
    char name[CW_LIVE_TYPE];
    snprintf(name, sizeof name, "%d", record->status);
    cw_live_kind *kind = breakdown_kind_of(all, record->error ? record->error : name);
    if (!kind) {
        all->other_kinds++;
        return;
    }
    cw_live_example *one = &kind->examples[kind->count++ % CW_LIVE_EXAMPLES];
    one->at_ms = record->fetched_at_ms;
    (void)cw_live_copy(one->url, sizeof one->url, record->url);
    (void)cw_live_copy(one->parent, sizeof one->parent, record->parent);
    (void)cw_live_copy(one->words, sizeof one->words, crawl_slice_from(record->error_text));
}

void cw_live_breakdown_add(cw_live_breakdown *breakdown, const crawl_record *record)
{
    enum { FIRST_ERROR = 400 };
    crawl_slice type = crawl_media_type(record->content_type);
    pthread_mutex_lock(&breakdown->lock);
    if (record->status) {
        breakdown->depths[record->depth < CW_LIVE_DEPTHS ? record->depth : CW_LIVE_DEPTHS]++;
        count_type(breakdown, type);
    }
    if (record->error || record->status >= FIRST_ERROR)
        add_error(breakdown, record);
    pthread_mutex_unlock(&breakdown->lock);
}

/* --- JSON. --- */

static void put_depths(cw_writer *out, const cw_live_breakdown *all)
{
    unsigned deepest = CW_LIVE_DEPTHS;
    while (deepest && !all->depths[deepest - 1])
        deepest--;
    cw_put_text(out, "{\"depths\":[");
    for (unsigned i = 0; i < deepest; i++)
        cw_json_int(out, i ? "," : "", (int64_t)all->depths[i]);
    cw_json_int(out, "],\"deeper\":", (int64_t)all->depths[CW_LIVE_DEPTHS]);
}

static void breakdown_put_types(cw_writer *out, const cw_live_breakdown *all)
{
    cw_put_text(out, ",\"types\":[");
    for (unsigned i = 0; i < all->type_count; i++) {
        cw_json_text(out, i ? ",{\"type\":" : "{\"type\":", crawl_slice_from(all->types[i].name));
        cw_json_int(out, ",\"count\":", (int64_t)all->types[i].count);
        cw_put_char(out, '}');
    }
    cw_json_int(out, "],\"other_types\":", (int64_t)all->other_types);
    cw_json_int(out, ",\"untyped\":", (int64_t)all->untyped);
}

static void put_example(cw_writer *out, const cw_live_example *one)
{
    cw_json_words(out, "{\"at\":", cw_date_of(one->at_ms).text);
    cw_json_words(out, ",\"url\":", one->url);
    cw_json_words(out, ",\"parent\":", one->parent);
    cw_json_words(out, ",\"words\":", one->words);
    cw_put_char(out, '}');
}

/* Puts a kind with its examples, the latest first. */
static void put_kind(cw_writer *out, const cw_live_kind *kind)
{
    uint64_t kept = kind->count < CW_LIVE_EXAMPLES ? kind->count : CW_LIVE_EXAMPLES;
    cw_json_words(out, "{\"kind\":", kind->name);
    cw_json_int(out, ",\"count\":", (int64_t)kind->count);
    cw_put_text(out, ",\"examples\":[");
    for (uint64_t back = 0; back < kept; back++) {
        cw_put_text(out, back ? "," : "");
        put_example(out, &kind->examples[(kind->count - 1 - back) % CW_LIVE_EXAMPLES]);
    }
    cw_put_text(out, "]}");
}

/* Holds the lock for some ten microseconds, every few seconds. */
void cw_live_breakdown_write(cw_live_breakdown *breakdown, cw_writer *out)
{
    pthread_mutex_lock(&breakdown->lock);
    put_depths(out, breakdown);
    breakdown_put_types(out, breakdown);
    cw_put_text(out, ",\"errors\":[");
    for (unsigned i = 0; i < breakdown->kind_count; i++) {
        cw_put_text(out, i ? "," : "");
        put_kind(out, &breakdown->kinds[i]);
    }
    cw_json_int(out, "],\"other_errors\":", (int64_t)breakdown->other_kinds);
    cw_put_text(out, "}\n");
    pthread_mutex_unlock(&breakdown->lock);
}
