/* Agreements between workers, each by one key: how much they may use up, the date of a run, the first page with a body,
 * and where something is new. */
#include "shared/protocol/protocol_state.h"

#include <stdlib.h>

/* ---- tickets: pages, of the crawl or of a place, and bytes ---- */

typedef struct ticket_call {
    cw_shared_ticketed *done;
    void *user;
} ticket_call;

enum { OWN, LEFT, OTHERS, BYTES, WORDS };

static void protocol_on_tickets(void *user, const crawl_redis_answer *said)
{
    ticket_call *t = user;
    int64_t figures[WORDS];
    cw_shared_tickets tickets = {.fault = said->fault, .words = said->words};
    for (size_t i = 0; i < WORDS && !tickets.fault; i++) {
        figures[i] = cw_shared_number(cw_shared_item_of(said->reply, i), -1);
        if (figures[i] < 0) {
            tickets.fault = CRAWL_REDIS_PROTOCOL;
            tickets.words = CW_SHARED_STRANGE;
        }
    }
    if (!tickets.fault) {
        tickets.had = (uint64_t)figures[OWN];
        tickets.left = (uint64_t)figures[LEFT];
        tickets.others = (uint64_t)figures[OTHERS];
        tickets.bytes = (uint64_t)figures[BYTES];
    }
    t->done(t->user, &tickets);
    free(t);
}

crawl_err cw_shared_take_tickets(cw_shared *shared, const cw_shared_wish *wish, cw_shared_ticketed *done, void *user)
{
    enum { OWN_WORDS = 7 };
    unsigned partition = wish->place.size ? cw_shared_partition(wish->place) : CW_SHARED_WHOLE;
    cw_shared_words words;
    ticket_call *t = malloc(sizeof *t);
    if (!t)
        return CRAWL_ENOMEM;
    *t = (ticket_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, partition, OWN_WORDS, &words);
    if (!err) {
        cw_shared_add_number(&words, shared->options.lease_ms);
        cw_shared_add(&words, crawl_slice_from(shared->options.worker));
        cw_shared_add_number(&words, (int64_t)wish->limit);
        cw_shared_add_number(&words, (int64_t)wish->wanted);
        cw_shared_add_number(&words, (int64_t)wish->used);
        cw_shared_add_number(&words, (int64_t)wish->bytes);
        cw_shared_add(&words, wish->place);
        err = cw_shared_send(shared, CW_SHARED_TICKETS, &words, protocol_on_tickets, t);
    }
    if (err)
        free(t);
    return err;
}

/* ---- turns: the right to ask a place alone ---- */

typedef struct turns_call {
    cw_shared_turn *turns;
    size_t count;
    int64_t until_us;
    cw_shared_done *done;
    void *user;
} turns_call;

enum { TURN_HAD, TURN_WAITED, TURN_QUIET, TURN_WORDS };

static bool protocol_read_turn(const crawl_redis_reply *reply, size_t index, cw_shared_turn *turn)
{
    int64_t figures[TURN_WORDS];
    for (size_t i = 0; i < TURN_WORDS; i++) {
        const crawl_redis_reply *word = cw_shared_item_of(reply, index * TURN_WORDS + i);
        if (!word || word->type != CRAWL_REDIS_NUMBER)
            return false;
        figures[i] = word->number;
    }
    turn->is_had = figures[TURN_HAD] == 1;
    turn->is_waited_for = figures[TURN_WAITED] == 1;
    turn->quiet_ms = figures[TURN_QUIET];
    return turn->quiet_ms >= -CW_SHARED_MS_MAX && turn->quiet_ms <= CW_SHARED_MS_MAX;
}

static void protocol_on_turns(void *user, const crawl_redis_answer *said)
{
    turns_call *t = user;
    bool is_read = true;
    for (size_t i = 0; i < t->count && !said->fault && is_read; i++) {
        is_read = protocol_read_turn(said->reply, i, &t->turns[i]);
        t->turns[i].until_us = t->until_us;
    }
    t->done(t->user, is_read ? said->fault : CRAWL_REDIS_PROTOCOL, is_read ? said->words : CW_SHARED_STRANGE);
    free(t);
}

crawl_err cw_shared_take_turns(cw_shared *shared, cw_shared_turn *turns, size_t count, int64_t now_us,
                               cw_shared_done *done, void *user)
{
    enum { OWN_WORDS = 2, TURN_ARGUMENTS = 4 };
    cw_shared_words words;
    if (count > CW_SHARED_TURNS_MAX)
        return CRAWL_EINVAL;
    turns_call *t = malloc(sizeof *t);
    if (!t)
        return CRAWL_ENOMEM;
    *t = (turns_call){
        .turns = turns, .count = count, .until_us = cw_shared_until(shared, now_us), .done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, OWN_WORDS + TURN_ARGUMENTS * count, &words);
    if (!err) {
        cw_shared_add_number(&words, shared->options.lease_ms);
        cw_shared_add(&words, crawl_slice_from(shared->options.worker));
        for (size_t i = 0; i < count; i++) {
            cw_shared_add(&words, turns[i].place);
            cw_shared_add_number(&words, (int64_t)turns[i].number);
            cw_shared_add(&words, crawl_slice_from(turns[i].is_wanted ? "1" : "0"));
            cw_shared_add_number(&words, turns[i].ago_ms);
        }
        err = cw_shared_send(shared, CW_SHARED_TURNS, &words, protocol_on_turns, t);
    }
    if (err)
        free(t);
    return err;
}

/* ---- runs: which requests kept for later are due, for all workers at the time ---- */

typedef struct run_call {
    cw_shared *shared;
    cw_shared_ran *done;
    void *user;
    bool takes_part;
} run_call;

static void on_run(void *user, const crawl_redis_answer *said)
{
    run_call *r = user;
    int64_t date = said->fault ? 0 : cw_shared_number(said->reply, -1);
    bool is_strange = date < 0 || date > CW_SHARED_MS_MAX || (r->takes_part && !said->fault && !date);
    if (!said->fault && !is_strange && r->takes_part)
        r->shared->due_ms = date;
    r->done(r->user, is_strange ? CRAWL_REDIS_PROTOCOL : said->fault, is_strange ? CW_SHARED_STRANGE : said->words);
    free(r);
}

crawl_err cw_shared_run(cw_shared *shared, bool takes_part, cw_shared_ran *done, void *user)
{
    cw_shared_words words;
    run_call *r = malloc(sizeof *r);
    if (!r)
        return CRAWL_ENOMEM;
    *r = (run_call){.shared = shared, .done = done, .user = user, .takes_part = takes_part};
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, 3, &words);
    if (!err) {
        cw_shared_add_number(&words, shared->options.lease_ms);
        cw_shared_add(&words, crawl_slice_from(shared->options.worker));
        cw_shared_add(&words, crawl_slice_from(takes_part ? "1" : "0"));
        err = cw_shared_send(shared, CW_SHARED_RUN, &words, on_run, r);
    }
    if (err)
        free(r);
    return err;
}

int64_t cw_shared_run_date(const cw_shared *shared)
{
    return shared->due_ms;
}

/* ---- bodies: the first page of all workers that had a body ---- */

typedef struct body_call {
    cw_shared_body_told *done;
    void *user;
} body_call;

static void body_on_first(void *user, const crawl_redis_answer *said)
{
    body_call *b = user;
    bool is_strange = !said->fault && said->reply->type != CRAWL_REDIS_TEXT;
    crawl_redis_fault fault = is_strange ? CRAWL_REDIS_PROTOCOL : said->fault;
    b->done(b->user, fault, is_strange ? CW_SHARED_STRANGE : said->words, fault ? (crawl_slice){0} : said->reply->text);
    free(b);
}

crawl_err cw_shared_ask_body(cw_shared *shared, const uint8_t *digest, crawl_slice url, uint64_t most,
                             cw_shared_body_told *done, void *user)
{
    cw_shared_words words;
    crawl_slice key = crawl_slice_of((const char *)digest, CW_SHARED_PRINT);
    crawl_slice kept = url.size <= CW_SHARED_BODY_URL_MAX ? url : (crawl_slice){0};
    body_call *b = malloc(sizeof *b);
    if (!b)
        return CRAWL_ENOMEM;
    *b = (body_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, cw_shared_partition(key), 3, &words);
    if (!err) {
        cw_shared_add_number(&words, (int64_t)((most + CW_SHARED_PARTITIONS - 1) / CW_SHARED_PARTITIONS));
        cw_shared_add(&words, key);
        cw_shared_add(&words, kept);
        err = cw_shared_send(shared, CW_SHARED_BODIES, &words, body_on_first, b);
    }
    if (err)
        free(b);
    return err;
}

/* ---- stirs: words that tell which partitions have something new ---- */

typedef struct stir_call {
    cw_shared_done *done;
    void *user;
} stir_call;

static void on_stirred(void *user, const crawl_redis_answer *said)
{
    stir_call *s = user;
    s->done(s->user, said->fault, said->words);
    free(s);
}

crawl_err cw_shared_stir(cw_shared *shared, const unsigned *numbers, size_t count, cw_shared_done *done, void *user)
{
    cw_shared_words words;
    stir_call *s = malloc(sizeof *s);
    if (!s)
        return CRAWL_ENOMEM;
    *s = (stir_call){.done = done, .user = user};
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, count, &words);
    if (!err) {
        for (size_t i = 0; i < count; i++)
            cw_shared_add_number(&words, numbers[i]);
        err = cw_shared_send(shared, CW_SHARED_STIR, &words, on_stirred, s);
    }
    if (err)
        free(s);
    return err;
}

crawl_err cw_shared_read_stirs(cw_shared *shared, crawl_redis_done done, void *user)
{
    return cw_shared_get(shared, "stirs", done, user);
}
