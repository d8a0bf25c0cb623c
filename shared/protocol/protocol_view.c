/* See <crawl/sys/shared_view.h>. Reads the decisions first, since they tell whether the rest can be read. Then sends a
 * script to each partition, and builds the picture from the answers. Texts are copied. */
#include "shared/protocol/protocol_state.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/sized.h"

#include <crawl/sys/shared_view.h>
#include <stdio.h>
#include <stdlib.h>

#define LIST_FIRST 16 /* initial capacity of a list of the picture */

typedef struct view {
    cw_shared *shared;
    cw_shared_round round;
    crawl_shared_viewed *done;
    void *user;
    crawl_shared_view_options options;
    bool no_memory;
    crawl_shared_picture picture;
    crawl_shared_counts parts[CRAWL_SHARED_PARTITIONS];
    crawl_shared_crew crew;
    crawl_shared_decided *decided; /* the lists of the picture; both texts of an entry are in one block, which the first
                                      owns */
    crawl_shared_place *places;
    char **violations;
    char sizes[CW_SHARED_LINKS * CW_SHARED_SIZE]; /* of the links of the seen-set */
    crawl_buf sign;                               /* of the crawl; empty: it has none yet, or no check is wanted */
    size_t decided_room;                          /* the capacities of the lists */
    size_t place_room;
    size_t violation_room;
} view;

/* A script that was sent for a view. */
typedef struct view_part {
    view *of;
    unsigned partition;
} view_part;

/* ---- lists ---- */

/* Copies two texts into one block, each with a NUL. False: out of memory. */
static bool protocol_view_copy_texts(crawl_slice *a, crawl_slice *b)
{
    char *block = malloc(a->size + b->size + 2);
    if (!block)
        return false;
    char *second = block + a->size + 1;
    memcpy(block, a->size ? a->data : "", a->size);
    memcpy(second, b->size ? b->data : "", b->size);
    block[a->size] = second[b->size] = '\0';
    *a = crawl_slice_of(block, a->size);
    *b = crawl_slice_of(second, b->size);
    return true;
}

static bool add_decided(view *v, crawl_slice name, crawl_slice value)
{
    if (CW_ARRAY_RESERVE(v->decided, v->decided_room, v->picture.decided_count + 1, LIST_FIRST) ||
        !protocol_view_copy_texts(&name, &value))
        return false;
    v->decided[v->picture.decided_count++] = (crawl_shared_decided){name, value};
    return true;
}

static bool add_place(view *v, crawl_shared_place place)
{
    if (CW_ARRAY_RESERVE(v->places, v->place_room, v->picture.place_count + 1, LIST_FIRST) ||
        !protocol_view_copy_texts(&place.origin, &place.process))
        return false;
    v->places[v->picture.place_count++] = place;
    return true;
}

static bool add_violation(view *v, const char *text)
{
    if (CW_ARRAY_RESERVE(v->violations, v->violation_room, v->picture.violation_count + 1, LIST_FIRST))
        return false;
    char *copy = strdup(text);
    if (copy)
        v->violations[v->picture.violation_count++] = copy;
    return copy;
}

static void free_view(view *v)
{
    for (size_t i = 0; i < v->picture.decided_count; i++)
        free((char *)v->decided[i].name.data);
    for (size_t i = 0; i < v->picture.place_count; i++)
        free((char *)v->places[i].origin.data);
    for (size_t i = 0; i < v->picture.violation_count; i++)
        free(v->violations[i]);
    free(v->decided);
    crawl_shared_crew_free(&v->crew);
    free(v->places);
    free(v->violations);
    crawl_buf_free(&v->sign);
    cw_shared_free(v->shared);
    free(v);
}

/* ---- the picture ---- */

static crawl_slice decided_of(const view *v, const char *name)
{
    for (size_t i = 0; i < v->picture.decided_count; i++)
        if (cw_is(v->decided[i].name, name))
            return v->decided[i].value;
    return (crawl_slice){0};
}

static double protocol_view_number_of(const view *v, const char *name)
{
    return cw_shared_number_in(decided_of(v, name));
}

static void reckon_filter(view *v)
{
    cw_shared_link links[CW_SHARED_LINKS];
    crawl_shared_filter *filter = &v->picture.filter;
    cw_shared_chain sum = {0};
    crawl_slice kind = decided_of(v, "crawl.seen");
    bool is_dupefilter = cw_is(kind, "scrapy-redis");
    *filter = (crawl_shared_filter){.is_exact = is_dupefilter || cw_is(kind, "exact"),
                                    .is_dupefilter = is_dupefilter,
                                    .count = v->picture.sum.exact,
                                    .rate = protocol_view_number_of(v, "crawl.seen.rate"),
                                    .planned = (uint64_t)protocol_view_number_of(v, "crawl.seen.capacity")};
    if (filter->is_exact || !(filter->rate >= 1e-9 && filter->rate <= 0.5))
        return;
    uint64_t capacity = filter->planned / CW_SHARED_PARTITIONS;
    for (unsigned i = 0; i < CW_SHARED_LINKS; i++)
        links[i] = cw_shared_link_of(i, filter->rate, capacity);
    for (unsigned i = 0; i < CRAWL_SHARED_PARTITIONS; i++) {
        uint64_t count = v->parts[i].links < CW_SHARED_LINKS ? v->parts[i].links : CW_SHARED_LINKS;
        cw_shared_chain chain = cw_shared_chain_of(links, (unsigned)count, v->parts[i].newest);
        sum.keys += chain.keys;
        sum.capacity += chain.capacity;
        sum.blocks += chain.blocks;
        sum.bits += chain.bits;
        sum.rate += chain.rate * chain.keys;
        sum.lost += chain.lost;
    }
    filter->count = (uint64_t)sum.keys;
    filter->capacity = (uint64_t)sum.capacity;
    filter->bytes = (uint64_t)sum.blocks * 64;
    filter->fill = sum.blocks > 0 ? sum.bits / (sum.blocks * 512) : 0;
    filter->rate_now = sum.keys > 0 ? sum.rate / sum.keys : 0;
    filter->lost = sum.lost;
}

/* Adds up the hosts of each process. A process that is not alive gets the deadline of its last host. */
static bool count_hosts(view *v)
{
    for (size_t i = 0; i < v->picture.place_count; i++) {
        const crawl_shared_place *place = &v->places[i];
        crawl_shared_process *process = place->process.size ? cw_shared_crew_get(&v->crew, place->process) : NULL;
        if (place->process.size && !process)
            return false;
        if (!process)
            continue;
        process->hosts++;
        process->until_ms = process->until_ms > place->at_ms ? process->until_ms : place->at_ms;
    }
    return true;
}

static int compare_texts(crawl_slice a, crawl_slice b)
{
    return strcmp(a.data, b.data); /* both end with NUL */
}

static int compare_decided(const void *a, const void *b)
{
    return compare_texts(((const crawl_shared_decided *)a)->name, ((const crawl_shared_decided *)b)->name);
}

static int protocol_view_compare_places(const void *a, const void *b)
{
    return compare_texts(((const crawl_shared_place *)a)->origin, ((const crawl_shared_place *)b)->origin);
}

static void protocol_view_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count)
        qsort(items, count, size, compare);
}

static void protocol_view_finish(view *v, crawl_err err, const crawl_error *error)
{
    crawl_shared_picture *picture = &v->picture;
    if (!err && (v->no_memory || !count_hosts(v)))
        err = CRAWL_ENOMEM;
    if (err) {
        crawl_error none = {0};
        (void)cw_error(&none, err);
        v->done(v->user, err, error ? error : &none, NULL);
        free_view(v);
        return;
    }
    for (unsigned i = 0; i < CRAWL_SHARED_PARTITIONS; i++)
        cw_shared_counts_add(&picture->sum, &v->parts[i]);
    reckon_filter(v);
    cw_shared_crew_finish(&v->crew);
    protocol_view_sort(v->decided, picture->decided_count, sizeof *v->decided, compare_decided);
    protocol_view_sort(v->places, picture->place_count, sizeof *v->places, protocol_view_compare_places);
    picture->decided = v->decided;
    picture->parts = v->parts;
    picture->processes = v->crew.processes;
    picture->process_count = v->crew.process_count;
    picture->total = v->crew.total;
    picture->forgotten = v->crew.forgotten;
    picture->places = v->places;
    picture->violations = (const char *const *)v->violations;
    v->done(v->user, CRAWL_OK, NULL, picture);
    free_view(v);
}

static void finish_words(view *v, crawl_err err, const char *words)
{
    crawl_error error = {0};
    crawl_error_set(&error, err, "%s", words);
    protocol_view_finish(v, err, &error);
}

static void finish_fault(view *v, crawl_redis_fault fault, const char *words)
{
    finish_words(v, fault == CRAWL_REDIS_WRONGTYPE ? CRAWL_ECORRUPT : CRAWL_ENET,
                 *words ? words : crawl_redis_fault_words(fault));
}

/* ---- the answers ---- */

static void protocol_view_end_one(view *v)
{
    if (!cw_shared_is_last(&v->round))
        return;
    if (v->round.fault)
        finish_fault(v, v->round.fault, v->round.words);
    else
        protocol_view_finish(v, CRAWL_OK, NULL);
}

static void protocol_view_take_place(view *v, const crawl_redis_reply *said)
{
    const crawl_shared_place place = {
        .origin = cw_shared_text_of(cw_shared_item_of(said, 0)),
        .process = cw_shared_text_of(cw_shared_item_of(said, 1)),
        .at_ms = cw_shared_number(cw_shared_item_of(said, 2), 0),
        .pause_ms = cw_shared_number(cw_shared_item_of(said, 3), 0),
        .ready = (uint64_t)cw_shared_number(cw_shared_item_of(said, 4), 0),
        .delayed = (uint64_t)cw_shared_number(cw_shared_item_of(said, 5), 0),
        .held = (uint64_t)cw_shared_number(cw_shared_item_of(said, 6), 0),
    };
    if (!place.origin.size)
        cw_shared_note_fault(&v->round, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE);
    else if (!add_place(v, place))
        v->no_memory = true;
}

static void take_partition(view *v, unsigned partition, const crawl_redis_reply *said)
{
    crawl_shared_counts *part = &v->parts[partition];
    const crawl_redis_reply *found = cw_shared_item_of(said, 3);
    v->picture.now_ms = cw_shared_number(cw_shared_item_of(said, 0), 0);
    part->exact = (uint64_t)cw_shared_number(cw_shared_item_of(said, 2), 0);
    const crawl_redis_reply *jars = cw_shared_item_of(said, 4);
    part->cookies = (uint64_t)cw_shared_number(cw_shared_item_of(jars, 0), 0);
    part->cookie_hosts = (uint64_t)cw_shared_number(cw_shared_item_of(jars, 1), 0);
    part->cookie_sites = (uint64_t)cw_shared_number(cw_shared_item_of(jars, 2), 0);
    if (!cw_shared_counts_read(cw_shared_item_of(said, 1), part) || !found || found->type != CRAWL_REDIS_ARRAY)
        cw_shared_note_fault(&v->round, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE);
    for (size_t i = 0; cw_shared_item_of(found, i); i++)
        protocol_view_take_place(v, &found->items[i]);
}

static void protocol_view_on_crew(void *user, const crawl_redis_answer *said)
{
    view *v = user;
    cw_shared_note_fault(&v->round, said->fault, said->words);
    if (!said->fault && !cw_shared_crew_take(&v->crew, said->reply))
        v->no_memory = true;
    protocol_view_end_one(v);
}

static void on_partition(void *user, const crawl_redis_answer *said)
{
    view_part *part = user;
    view *v = part->of;
    cw_shared_note_fault(&v->round, said->fault, said->words);
    if (!said->fault)
        take_partition(v, part->partition, said->reply);
    free(part);
    protocol_view_end_one(v);
}

static void protocol_view_on_checked(void *user, const crawl_redis_answer *said)
{
    view *v = user;
    cw_shared_note_fault(&v->round, said->fault, said->words);
    for (size_t i = 0; !said->fault && cw_shared_item_of(said->reply, i); i++)
        if (said->reply->items[i].type != CRAWL_REDIS_TEXT || !add_violation(v, said->reply->items[i].text.data))
            v->no_memory = true;
    protocol_view_end_one(v);
}

/* ---- the questions ---- */

static crawl_err ask_partition(view *v, unsigned partition)
{
    cw_shared_words words;
    view_part *part = malloc(sizeof *part);
    crawl_err err = part ? cw_shared_words_make(v->shared, partition, 2, &words) : CRAWL_ENOMEM;
    if (!err) {
        *part = (view_part){v, partition};
        cw_shared_add(&words, decided_of(v, "crawl.seen"));
        cw_shared_add_number(&words, v->options.waiting ? CRAWL_SHARED_VIEW_HOSTS_MAX : 0);
        err = cw_shared_send_in(&v->round, v->shared, CW_SHARED_VIEW, &words, on_partition, part);
    }
    if (err)
        free(part);
    return err;
}

static crawl_err ask_crew(view *v)
{
    cw_shared_words words;
    crawl_err err = cw_shared_words_make(v->shared, CW_SHARED_WHOLE, 0, &words);
    return err ? err : cw_shared_send_in(&v->round, v->shared, CW_SHARED_CREW, &words, protocol_view_on_crew, v);
}

static crawl_err ask_check(view *v, unsigned partition)
{
    cw_shared_words words;
    crawl_err err = cw_shared_words_make(v->shared, partition, 3, &words);
    if (err)
        return err;
    cw_shared_add(&words, decided_of(v, "crawl.seen"));
    cw_shared_add(&words, crawl_slice_of(v->sizes, sizeof v->sizes));
    cw_shared_add(&words, crawl_buf_slice(&v->sign));
    return cw_shared_send_in(&v->round, v->shared, CW_SHARED_CHECK, &words, protocol_view_on_checked, v);
}

static void ask_all(view *v)
{
    v->round.owed = 1;
    crawl_err err = ask_crew(v);
    for (unsigned i = 0; i < CRAWL_SHARED_PARTITIONS && !err; i++) {
        err = ask_partition(v, i);
        if (!err && v->options.check)
            err = ask_check(v, i);
    }
    if (cw_shared_end_sending(&v->round, err))
        protocol_view_finish(v, err, NULL);
    else
        protocol_view_end_one(v);
}

static void on_sign(void *user, const crawl_redis_answer *said)
{
    view *v = user;
    crawl_slice sign = said->fault ? (crawl_slice){0} : cw_shared_text_of(said->reply);
    if (said->fault)
        finish_fault(v, said->fault, said->words);
    else if (crawl_buf_append(&v->sign, sign.data, sign.size))
        protocol_view_finish(v, CRAWL_ENOMEM, NULL);
    else
        ask_all(v);
}

/* Prepares a check: the sizes of the seen-set, and the sign of the crawl, which is read first. */
static void begin_check(view *v)
{
    char key[CW_SHARED_KEY_MAX];
    double rate = protocol_view_number_of(v, "crawl.seen.rate");
    if (rate >= 1e-9 && rate <= 0.5)
        cw_shared_sizes_write(rate, (uint64_t)protocol_view_number_of(v, "crawl.seen.capacity") / CW_SHARED_PARTITIONS,
                              v->sizes);
    cw_shared_write_key_of(v->shared, CW_SHARED_WHOLE, "figures", key);
    crawl_err err = crawl_redis_send_texts(v->shared->options.redis, on_sign, v, "HGET", key, "made", NULL);
    if (err)
        protocol_view_finish(v, err, NULL);
}

static bool take_decided(view *v, const crawl_redis_reply *said)
{
    for (size_t i = 0; cw_shared_item_of(said, i + 1); i += 2)
        if (!add_decided(v, cw_shared_text_of(&said->items[i]), cw_shared_text_of(&said->items[i + 1])))
            return false;
    return true;
}

static void on_decided(void *user, const crawl_redis_answer *said)
{
    view *v = user;
    char words[120];
    char ours[12];
    if (said->fault == CRAWL_REDIS_WRONGTYPE) {
        finish_words(v, CRAWL_ECORRUPT, CW_SHARED_FOREIGN);
    } else if (said->fault) {
        finish_fault(v, said->fault, said->words);
    } else if (!take_decided(v, said->reply)) {
        protocol_view_finish(v, CRAWL_ENOMEM, NULL);
    } else if (!v->picture.decided_count) {
        finish_words(v, CRAWL_ABSENT, "there is no crawl of this name");
    } else {
        crawl_slice format = decided_of(v, "crawl.format");
        snprintf(ours, sizeof ours, "%u", CW_SHARED_FORMAT);
        snprintf(words, sizeof words, CW_SHARED_OTHER_FORMAT, format.size ? format.data : "", ours);
        if (!format.size)
            finish_words(v, CRAWL_ECORRUPT, CW_SHARED_FOREIGN);
        else if (!cw_is(format, ours))
            finish_words(v, CRAWL_ECORRUPT, words);
        else if (v->options.decided)
            protocol_view_finish(v, CRAWL_OK, NULL);
        else if (v->options.check)
            begin_check(v);
        else
            ask_all(v);
    }
}

crawl_err crawl_shared_view(crawl_redis *redis, const crawl_shared_view_options *options, crawl_shared_viewed *done,
                            void *user, crawl_error *error)
{
    char key[CW_SHARED_NAME_MAX + 16];
    crawl_shared_view_options own;
    const crawl_shared_view_options *taken = cw_sized(&own, sizeof own, options);
    if (!taken)
        return cw_sized_refused(options, sizeof own, "crawl_shared_view_options", error);
    const cw_shared_options shared = {
        .redis = redis, .name = taken->name, .worker = "a look", .seen = CW_SHARED_EXACT, .lease_ms = 1000};
    view *v = calloc(1, sizeof *v);
    if (!v)
        return cw_error(error, CRAWL_ENOMEM);
    v->done = done;
    v->user = user;
    v->options = *taken;
    crawl_err err = cw_shared_create(&shared, &v->shared, error);
    if (!err) {
        snprintf(key, sizeof key, "{%s}:crawl", taken->name);
        err = crawl_redis_send_texts(redis, on_decided, v, "HGETALL", key, NULL);
        if (err)
            (void)cw_error(error, err);
    }
    if (err)
        free_view(v);
    return err;
}
