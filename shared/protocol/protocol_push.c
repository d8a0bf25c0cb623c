/* Pushes requests into the queue. Sorts them by partition and host, and sends a script to each partition, in parts that
 * do not hold the server up. Values that all requests of a script share are sent once, and all computation on
 * fingerprints is done here, since the server is the one thing that all workers share. */
#include "shared/protocol/protocol_state.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct push {
    cw_shared_round round;
    cw_shared_done *done;
    void *user;
    uint8_t *fates;
    bool *has_news;
} push;

/* The request of one script. */
typedef struct push_part {
    push *of;
    size_t count;
    size_t indexes[];
} push_part;

static void protocol_push_end_one(push *p)
{
    if (!cw_shared_is_last(&p->round))
        return;
    p->done(p->user, p->round.fault, p->round.words);
    free(p);
}

static bool take_fates(const push_part *sent, const crawl_redis_reply *reply)
{
    bool has_news = reply->type == CRAWL_REDIS_TEXT && reply->text.size == sent->count + 1;
    if (reply->type != CRAWL_REDIS_TEXT || reply->text.size != sent->count + has_news)
        return false;
    *sent->of->has_news = *sent->of->has_news || has_news;
    for (size_t i = 0; i < sent->count; i++) {
        int fate = reply->text.data[i] - '0';
        if (fate < CW_SHARED_QUEUED || fate > CW_SHARED_NO_ROOM)
            return false;
        sent->of->fates[sent->indexes[i]] = (uint8_t)fate;
    }
    return true;
}

static void protocol_push_on_part(void *user, const crawl_redis_answer *said)
{
    push_part *sent = user;
    push *p = sent->of;
    if (said->fault)
        cw_shared_note_fault(&p->round, said->fault, said->words);
    else if (!take_fates(sent, said->reply))
        cw_shared_note_fault(&p->round, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE);
    free(sent);
    protocol_push_end_one(p);
}

/* ---- the arguments ---- */

enum { ORDER = 40 /* bytes of a level, a digit and a date */ };

void cw_shared_write_key(const cw_shared *shared, const uint8_t *print, uint8_t *key)
{
    enum { HASH = 4, LANES = 8 };
    memcpy(key, print, CW_SHARED_PRINT);
    for (unsigned lane = 0; lane < LANES && shared->options.seen == CW_SHARED_SCALABLE; lane++) {
        unsigned place = print[HASH + lane] % 64;
        key[HASH + 2 * lane] = (uint8_t)(1 + lane * 8 + place / 8);
        key[HASH + 2 * lane + 1] = (uint8_t)(1u << place % 8);
    }
}

static void protocol_push_add_key(const cw_shared *shared, const uint8_t *print, crawl_buf *texts)
{
    uint8_t key[CW_SHARED_PRINT];
    cw_shared_write_key(shared, print, key);
    (void)crawl_buf_append(texts, (const char *)key, sizeof key);
}

static void add_order(const cw_shared_request *request, crawl_buf *texts)
{
    (void)crawl_buf_printf(texts, "%016" PRIx64, request->level);
    if (request->is_forced || request->at_ms)
        (void)crawl_buf_printf(texts, "%d%" PRId64, request->is_forced, request->at_ms);
}

/* Returns true if both requests belong to one group. */
static bool go_together(const cw_shared_request *a, const cw_shared_request *b)
{
    return a->level == b->level && a->at_ms == b->at_ms && a->is_forced == b->is_forced &&
           crawl_slice_equal(a->origin, b->origin);
}

static crawl_slice text_from(const crawl_buf *texts, size_t start)
{
    return crawl_slice_of(texts->data + start, texts->size - start);
}

/* Adds a group: the first of these places, as many as go together. texts has room for all of their texts, so it does
 * not move. */
static size_t add_group(const cw_shared *shared, const cw_shared_request *requests, const cw_shared_place *places,
                        size_t count, cw_shared_words *words, crawl_buf *texts)
{
    const cw_shared_request *first = &requests[places->index];
    size_t size = 0;
    size_t start = texts->size;
    add_order(first, texts);
    cw_shared_add(words, first->origin);
    cw_shared_add(words, text_from(texts, start));
    start = texts->size;
    for (; size < count && go_together(first, &requests[places[size].index]); size++)
        protocol_push_add_key(shared, requests[places[size].index].print, texts);
    cw_shared_add(words, text_from(texts, start));
    for (size_t i = 0; i < size; i++)
        cw_shared_add(words, requests[places[i].index].bytes);
    return size;
}

/* Makes the arguments for the requests of these places, all in one partition. Free texts after sending. */
static crawl_err make_words(const cw_shared *shared, const cw_shared_request *requests, const cw_shared_place *places,
                            size_t count, cw_shared_words *words, crawl_buf *texts)
{
    crawl_err err = crawl_buf_reserve(texts, count * (ORDER + CW_SHARED_PRINT));
    if (!err)
        err = cw_shared_words_make(shared, places->partition, 3 + 4 * count, words);
    if (err)
        return err;
    cw_shared_add(words, crawl_slice_from(cw_shared_seen_word(shared)));
    cw_shared_add(words, crawl_slice_of(shared->sizes, sizeof shared->sizes));
    cw_shared_add(words, crawl_slice_from(shared->options.newest_first ? "1" : "0"));
    for (size_t i = 0; i < count;)
        i += add_group(shared, requests, places + i, count - i, words, texts);
    return CRAWL_OK;
}

static crawl_err send_part(cw_shared *shared, const cw_shared_request *requests, const cw_shared_place *places,
                           size_t count, push *p)
{
    cw_shared_words words;
    crawl_buf texts = {0};
    push_part *sent = malloc(sizeof *sent + count * sizeof *sent->indexes);
    crawl_err err = sent ? make_words(shared, requests, places, count, &words, &texts) : CRAWL_ENOMEM;
    if (!err) {
        sent->of = p;
        sent->count = count;
        for (size_t i = 0; i < count; i++)
            sent->indexes[i] = places[i].index;
        err = cw_shared_send_in(&p->round, shared, CW_SHARED_PUSH, &words, protocol_push_on_part, sent);
    }
    crawl_buf_free(&texts);
    if (err)
        free(sent);
    return err;
}

static size_t sort_places(const cw_shared_request *requests, size_t count, const uint8_t *fates,
                          cw_shared_place *places)
{
    size_t owed = 0;
    for (size_t i = 0; i < count; i++)
        if (fates[i] == CW_SHARED_OWED)
            places[owed++] = cw_shared_place_of(requests[i].origin, i);
    cw_shared_sort_places(places, owed);
    return owed;
}

crawl_err cw_shared_push(cw_shared *shared, const cw_shared_request *requests, size_t count, uint8_t *fates,
                         bool *has_news, cw_shared_done *done, void *user)
{
    cw_shared_place *places = malloc((count + 1) * sizeof *places);
    push *p = calloc(1, sizeof *p);
    crawl_err err = places && p ? CRAWL_OK : CRAWL_ENOMEM;
    size_t owed = err ? 0 : sort_places(requests, count, fates, places);
    size_t sent = 0;
    if (p)
        *p = (push){.round.owed = 1, .done = done, .user = user, .fates = fates, .has_news = has_news};
    while (sent < owed && !err) {
        size_t size = cw_shared_places_together(places + sent, owed - sent, CW_SHARED_BATCH_MAX);
        err = send_part(shared, requests, places + sent, size, p);
        sent += err ? 0 : size;
    }
    free(places);
    if (p)
        err = cw_shared_end_sending(&p->round, err);
    if (err)
        free(p);
    else
        protocol_push_end_one(p);
    return err;
}
