/* The whole crawl: workers with seeds, notes, counts, and whether anything is left. */
#include "shared/protocol/protocol_state.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- seeds ---- */

typedef struct feed_call {
    cw_shared_fed *done;
    void *user;
} feed_call;

static void whole_on_fed(void *user, const crawl_redis_answer *said)
{
    feed_call *f = user;
    int64_t feeders = said->fault ? 0 : cw_shared_number(cw_shared_item_of(said->reply, 0), -1);
    if (feeders < 0)
        f->done(f->user, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE, 0);
    else
        f->done(f->user, said->fault, said->words, (uint64_t)feeders);
    free(f);
}

/* Makes the arguments that tell feed.lua about this worker: word is one of its words. */
static crawl_err make_feed(const cw_shared *shared, const char *word, cw_shared_words *out)
{
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, 3, out);
    if (err)
        return err;
    cw_shared_add_number(out, shared->options.lease_ms);
    cw_shared_add(out, crawl_slice_from(shared->options.worker));
    cw_shared_add(out, crawl_slice_from(word));
    return CRAWL_OK;
}

crawl_err cw_shared_feed(cw_shared *shared, cw_shared_feeding feeding, cw_shared_fed *done, void *user)
{
    static const char *const feeding_words[] = {
        [CW_SHARED_FED] = "0", [CW_SHARED_FEEDS] = "1", [CW_SHARED_FED_FOR_ALL] = "2"};
    cw_shared_words words;
    feed_call *f = malloc(sizeof *f);
    if (!f)
        return CRAWL_ENOMEM;
    *f = (feed_call){.done = done, .user = user};
    crawl_err err = make_feed(shared, feeding_words[feeding], &words);
    if (!err)
        err = cw_shared_send(shared, CW_SHARED_FEED, &words, whole_on_fed, f);
    if (err)
        free(f);
    return err;
}

/* ---- notes ---- */

crawl_err cw_shared_write_notes(cw_shared *shared, const crawl_slice *texts, size_t count, crawl_redis_done done,
                                void *user)
{
    cw_shared_words words;
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, count, &words);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        cw_shared_add(&words, texts[i]);
    return cw_shared_send(shared, CW_SHARED_NOTES, &words, done, user);
}

/* ---- a look at all partitions ---- */

/* Each step begins when everything of the one before is answered. The order of sending is not enough, because a script
 * that the server does not know is sent again, after other commands. Most partitions of most crawls have nothing, and
 * one command says so for a tenth of the cost of a script. */
typedef enum look_step { FIRST_PASS, FEEDERS, SECOND_PASS } look_step;

typedef struct look look;

typedef struct look_part {
    look *look;
    unsigned partition;
} look_part;

struct look {
    cw_shared *shared;
    cw_shared_round round;
    cw_shared_looked *done;
    void *user;
    look_step step;
    cw_shared_depth depth;
    bool is_busy; /* something was found */
    uint64_t feeders, unfed;
    crawl_shared_counts sums[2]; /* of each pass */
    bool has_some[CW_SHARED_PARTITIONS], is_stranded[CW_SHARED_PARTITIONS];
    look_part parts[CW_SHARED_PARTITIONS];
};

/* Returns true if nothing changed between the passes. Both figures only grow when a request comes or is taken, so their
 * sums stand for all of them. */
static bool is_still(const look *l)
{
    return l->sums[0].accepted == l->sums[1].accepted && l->sums[0].tokens == l->sums[1].tokens;
}

static void finish_look(look *l)
{
    cw_shared_look said = {
        .fault = l->round.fault,
        .words = l->round.words,
        .figures = l->sums[0],
        .feeders = l->feeders,
        .unfed = l->unfed,
        .is_drained = !l->round.fault && l->step == SECOND_PASS && !l->is_busy && is_still(l),
    };
    memcpy(said.has_some, l->has_some, sizeof said.has_some);
    memcpy(said.is_stranded, l->is_stranded, sizeof said.is_stranded);
    l->done(l->user, &said);
    free(l);
}

static void begin_step(look *l, look_step step);

static void end_one_look(look *l)
{
    bool goes_on = !l->round.fault && l->depth == CW_SHARED_END && !l->is_busy;
    if (!cw_shared_is_last(&l->round))
        return;
    if (!l->round.fault && l->step == FIRST_PASS)
        begin_step(l, FEEDERS);
    else if (goes_on && l->step == FEEDERS && !l->feeders)
        begin_step(l, SECOND_PASS);
    else
        finish_look(l);
}

/* ---- hosts of a partition ---- */

enum { DUE = 13 }; /* index in the answer of figures.lua */

static bool add_figures(look *l, unsigned partition, const crawl_redis_reply *reply)
{
    crawl_shared_counts part = {0};
    int64_t due = cw_shared_number(cw_shared_item_of(reply, DUE), -1);
    if (!cw_shared_counts_read(reply, &part) || due < 0)
        return false;
    cw_shared_counts_add(&l->sums[0], &part);
    l->has_some[partition] = part.queued || part.held || due;
    l->is_stranded[partition] = (part.queued || part.held) && !part.waiting && !part.sessions;
    l->is_busy = l->is_busy || l->has_some[partition] || part.sessions;
    return true;
}

static void on_figures(void *user, const crawl_redis_answer *said)
{
    const look_part *part = user;
    look *l = part->look;
    if (said->fault)
        cw_shared_note_fault(&l->round, said->fault, said->words);
    else if (!add_figures(l, part->partition, said->reply))
        cw_shared_note_fault(&l->round, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE);
    end_one_look(l);
}

static crawl_err send_figures(look *l, unsigned partition)
{
    cw_shared_words words;
    crawl_err err = cw_shared_words_make(l->shared, partition, 1, &words);
    if (err)
        return err;
    cw_shared_add_number(&words, l->shared->due_ms);
    return cw_shared_send_in(&l->round, l->shared, CW_SHARED_FIGURES, &words, on_figures, &l->parts[partition]);
}

/* ---- requests of a partition ---- */

/* Names of figures in scripts: the sign of the crawl, and numbers in the order of crawl_shared_counts. */
static const char *const counted_names[] = {"made",  "queued", "held",  "accepted", "refused", "done",
                                            "token", "lost",   "stale", "links",    "added",   "later"};

enum { NAMES = sizeof counted_names / sizeof *counted_names };

/* False: not such numbers. */
static bool whole_read_counts(const crawl_redis_reply *reply, crawl_shared_counts *out)
{
    uint64_t *const numbers = (uint64_t *)out;
    for (size_t i = 1; i < NAMES; i++) {
        crawl_slice text = cw_shared_text_of(cw_shared_item_of(reply, i));
        uint64_t *to = i < NAMES - 1 ? &numbers[i - 1] : &out->later;
        *to = (uint64_t)cw_shared_number_in(text);
        if (text.size && text.data[0] == '-')
            return false;
    }
    return cw_shared_item_of(reply, NAMES - 1) != NULL;
}

/* Checks the sign as common.lua does. */
static bool whole_is_there(look *l, unsigned partition, crawl_slice made)
{
    char words[CW_SHARED_KEY_MAX + 16];
    if (!*l->shared->sign || cw_is(made, l->shared->sign))
        return true;
    snprintf(words, sizeof words, "%s {%s:%u}", made.size ? "OTHERCRAWL" : "LOSTCRAWL", l->shared->options.name,
             partition);
    cw_shared_note_fault(&l->round, CRAWL_REDIS_REFUSED, words);
    return false;
}

/* Adds the counts of a partition. Asks for its hosts if there may be some. The second pass need not ask: without
 * requests, and without a session begun meanwhile, which a token would tell, there are none. */
static void add_counts(look *l, unsigned partition, const crawl_redis_reply *reply)
{
    crawl_shared_counts part = {0};
    if (!whole_read_counts(reply, &part)) {
        cw_shared_note_fault(&l->round, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE);
        return;
    }
    if (!whole_is_there(l, partition, cw_shared_text_of(&reply->items[0])))
        return;
    bool has_hosts = part.queued || part.tokens || part.later;
    if (l->step == FIRST_PASS && l->depth != CW_SHARED_REQUESTS && has_hosts) {
        if (send_figures(l, partition))
            cw_shared_note_fault(&l->round, CRAWL_REDIS_UNSENT, crawl_redis_fault_words(CRAWL_REDIS_UNSENT));
        return;
    }
    cw_shared_counts_add(&l->sums[l->step == SECOND_PASS], &part);
    l->has_some[partition] = part.queued || part.held;
    l->is_busy = l->is_busy || l->has_some[partition];
}

static void on_counts(void *user, const crawl_redis_answer *said)
{
    const look_part *part = user;
    if (said->fault)
        cw_shared_note_fault(&part->look->round, said->fault, said->words);
    else
        add_counts(part->look, part->partition, said->reply);
    end_one_look(part->look);
}

static crawl_err send_counts(look *l, unsigned partition)
{
    char key[CW_SHARED_KEY_MAX];
    crawl_slice words[2 + NAMES] = {crawl_slice_from("HMGET")};
    cw_shared_write_key_of(l->shared, partition, "figures", key);
    words[1] = crawl_slice_from(key);
    for (size_t i = 0; i < NAMES; i++)
        words[2 + i] = crawl_slice_from(counted_names[i]);
    l->parts[partition] = (look_part){.look = l, .partition = partition};
    return cw_shared_ask_in(&l->round, l->shared, words, 2 + NAMES, on_counts, &l->parts[partition]);
}

/* ---- the steps ---- */

static void on_feeders(void *user, const crawl_redis_answer *said)
{
    look *l = user;
    int64_t feeders = said->fault ? 0 : cw_shared_number(cw_shared_item_of(said->reply, 0), -1);
    int64_t unfed = said->fault ? 0 : cw_shared_number(cw_shared_item_of(said->reply, 1), -1);
    cw_shared_note_fault(&l->round, said->fault, said->words);
    if (feeders < 0 || unfed < 0)
        cw_shared_note_fault(&l->round, CRAWL_REDIS_PROTOCOL, CW_SHARED_STRANGE);
    l->feeders = feeders < 0 ? 0 : (uint64_t)feeders;
    l->unfed = unfed < 0 ? 0 : (uint64_t)unfed;
    end_one_look(l);
}

static crawl_err send_feeders(look *l)
{
    cw_shared_words words;
    crawl_err err = make_feed(l->shared, "", &words);
    return err ? err : cw_shared_send_in(&l->round, l->shared, CW_SHARED_FEED, &words, on_feeders, l);
}

static crawl_err send_step(look *l, look_step step)
{
    crawl_err err = CRAWL_OK;
    l->step = step;
    l->round.owed = 1;
    if (step == FEEDERS)
        err = send_feeders(l);
    for (unsigned i = 0; step != FEEDERS && i < CW_SHARED_PARTITIONS && !err; i++)
        err = send_counts(l, i);
    return cw_shared_end_sending(&l->round, err);
}

static void begin_step(look *l, look_step step)
{
    (void)send_step(l, step); /* the first step has sent something, so an error is reported as a fault */
    end_one_look(l);
}

crawl_err cw_shared_look_at(cw_shared *shared, cw_shared_depth depth, cw_shared_looked *done, void *user)
{
    look *l = calloc(1, sizeof *l);
    if (!l)
        return CRAWL_ENOMEM;
    *l = (look){.shared = shared, .done = done, .user = user, .depth = depth};
    crawl_err err = send_step(l, FIRST_PASS);
    if (err)
        free(l);
    else
        end_one_look(l);
    return err;
}
