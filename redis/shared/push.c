/* Requests into the queue: sorted by partition, and a script for each, in parts that do not hold the server up. */
#include "redis/shared/state.h"

#include <stdlib.h>

typedef struct push {
    cw_shared_round round;
    cw_shared_done *done;
    void *user;
    uint8_t *fates;
} push;

/* What one script was sent. */
typedef struct push_part {
    push *of;
    size_t count;
    size_t indexes[];
} push_part;

static void end_one(push *p)
{
    if (!cw_shared_is_last(&p->round))
        return;
    p->done(p->user, p->round.fault, p->round.words);
    free(p);
}

static bool take_fates(const push_part *sent, const crawl_redis_reply *reply)
{
    for (size_t i = 0; i < sent->count; i++) {
        int64_t fate = cw_shared_number(cw_shared_item_of(reply, i), 0);
        if (fate < CW_SHARED_QUEUED || fate > CW_SHARED_NO_ROOM)
            return false;
        sent->of->fates[sent->indexes[i]] = (uint8_t)fate;
    }
    return true;
}

static void on_part(void *user, const crawl_redis_answer *said)
{
    push_part *sent = user;
    push *p = sent->of;
    if (said->fault)
        cw_shared_note_fault(&p->round, said->fault, said->words);
    else if (!take_fates(sent, said->reply))
        cw_shared_note_fault(&p->round, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE);
    free(sent);
    end_one(p);
}

static void add_request(cw_shared_words *words, const cw_shared_request *request)
{
    cw_shared_add(words, request->origin);
    cw_shared_add(words, crawl_slice_of((const char *)request->print, CW_SHARED_PRINT));
    cw_shared_add_level(words, request->level);
    cw_shared_add_number(words, request->at_ms);
    cw_shared_add(words, crawl_slice_from(request->is_forced ? "1" : "0"));
    cw_shared_add(words, request->bytes);
}

/* The requests of these places, which are of one partition. */
static crawl_err send_part(cw_shared *shared, const cw_shared_request *requests, const cw_shared_place *places,
                           size_t count, push *p)
{
    cw_shared_words words;
    push_part *sent = malloc(sizeof *sent + count * sizeof *sent->indexes);
    if (!sent)
        return CRAWL_ENOMEM;
    crawl_err err = cw_shared_words_make(shared, places->partition, 2 + 6 * count, &words);
    if (!err) {
        sent->of = p;
        sent->count = count;
        cw_shared_add(&words, crawl_slice_from(shared->options.seen == CW_SHARED_EXACT ? "exact" : "scalable"));
        cw_shared_add(&words, crawl_slice_of(shared->sizes, sizeof shared->sizes));
        for (size_t i = 0; i < count; i++) {
            sent->indexes[i] = places[i].index;
            add_request(&words, &requests[places[i].index]);
        }
        p->round.owed++;
        err = cw_shared_send(shared, CW_SHARED_PUSH, &words, on_part, sent);
        p->round.owed -= err != CRAWL_OK;
    }
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
            places[owed++] = (cw_shared_place){.partition = cw_shared_partition(requests[i].origin), .index = i};
    cw_shared_sort_places(places, owed);
    return owed;
}

crawl_err cw_shared_push(cw_shared *shared, const cw_shared_request *requests, size_t count, uint8_t *fates,
                         cw_shared_done *done, void *user)
{
    cw_shared_place *places = malloc((count + 1) * sizeof *places);
    push *p = calloc(1, sizeof *p);
    crawl_err err = places && p ? CRAWL_OK : CRAWL_ENOMEM;
    size_t owed = err ? 0 : sort_places(requests, count, fates, places);
    size_t sent = 0;
    if (p)
        *p = (push){.round.owed = 1, .done = done, .user = user, .fates = fates};
    while (sent < owed && !err) {
        size_t size = cw_shared_places_together(places + sent, owed - sent, CW_SHARED_BATCH_MAX);
        err = send_part(shared, requests, places + sent, size, p);
        sent += err ? 0 : size;
    }
    free(places);
    if (err && !sent) {
        free(p);
        return err;
    }
    if (err)
        cw_shared_note_fault(&p->round, CRAWL_REDIS_UNSENT, crawl_redis_fault_words(CRAWL_REDIS_UNSENT));
    end_one(p);
    return CRAWL_OK;
}
