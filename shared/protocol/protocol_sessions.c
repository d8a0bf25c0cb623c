/* Takes, renews, writes and ends sessions of hosts. */
#include "redis/client.h"
#include "shared/protocol/protocol_state.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- requests in an answer ---- */

enum { ITEM_WORDS = 3 /* id, level, bytes */ };

static bool read_level(crawl_slice digits, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < digits.size; i++) {
        int value = cw_hex_value((unsigned char)digits.data[i]);
        if (value < 0)
            return false;
        *out = *out << 4 | (uint64_t)value;
    }
    return digits.size == 16;
}

static bool read_item(const crawl_redis_reply *words, cw_shared_item *out)
{
    int64_t id = cw_shared_number(&words[0], -1);
    if (id < 0 || words[1].type != CRAWL_REDIS_TEXT || words[2].type != CRAWL_REDIS_TEXT)
        return false;
    out->id = (uint64_t)id;
    out->bytes = words[2].text;
    return read_level(words[1].text, &out->level);
}

/* Reads the requests of a reply; the caller frees them. NULL with *count 0: none. False: not such a reply, or out of
 * memory. */
static bool protocol_sessions_read_items(const crawl_redis_reply *reply, cw_shared_item **out, size_t *count)
{
    *out = NULL;
    *count = 0;
    if (!reply || reply->type != CRAWL_REDIS_ARRAY || reply->count % ITEM_WORDS)
        return false;
    size_t items = reply->count / ITEM_WORDS;
    if (!items)
        return true;
    *out = calloc(items, sizeof **out);
    if (!*out)
        return false;
    for (size_t i = 0; i < items; i++)
        if (!read_item(&reply->items[ITEM_WORDS * i], &(*out)[i]))
            return false;
    *count = items;
    return true;
}

/* ---- take ---- */

typedef struct take {
    cw_shared_took *done;
    void *user;
    int64_t until_us;
} take;

enum { SESSION_WORDS = 5 /* origin, token, pause, record, requests */ };

static bool read_session(const crawl_redis_reply *reply, cw_shared_session *out)
{
    cw_shared_item *items;
    const crawl_redis_reply *words = reply->items;
    if (reply->type != CRAWL_REDIS_ARRAY || reply->count != SESSION_WORDS || words[0].type != CRAWL_REDIS_TEXT ||
        words[3].type != CRAWL_REDIS_TEXT)
        return false;
    out->origin = words[0].text;
    out->token = (uint64_t)cw_shared_number(&words[1], 0);
    out->pause_ms = cw_shared_number(&words[2], 0);
    out->record = words[3].text;
    bool fine = protocol_sessions_read_items(&words[4], &items, &out->item_count);
    out->items = items;
    return fine && out->origin.size && out->pause_ms >= 0 && out->pause_ms <= CW_SHARED_MS_MAX;
}

static void free_sessions(cw_shared_session *sessions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((cw_shared_item *)sessions[i].items);
    free(sessions);
}

static bool read_sessions(const crawl_redis_reply *reply, cw_shared_session *sessions)
{
    for (size_t i = 0; i < reply->count; i++)
        if (!read_session(&reply->items[i], &sessions[i]))
            return false;
    return true;
}

static void tell_strange(take *t)
{
    const cw_shared_taken taken = {.fault = CRAWL_REDIS_PROTOCOL, .words = CW_SHARED_STRANGE, .next_ms = -1};
    t->done(t->user, &taken);
}

static void tell_taken(take *t, const crawl_redis_reply *reply)
{
    const crawl_redis_reply *given = cw_shared_item_of(reply, 2);
    size_t count = given && given->type == CRAWL_REDIS_ARRAY ? given->count : 0;
    cw_shared_session *sessions = calloc(count + 1, sizeof *sessions);
    cw_shared_taken taken = {
        .words = "",
        .now_ms = cw_shared_number(cw_shared_item_of(reply, 0), 0),
        .next_ms = cw_shared_number(cw_shared_item_of(reply, 1), -1),
        .until_us = t->until_us,
        .sessions = sessions,
        .count = count,
    };
    bool is_date = taken.now_ms > 0 && taken.now_ms <= CW_SHARED_MS_MAX;
    taken.next_ms = taken.next_ms < CW_SHARED_MS_MAX ? taken.next_ms : CW_SHARED_MS_MAX;
    if (!given || !sessions || !is_date || !read_sessions(given, sessions))
        tell_strange(t);
    else
        t->done(t->user, &taken);
    if (sessions)
        free_sessions(sessions, count);
}

static void protocol_sessions_on_taken(void *user, const crawl_redis_answer *said)
{
    take *t = user;
    const cw_shared_taken taken = {.fault = said->fault, .words = said->words, .next_ms = -1};
    if (said->fault)
        t->done(t->user, &taken);
    else
        tell_taken(t, said->reply);
    free(t);
}

/* Asks for a session of the host `origin` or, if that is empty, of hosts of the partition. */
static crawl_err send_take(cw_shared *shared, unsigned partition, unsigned hosts, unsigned window, crawl_slice origin,
                           int64_t now_us, cw_shared_took *done, void *user)
{
    cw_shared_words words;
    if (window < 1 || window > CW_SHARED_WINDOW_MAX)
        return CRAWL_EINVAL;
    take *t = malloc(sizeof *t);
    if (!t)
        return CRAWL_ENOMEM;
    *t = (take){.done = done, .user = user, .until_us = cw_shared_until(shared, now_us)};
    crawl_err err = cw_shared_words_make(shared, partition, 6, &words);
    if (!err) {
        cw_shared_add_number(&words, shared->options.lease_ms);
        cw_shared_add(&words, crawl_slice_from(shared->options.worker));
        cw_shared_add_number(&words, hosts);
        cw_shared_add_number(&words, window);
        cw_shared_add_number(&words, shared->due_ms);
        if (origin.size)
            cw_shared_add(&words, origin);
        err = cw_shared_send(shared, CW_SHARED_TAKE, &words, protocol_sessions_on_taken, t);
    }
    if (err)
        free(t);
    return err;
}

crawl_err cw_shared_take(cw_shared *shared, unsigned partition, unsigned hosts, unsigned window, int64_t now_us,
                         cw_shared_took *done, void *user)
{
    if (partition >= CW_SHARED_PARTITIONS || hosts < 1 || hosts > CW_SHARED_HOSTS_MAX)
        return CRAWL_EINVAL;
    return send_take(shared, partition, hosts, window, (crawl_slice){0}, now_us, done, user);
}

crawl_err cw_shared_seek(cw_shared *shared, crawl_slice origin, unsigned window, int64_t now_us, cw_shared_took *done,
                         void *user)
{
    return send_take(shared, cw_shared_partition(origin), 1, window, origin, now_us, done, user);
}

/* ---- renew ---- */

typedef struct renewal {
    cw_shared_round round;
    cw_shared_done *done;
    void *user;
    int64_t until_us;
    cw_shared_hold *holds;
} renewal;

/* The holds of one partition, by a list of their indexes. */
typedef struct heartbeat {
    renewal *of;
    size_t count;
    size_t indexes[];
} heartbeat;

static void end_one_renewal(renewal *r)
{
    if (!cw_shared_is_last(&r->round))
        return;
    r->done(r->user, r->round.fault, r->round.words);
    free(r);
}

static void take_renewal(const heartbeat *sent, const crawl_redis_reply *reply)
{
    for (size_t i = 0; i < sent->count; i++) {
        cw_shared_hold *hold = &sent->of->holds[sent->indexes[i]];
        int64_t has = cw_shared_number(cw_shared_item_of(reply, i), -1);
        if (has == 1 || has == 2)
            hold->until_us = sent->of->until_us;
        else if (has == 0)
            hold->is_lost = true;
        else
            cw_shared_note_fault(&sent->of->round, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE);
        hold->is_wanted = has == 2;
    }
}

static void on_heartbeat(void *user, const crawl_redis_answer *said)
{
    heartbeat *sent = user;
    renewal *r = sent->of;
    if (said->fault)
        cw_shared_note_fault(&r->round, said->fault, said->words);
    else
        take_renewal(sent, said->reply);
    free(sent);
    end_one_renewal(r);
}

static crawl_err send_heartbeat(cw_shared *shared, renewal *r, const cw_shared_place *places, size_t count)
{
    cw_shared_words words;
    heartbeat *sent = malloc(sizeof *sent + count * sizeof *sent->indexes);
    if (!sent)
        return CRAWL_ENOMEM;
    crawl_err err = cw_shared_words_make(shared, places->partition, 1 + 2 * count, &words);
    if (!err) {
        sent->of = r;
        sent->count = count;
        cw_shared_add_number(&words, shared->options.lease_ms);
        for (size_t i = 0; i < count; i++) {
            const cw_shared_hold *hold = &r->holds[places[i].index];
            sent->indexes[i] = places[i].index;
            cw_shared_add(&words, hold->origin);
            cw_shared_add_number(&words, (int64_t)hold->token);
        }
        err = cw_shared_send_in(&r->round, shared, CW_SHARED_RENEW, &words, on_heartbeat, sent);
    }
    if (err)
        free(sent);
    return err;
}

/* Sends one script for the holds of each partition. */
static crawl_err send_heartbeats(cw_shared *shared, renewal *r, size_t count, cw_shared_place *places)
{
    crawl_err err = CRAWL_OK;
    size_t sent = 0;
    for (size_t i = 0; i < count; i++)
        places[i] = cw_shared_place_of(r->holds[i].origin, i);
    cw_shared_sort_places(places, count);
    while (sent < count && !err) {
        size_t here = cw_shared_places_together(places + sent, count - sent, count);
        err = send_heartbeat(shared, r, places + sent, here);
        sent += here;
    }
    return err;
}

crawl_err cw_shared_renew(cw_shared *shared, cw_shared_hold *holds, size_t count, int64_t now_us, cw_shared_done *done,
                          void *user)
{
    cw_shared_place *places = malloc((count + 1) * sizeof *places);
    renewal *r = calloc(1, sizeof *r);
    crawl_err err = places && r ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err) {
        *r = (renewal){
            .round.owed = 1, .done = done, .user = user, .until_us = cw_shared_until(shared, now_us), .holds = holds};
        err = cw_shared_end_sending(&r->round, send_heartbeats(shared, r, count, places));
    }
    free(places);
    if (err)
        free(r);
    else
        end_one_renewal(r);
    return err;
}

/* ---- write ---- */

typedef struct write_call {
    cw_shared_wrote *done;
    void *user;
} write_call;

static void protocol_sessions_on_written(void *user, const crawl_redis_answer *said)
{
    write_call *w = user;
    cw_shared_item *items = NULL;
    cw_shared_written written = {.fault = said->fault, .words = said->words};
    bool is_end = !said->fault && said->reply->type == CRAWL_REDIS_NUMBER;
    written.is_stale = !said->fault && cw_is(cw_shared_text_of(said->reply), "stale");
    written.open_ms = cw_shared_number(said->reply, -1);
    written.open_ms = written.open_ms < CW_SHARED_MS_MAX ? written.open_ms : CW_SHARED_MS_MAX;
    if (!said->fault && !written.is_stale && !is_end &&
        !protocol_sessions_read_items(said->reply, &items, &written.item_count)) {
        written.fault = CRAWL_REDIS_PROTOCOL;
        written.words = CW_SHARED_STRANGE;
    }
    written.items = items;
    w->done(w->user, &written);
    free(items);
    free(w);
}

/* Adds the text of a time: "=" and its digits, or nothing. The text is in room. */
static void protocol_sessions_add_time(cw_shared_words *words, int64_t time, char room[32])
{
    int size = time == CW_SHARED_SAME ? 0 : snprintf(room, 32, "=%lld", (long long)time);
    cw_shared_add(words, crawl_slice_of(room, (size_t)size));
}

static void add_finished(cw_shared_words *words, const cw_shared_change *changes, size_t count)
{
    size_t finished = 0;
    for (size_t i = 0; i < count; i++)
        finished += changes[i].how == CW_SHARED_FINISHED;
    cw_shared_add_number(words, (int64_t)finished);
    for (size_t i = 0; i < count; i++)
        if (changes[i].how == CW_SHARED_FINISHED)
            cw_shared_add_number(words, (int64_t)changes[i].id);
}

static const char *const how_names[] = {
    [CW_SHARED_FINISHED] = "finished",
    [CW_SHARED_BACK] = "back",
    [CW_SHARED_AGAIN] = "again",
    [CW_SHARED_LATER] = "later",
};

static void add_changed(cw_shared_words *words, const cw_shared_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool is_back = changes[i].how == CW_SHARED_BACK;
        if (changes[i].how == CW_SHARED_FINISHED)
            continue;
        cw_shared_add(words, crawl_slice_from(how_names[changes[i].how]));
        cw_shared_add_number(words, (int64_t)changes[i].id);
        cw_shared_add_number(words, changes[i].at_ms);
        cw_shared_add_level(words, changes[i].level);
        cw_shared_add(words, is_back ? (crawl_slice){0} : changes[i].bytes);
    }
}

static crawl_err protocol_sessions_send_write(cw_shared *shared, const cw_shared_write *write, crawl_slice record,
                                              write_call *w)
{
    enum { OWN_WORDS = 8, CHANGE_WORDS = 5 };
    char times[2][32];
    cw_shared_words words;
    crawl_err err = cw_shared_words_make(shared, cw_shared_partition(write->origin),
                                         OWN_WORDS + CHANGE_WORDS * write->change_count, &words);
    if (err)
        return err;
    cw_shared_add(&words, write->origin);
    cw_shared_add_number(&words, (int64_t)write->token);
    protocol_sessions_add_time(&words, write->pause_ms, times[0]);
    protocol_sessions_add_time(&words, write->open_ms, times[1]);
    cw_shared_add(&words, record);
    cw_shared_add_number(&words, write->more);
    cw_shared_add(&words, crawl_slice_from(write->is_end ? "1" : "0"));
    add_finished(&words, write->changes, write->change_count);
    add_changed(&words, write->changes, write->change_count);
    return cw_shared_send(shared, CW_SHARED_WRITE, &words, protocol_sessions_on_written, w);
}

crawl_err cw_shared_write_session(cw_shared *shared, const cw_shared_write *write, cw_shared_wrote *done, void *user)
{
    crawl_buf record = {0};
    if (write->more > CW_SHARED_WINDOW_MAX || write->change_count > CW_SHARED_WINDOW_MAX)
        return CRAWL_EINVAL;
    write_call *w = malloc(sizeof *w);
    crawl_err err = w ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && write->record)
        err = crawl_buf_append_char(&record, '=');
    if (!err && write->record)
        err = crawl_buf_append(&record, write->record->data, write->record->size);
    if (!err) {
        *w = (write_call){.done = done, .user = user};
        err = protocol_sessions_send_write(shared, write, crawl_buf_slice(&record), w);
    }
    crawl_buf_free(&record);
    if (err)
        free(w);
    return err;
}

/* ---- settle ---- */

crawl_err cw_shared_settle(cw_shared *shared, const cw_shared_settling *settling, cw_shared_wrote *done, void *user)
{
    enum { OWN_WORDS = 8 };
    const cw_shared_change *change = &settling->change;
    cw_shared_words words;
    write_call *w = malloc(sizeof *w);
    if (!w)
        return CRAWL_ENOMEM;
    *w = (write_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, cw_shared_partition(settling->origin), OWN_WORDS, &words);
    if (!err) {
        cw_shared_add(&words, settling->origin);
        cw_shared_add_number(&words, (int64_t)change->id);
        cw_shared_add_number(&words, settling->from_ms);
        cw_shared_add_number(&words, settling->to_ms);
        cw_shared_add(&words, crawl_slice_from(how_names[change->how]));
        cw_shared_add_number(&words, change->at_ms);
        cw_shared_add_level(&words, change->level);
        cw_shared_add(&words, change->bytes);
        err = cw_shared_send(shared, CW_SHARED_SETTLE, &words, protocol_sessions_on_written, w);
    }
    if (err)
        free(w);
    return err;
}

/* ---- after a return ---- */

uint64_t cw_shared_returns(const cw_shared *shared, unsigned partition)
{
    char key[CW_SHARED_KEY_MAX];
    snprintf(key, sizeof key, "{%s:%u}", shared->options.name, partition);
    return cw_redis_returns(shared->options.redis, crawl_slice_from(key));
}

typedef struct restore_call {
    cw_shared_done *done;
    void *user;
} restore_call;

static void protocol_sessions_on_restored(void *user, const crawl_redis_answer *said)
{
    restore_call *r = user;
    r->done(r->user, said->fault, said->words);
    free(r);
}

crawl_err cw_shared_restore(cw_shared *shared, const cw_shared_write *known, crawl_slice record, cw_shared_done *done,
                            void *user)
{
    enum { OWN_WORDS = 4 };
    cw_shared_words words;
    restore_call *r = malloc(sizeof *r);
    if (!r)
        return CRAWL_ENOMEM;
    *r = (restore_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, cw_shared_partition(known->origin), OWN_WORDS, &words);
    if (!err) {
        cw_shared_add(&words, known->origin);
        cw_shared_add_number(&words, known->pause_ms);
        cw_shared_add_number(&words, known->open_ms);
        cw_shared_add(&words, record);
        err = cw_shared_send(shared, CW_SHARED_RESTORE, &words, protocol_sessions_on_restored, r);
    }
    if (err)
        free(r);
    return err;
}
