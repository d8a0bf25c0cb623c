/* See shared.h: the object and what its files share. */
#include "redis/client.h"
#include "shared/protocol/protocol_state.h"

#include "base/bytes.h"
#include "base/error.h"
#include "shared/protocol/scripts/scripts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { PARTS = 5 };

/* Each script is the concatenation of these parts. */
static const struct {
    const char *name;
    const char *parts[PARTS];
} scripts[CW_SHARED_SCRIPTS] = {
    [CW_SHARED_JOIN] = {"join", {cw_shared_common_lua, cw_shared_join_lua}},
    [CW_SHARED_FEED] = {"feed", {cw_shared_common_lua, cw_shared_feed_lua}},
    [CW_SHARED_PUSH] = {"push", {cw_shared_common_lua, cw_shared_queue_lua, cw_shared_seen_lua, cw_shared_push_lua}},
    [CW_SHARED_TAKE] = {"take",
                        {cw_shared_common_lua, cw_shared_queue_lua, cw_shared_session_lua, cw_shared_later_lua,
                         cw_shared_take_lua}},
    [CW_SHARED_RENEW] = {"renew", {cw_shared_common_lua, cw_shared_renew_lua}},
    [CW_SHARED_WRITE] = {"write",
                         {cw_shared_common_lua, cw_shared_queue_lua, cw_shared_session_lua, cw_shared_later_lua,
                          cw_shared_write_lua}},
    [CW_SHARED_SETTLE] = {"settle",
                          {cw_shared_common_lua, cw_shared_queue_lua, cw_shared_session_lua, cw_shared_later_lua,
                           cw_shared_settle_lua}},
    [CW_SHARED_RESTORE] = {"restore", {cw_shared_common_lua, cw_shared_queue_lua, cw_shared_restore_lua}},
    [CW_SHARED_BODIES] = {"bodies", {cw_shared_common_lua, cw_shared_bodies_lua}},
    [CW_SHARED_RUN] = {"run", {cw_shared_common_lua, cw_shared_run_lua}},
    [CW_SHARED_NOTES] = {"notes", {cw_shared_common_lua, cw_shared_notes_lua}},
    [CW_SHARED_STIR] = {"stir", {cw_shared_common_lua, cw_shared_stir_lua}},
    [CW_SHARED_TICKETS] = {"tickets", {cw_shared_common_lua, cw_shared_tickets_lua}},
    [CW_SHARED_TURNS] = {"turns", {cw_shared_common_lua, cw_shared_turns_lua}},
    [CW_SHARED_FIGURES] = {"figures", {cw_shared_common_lua, cw_shared_counted_lua, cw_shared_figures_lua}},
    [CW_SHARED_REPORT] = {"report", {cw_shared_common_lua, cw_shared_report_lua}},
    [CW_SHARED_CREW] = {"crew", {cw_shared_common_lua, cw_shared_crew_lua}},
    [CW_SHARED_VIEW] = {"view", {cw_shared_common_lua, cw_shared_counted_lua, cw_shared_view_lua}},
    [CW_SHARED_FIND] = {"find", {cw_shared_common_lua, cw_shared_seen_lua, cw_shared_find_lua}},
    [CW_SHARED_CHECK] = {"check",
                         {cw_shared_common_lua, cw_shared_seen_lua, cw_shared_jar_lua, cw_shared_jars_check_lua,
                          cw_shared_check_lua}},
    [CW_SHARED_COOKIES] = {"cookies", {cw_shared_common_lua, cw_shared_jar_lua, cw_shared_cookies_lua}},
};

/* ---- create and free ---- */

size_t cw_shared_partition_size(crawl_slice text)
{
    enum { DIGITS_MAX = 3 };
    size_t digits = cw_starts_with(text, ":") ? cw_count_digits(cw_drop(text, 1)) : 0;
    bool is_number = digits == 1 || (digits && digits <= DIGITS_MAX && text.data[1] != '0');
    bool is_one = is_number && strtoul(text.data + 1, NULL, 10) < CW_SHARED_PARTITIONS;
    return is_one ? 1 + digits : 0;
}

/* Returns true if keys of a crawl of this name would be those of a partition of another crawl. */
static bool is_of_partition(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon && cw_shared_partition_size(crawl_slice_from(colon)) == strlen(colon);
}

crawl_err cw_shared_check_name(const char *name, crawl_error *error)
{
    size_t size = strlen(name);
    bool is_plain = true;
    for (size_t i = 0; i < size; i++)
        is_plain = is_plain && (unsigned char)name[i] >= ' ' && !strchr("{}\x7f", name[i]);
    if (!is_plain || size < 1 || size > CW_SHARED_NAME_MAX)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "the name of a shared crawl has 1 to %u bytes, without braces and control characters",
                               CW_SHARED_NAME_MAX);
    if (is_of_partition(name))
        return crawl_error_set(error, CRAWL_EINVAL,
                               "the name of a shared crawl cannot end in a colon and a number up to %u: %s",
                               CW_SHARED_PARTITIONS - 1, name);
    return CRAWL_OK;
}

static crawl_err shared_check(const cw_shared_options *options, crawl_error *error)
{
    crawl_err err = cw_shared_check_name(options->name, error);
    if (err)
        return err;
    if (!*options->worker)
        return crawl_error_set(error, CRAWL_EINVAL, "a worker of a shared crawl needs a name");
    if (options->seen == CW_SHARED_SCALABLE && !(options->rate >= 1e-9 && options->rate <= 0.5))
        return crawl_error_set(error, CRAWL_EINVAL, "the rate of a shared seen-set is from 1e-9 to 0.5");
    if (options->lease_ms < 100 || options->lease_ms > 3600000)
        return crawl_error_set(error, CRAWL_EINVAL, "the lease of a shared crawl is from 100 to 3600000 ms");
    return CRAWL_OK;
}

static crawl_err make_script(size_t index, crawl_redis_script **out)
{
    crawl_buf text = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < PARTS && scripts[index].parts[i] && !err; i++)
        err = crawl_buf_append_text(&text, scripts[index].parts[i]);
    if (!err)
        err = crawl_redis_script_create(scripts[index].name, CW_SHARED_FORMAT, text.data, out);
    crawl_buf_free(&text);
    return err;
}

crawl_err cw_shared_create(const cw_shared_options *options, cw_shared **out, crawl_error *error)
{
    crawl_err err = shared_check(options, error);
    if (err)
        return err;
    cw_shared *shared = calloc(1, sizeof *shared);
    if (!shared)
        return cw_error(error, CRAWL_ENOMEM);
    shared->options = *options;
    shared->options.name = strdup(options->name);
    shared->options.worker = strdup(options->worker);
    if (options->seen == CW_SHARED_SCALABLE)
        cw_shared_sizes_write(options->rate, options->capacity / CW_SHARED_PARTITIONS, shared->sizes);
    if (!shared->options.name || !shared->options.worker)
        err = CRAWL_ENOMEM;
    for (size_t i = 0; i < CW_SHARED_SCRIPTS && !err; i++)
        err = make_script(i, &shared->scripts[i]);
    if (err) {
        cw_shared_free(shared);
        return cw_error(error, err);
    }
    cw_redis_watch(options->redis);
    *out = shared;
    return CRAWL_OK;
}

void cw_shared_free(cw_shared *shared)
{
    if (!shared)
        return;
    for (size_t i = 0; i < CW_SHARED_SCRIPTS; i++)
        crawl_redis_script_free(shared->scripts[i]);
    free((char *)shared->options.name);
    free((char *)shared->options.worker);
    free(shared);
}

unsigned cw_shared_partition(crawl_slice origin)
{
    return (unsigned)(XXH3_64bits(origin.size ? origin.data : "", origin.size) % CW_SHARED_PARTITIONS);
}

int64_t cw_shared_until(const cw_shared *shared, int64_t now_us)
{
    return now_us + shared->options.lease_ms * 900;
}

/* ---- arguments ---- */

const char *cw_shared_seen_word(const cw_shared *shared)
{
    static const char *const words[] = {
        [CW_SHARED_SCALABLE] = "scalable", [CW_SHARED_EXACT] = "exact", [CW_SHARED_DUPEFILTER] = "scrapy-redis"};
    return words[shared->options.seen];
}

enum {
    FIRST = 2, /* the key and the time */
    KEY_ROOM = CW_SHARED_NAME_MAX + 16,
    SIGNED_ROOM = 24 + CW_SHARED_SIGN
};

/* Writes the hash tag of a partition, "{NAME:p}", or that of the whole crawl, "{NAME}". */
static void shared_add_key(const cw_shared *shared, unsigned partition, cw_shared_words *words, char *room)
{
    int size = partition == CW_SHARED_WHOLE ? snprintf(room, KEY_ROOM, "{%s}", shared->options.name)
                                            : snprintf(room, KEY_ROOM, "{%s:%u}", shared->options.name, partition);
    cw_shared_add(words, crawl_slice_of(room, (size_t)size));
}

static void shared_add_time(const cw_shared *shared, cw_shared_words *words, char *room)
{
    int size = snprintf(room, SIGNED_ROOM, "%" PRId64 "%s%s", shared->now_ms, *shared->sign ? " " : "", shared->sign);
    cw_shared_add(words, crawl_slice_of(room, (size_t)size));
}

crawl_err cw_shared_words_make(const cw_shared *shared, unsigned partition, size_t most, cw_shared_words *out)
{
    most += FIRST;
    *out = (cw_shared_words){
        .words = malloc(most * sizeof *out->words),
        .digits = malloc(most * sizeof *out->digits + KEY_ROOM + SIGNED_ROOM),
    };
    if (!out->words || !out->digits) {
        cw_shared_words_free(out);
        return CRAWL_ENOMEM;
    }
    char *room = (char *)(out->digits + most); /* after the digits */
    shared_add_key(shared, partition, out, room);
    shared_add_time(shared, out, room + KEY_ROOM);
    return CRAWL_OK;
}

void cw_shared_words_free(cw_shared_words *words)
{
    free(words->words);
    free(words->digits);
    *words = (cw_shared_words){0};
}

void cw_shared_add(cw_shared_words *words, crawl_slice word)
{
    words->words[words->count++] = word;
}

static void shared_add_digits(cw_shared_words *words, int size)
{
    cw_shared_add(words, crawl_slice_of(words->digits[words->count], (size_t)size));
}

void cw_shared_add_number(cw_shared_words *words, int64_t number)
{
    shared_add_digits(words, snprintf(words->digits[words->count], sizeof *words->digits, "%" PRId64, number));
}

void cw_shared_add_level(cw_shared_words *words, uint64_t level)
{
    shared_add_digits(words, snprintf(words->digits[words->count], sizeof *words->digits, "%016" PRIx64, level));
}

crawl_err cw_shared_send(cw_shared *shared, cw_shared_script script, cw_shared_words *words, crawl_redis_done done,
                         void *user)
{
    crawl_err err =
        crawl_redis_eval(shared->options.redis, shared->scripts[script], 1, words->words, words->count, done, user);
    cw_shared_words_free(words);
    return err;
}

void cw_shared_write_key_of(const cw_shared *shared, unsigned partition, const char *word, char key[CW_SHARED_KEY_MAX])
{
    if (partition == CW_SHARED_WHOLE)
        snprintf(key, CW_SHARED_KEY_MAX, "{%s}:%s", shared->options.name, word);
    else
        snprintf(key, CW_SHARED_KEY_MAX, "{%s:%u}:%s", shared->options.name, partition, word);
}

crawl_err cw_shared_get(cw_shared *shared, const char *word, crawl_redis_done done, void *user)
{
    char key[CW_SHARED_KEY_MAX];
    cw_shared_write_key_of(shared, CW_SHARED_WHOLE, word, key);
    return crawl_redis_send_texts(shared->options.redis, done, user, "GET", key, NULL);
}

/* ---- answers ---- */

const crawl_redis_reply *cw_shared_item_of(const crawl_redis_reply *reply, size_t index)
{
    bool there = reply && reply->type == CRAWL_REDIS_ARRAY && index < reply->count;
    return there ? &reply->items[index] : NULL;
}

int64_t cw_shared_number(const crawl_redis_reply *reply, int64_t otherwise)
{
    return reply && reply->type == CRAWL_REDIS_NUMBER ? reply->number : otherwise;
}

/* How many numbers a crawl_shared_counts has, and how many of them, the first ones, counted.lua answers in this order.
 * Those from `exact` on arrive separately. */
enum {
    COUNTS = offsetof(crawl_shared_counts, reserved) / sizeof(uint64_t),
    COUNTED = offsetof(crawl_shared_counts, exact) / sizeof(uint64_t)
};

bool cw_shared_counts_read(const crawl_redis_reply *reply, crawl_shared_counts *out)
{
    uint64_t *numbers = (uint64_t *)out;
    for (size_t i = 0; i < COUNTED; i++) {
        int64_t number = cw_shared_number(cw_shared_item_of(reply, i), -1);
        if (number < 0)
            return false;
        numbers[i] = (uint64_t)number;
    }
    return true;
}

void cw_shared_counts_add(crawl_shared_counts *sum, const crawl_shared_counts *part)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)part;
    for (size_t i = 0; i < COUNTS; i++)
        to[i] += from[i];
}

/* err: of the sending; a script that was sent may already be answered. */
static crawl_err shared_count_sent(cw_shared_round *round, crawl_err err)
{
    if (err)
        round->owed--;
    else
        round->is_sent = true;
    return err;
}

crawl_err cw_shared_send_in(cw_shared_round *round, cw_shared *shared, cw_shared_script script, cw_shared_words *words,
                            crawl_redis_done done, void *user)
{
    round->owed++;
    return shared_count_sent(round, cw_shared_send(shared, script, words, done, user));
}

crawl_err cw_shared_ask_in(cw_shared_round *round, cw_shared *shared, const crawl_slice *words, size_t count,
                           crawl_redis_done done, void *user)
{
    round->owed++;
    return shared_count_sent(round, crawl_redis_send(shared->options.redis, words, count, done, user));
}

crawl_err cw_shared_end_sending(cw_shared_round *round, crawl_err err)
{
    if (err && !round->is_sent)
        return err;
    if (err)
        cw_shared_note_fault(round, CRAWL_REDIS_UNSENT, crawl_redis_fault_words(CRAWL_REDIS_UNSENT));
    return CRAWL_OK;
}

void cw_shared_note_fault(cw_shared_round *round, crawl_redis_fault fault, const char *words)
{
    if (round->fault || !fault)
        return;
    round->fault = fault;
    snprintf(round->words, sizeof round->words, "%s", words);
}

bool cw_shared_is_last(cw_shared_round *round)
{
    return --round->owed == 0;
}

cw_shared_place cw_shared_place_of(crawl_slice origin, size_t index)
{
    return (cw_shared_place){.partition = cw_shared_partition(origin), .origin = origin, .index = index};
}

static int shared_compare_places(const void *left, const void *right)
{
    const cw_shared_place *a = left;
    const cw_shared_place *b = right;
    if (a->partition != b->partition)
        return a->partition < b->partition ? -1 : 1;
    int order = cw_compare(a->origin, b->origin);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

void cw_shared_sort_places(cw_shared_place *places, size_t count)
{
    qsort(places, count, sizeof *places, shared_compare_places);
}

size_t cw_shared_places_together(const cw_shared_place *places, size_t count, size_t most)
{
    size_t size = 0;
    while (size < count && size < most && places[size].partition == places->partition)
        size++;
    return size;
}
