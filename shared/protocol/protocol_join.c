/* Creates or joins a crawl. The server must not drop keys by itself, and decisions made once must still hold. Then all
 * partitions get the sign of the crawl, from any worker that finds one without it; the crawl does not begin before.
 * Later, a partition without the sign has lost its data. */
#include "redis/client.h"
#include "shared/protocol/protocol_state.h"

#include "base/bytes.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The join of a worker. The words of the second question are made first, since the caller's choices are valid only
 * within the call. */
typedef struct join join;

/* The sign of a partition or of the whole crawl. */
typedef struct join_mark {
    join *of;
    unsigned partition;
} join_mark;

struct join {
    cw_shared *shared;
    cw_shared_joined *done;
    void *user;
    cw_shared_words words;
    char own[3][32]; /* values to which words has slices, as to texts */
    crawl_buf texts;
    size_t owed; /* answers of servers to INFO */
    bool made;
    char sign[CW_SHARED_SIGN + 1];
    cw_shared_round marks;
    bool is_whole;   /* all partitions are marked */
    bool is_foreign; /* one has another sign */
    crawl_err err;
    crawl_error error; /* of the first failure */
    join_mark parts[CW_SHARED_WHOLE + 1];
};

static void protocol_join_finish(join *j, crawl_err err, const crawl_error *error, bool made)
{
    j->done(j->user, err, error, made);
    cw_shared_words_free(&j->words);
    crawl_buf_free(&j->texts);
    free(j);
}

static void finish_refused(join *j, crawl_err err, const char *words)
{
    crawl_error error = {0};
    crawl_error_set(&error, err, "%s", words);
    protocol_join_finish(j, err, &error, false);
}

/* CRAWL_ENET: it may pass. */
static crawl_err set_fault(crawl_error *error, const crawl_redis_answer *said)
{
    const char *words = crawl_redis_fault_words(said->fault);
    bool passes = crawl_redis_fault_passes(said->fault) || said->fault == CRAWL_REDIS_UNKNOWN ||
                  said->fault == CRAWL_REDIS_UNSENT;
    if (said->fault == CRAWL_REDIS_WRONGTYPE)
        return crawl_error_set(error, CRAWL_ECORRUPT, "%s", CW_SHARED_FOREIGN);
    if (!*said->words)
        return crawl_error_set(error, passes ? CRAWL_ENET : CRAWL_EIO, "%s", words);
    crawl_err err = passes ? CRAWL_ENET : said->fault == CRAWL_REDIS_NOPERM ? CRAWL_EINVAL : CRAWL_EIO;
    return crawl_error_set(error, err, "%s (%s)", words, said->words);
}

/* A difference is a name, the value in the crawl, and ours. */
enum { NAME, THEIRS, OURS, OF_DIFFERENCE };

static bool are_differences(const crawl_redis_reply *said)
{
    bool are_texts = cw_shared_item_of(said, OURS) != NULL;
    for (size_t i = 0; cw_shared_item_of(said, i); i++)
        are_texts = are_texts && said->items[i].type == CRAWL_REDIS_TEXT;
    return are_texts;
}

static crawl_err tell_format(const crawl_redis_reply *said, crawl_error *error)
{
    if (!said->items[THEIRS].text.size)
        return crawl_error_set(error, CRAWL_ECORRUPT, "%s", CW_SHARED_FOREIGN);
    return crawl_error_set(error, CRAWL_ECORRUPT, CW_SHARED_OTHER_FORMAT, said->items[THEIRS].text.data,
                           said->items[OURS].text.data);
}

static crawl_err tell_choices(const crawl_redis_reply *said, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; cw_shared_item_of(said, i + OURS) && !err; i += OF_DIFFERENCE)
        err = crawl_buf_printf(&text, "%s%s = \"%s\", not \"%s\"", i ? "; " : "", said->items[i + NAME].text.data,
                               said->items[i + THEIRS].text.data, said->items[i + OURS].text.data);
    err = err ? cw_error(error, err) : crawl_error_set(error, CRAWL_EINVAL, "the crawl was made with %s", text.data);
    crawl_buf_free(&text);
    return err;
}

static void tell_differences(join *j, const crawl_redis_reply *said)
{
    crawl_error error = {0};
    if (!are_differences(said))
        finish_refused(j, CRAWL_ECORRUPT, CW_SHARED_STRANGE);
    else
        protocol_join_finish(j,
                             (cw_is(said->items[NAME].text, "crawl.format") ? tell_format : tell_choices)(said, &error),
                             &error, false);
}

/* ---- the sign ---- */

static void protocol_join_write_sign(crawl_slice made, char sign[CW_SHARED_SIGN + 1])
{
    snprintf(sign, CW_SHARED_SIGN + 1, "%016" PRIx64, (uint64_t)XXH3_64bits(made.size ? made.data : "", made.size));
}

static void on_marked(void *user, const crawl_redis_answer *said);
static void on_read_mark(void *user, const crawl_redis_answer *said);
static void protocol_join_end_mark(join *j);

/* Gives the sign to a partition unless it has one; or reads its sign. */
static crawl_err send_mark(join_mark *mark, bool reads)
{
    join *j = mark->of;
    char key[CW_SHARED_KEY_MAX];
    cw_shared_write_key_of(j->shared, mark->partition, "figures", key);
    const crawl_slice words[] = {crawl_slice_from(reads ? "HGET" : "HSETNX"), crawl_slice_from(key),
                                 crawl_slice_from("made"), crawl_slice_from(j->sign)};
    return cw_shared_ask_in(&j->marks, j->shared, words, reads ? 3 : 4, reads ? on_read_mark : on_marked, mark);
}

static void finish_signed(join *j)
{
    memcpy(j->shared->sign, j->sign, sizeof j->sign);
    protocol_join_finish(j, CRAWL_OK, NULL, j->made);
}

/* Marks all partitions, and then the whole crawl, which tells others that all partitions are marked. */
static void protocol_join_mark(join *j)
{
    crawl_err err = CRAWL_OK;
    unsigned first = j->is_whole ? CW_SHARED_WHOLE : 0;
    unsigned last = j->is_whole ? CW_SHARED_WHOLE : CW_SHARED_PARTITIONS - 1;
    j->marks = (cw_shared_round){.owed = 1};
    for (unsigned i = first; i <= last && !err; i++) {
        j->parts[i] = (join_mark){.of = j, .partition = i};
        err = send_mark(&j->parts[i], false);
    }
    if (err)
        cw_shared_note_fault(&j->marks, CRAWL_REDIS_UNSENT, crawl_strerror(err));
    protocol_join_end_mark(j);
}

static void protocol_join_end_mark(join *j)
{
    crawl_error error = {0};
    const crawl_redis_answer said = {.fault = j->marks.fault, .words = j->marks.words};
    if (!cw_shared_is_last(&j->marks))
        return;
    if (said.fault) {
        protocol_join_finish(
            j, j->is_foreign ? crawl_error_set(&error, CRAWL_ECORRUPT, "%s", said.words) : set_fault(&error, &said),
            &error, false);
    } else if (j->is_whole) {
        finish_signed(j);
    } else {
        j->is_whole = true;
        protocol_join_mark(j);
    }
}

static void on_marked(void *user, const crawl_redis_answer *said)
{
    join_mark *mark = user;
    join *j = mark->of;
    crawl_err err = CRAWL_OK;
    cw_shared_note_fault(&j->marks, said->fault, said->words);
    if (!said->fault && cw_shared_number(said->reply, 0) != 1) /* it has a sign */
        err = send_mark(mark, true);
    if (err)
        cw_shared_note_fault(&j->marks, CRAWL_REDIS_UNSENT, crawl_strerror(err));
    protocol_join_end_mark(j);
}

static void on_read_mark(void *user, const crawl_redis_answer *said)
{
    join *j = ((const join_mark *)user)->of;
    cw_shared_note_fault(&j->marks, said->fault, said->words);
    if (!said->fault && !cw_is(cw_shared_text_of(said->reply), j->sign)) {
        j->is_foreign = true;
        cw_shared_note_fault(&j->marks, CRAWL_REDIS_REFUSED,
                             "keys of another crawl of this name are left: drop them, or use another name");
    }
    protocol_join_end_mark(j);
}

/* ---- the answer ---- */

/* Reads `made` and the sign of the whole crawl, if it has one. */
static void take_crawl(join *j, const crawl_redis_reply *said)
{
    crawl_slice made = cw_shared_text_of(cw_shared_item_of(said, 1));
    int64_t unfed = cw_shared_number(cw_shared_item_of(said, 2), -1);
    crawl_slice sign = cw_shared_text_of(cw_shared_item_of(said, 3));
    j->shared->unfed = unfed > 0 ? (uint64_t)unfed : 0;
    j->made = said->items[0].number == 1;
    protocol_join_write_sign(made, j->sign);
    if (!made.size || unfed < 0)
        finish_refused(j, CRAWL_ECORRUPT, CW_SHARED_STRANGE);
    else if (cw_is(sign, j->sign))
        finish_signed(j);
    else
        protocol_join_mark(j);
}

static void protocol_join_on_joined(void *user, const crawl_redis_answer *said)
{
    join *j = user;
    crawl_error error = {0};
    if (said->fault)
        protocol_join_finish(j, set_fault(&error, said), &error, false);
    else if (cw_shared_number(cw_shared_item_of(said->reply, 0), -1) >= 0)
        take_crawl(j, said->reply);
    else
        tell_differences(j, said->reply);
}

/* The keys have no time to live, so a policy that drops only keys with one is fine. A server that refuses INFO is
 * trusted. */
static void take_info(join *j, const crawl_redis_answer *said)
{
    if (j->err || said->fault == CRAWL_REDIS_NOPERM)
        return;
    if (said->fault)
        j->err = set_fault(&j->error, said);
    else if (said->reply->type != CRAWL_REDIS_TEXT)
        j->err = crawl_error_set(&j->error, CRAWL_EIO, "the answer to INFO is not text");
    else
        j->err = crawl_redis_check_policy(said->reply->text, &j->error);
}

/* One of the servers has answered. */
static void protocol_join_count(join *j)
{
    if (--j->owed)
        return;
    if (!j->err && j->shared->options.seen == CW_SHARED_DUPEFILTER && cw_redis_is_cluster(j->shared->options.redis))
        j->err = crawl_error_set(&j->error, CRAWL_EINVAL, "a Redis Cluster cannot have one dupefilter for all");
    if (j->err) {
        protocol_join_finish(j, j->err, &j->error, false);
        return;
    }
    crawl_err err = cw_shared_send(j->shared, CW_SHARED_JOIN, &j->words, protocol_join_on_joined, j);
    if (err)
        finish_refused(j, CRAWL_ENET, crawl_strerror(err));
}

static void protocol_join_on_info(void *user, const crawl_redis_answer *said)
{
    take_info(user, said);
    protocol_join_count(user);
}

static void protocol_join_on_wait(void *user, const crawl_redis_answer *said)
{
    join *j = user;
    if (said->fault && !j->err)
        j->err = set_fault(&j->error, said);
    protocol_join_count(j);
}

static void add_pair(join *j, const char *name, const char *value)
{
    cw_shared_add(&j->words, crawl_slice_from(name));
    cw_shared_add(&j->words, crawl_slice_from(value));
}

/* Adds the decisions of the protocol itself. */
static void add_own(join *j)
{
    char(*values)[32] = j->own;
    const cw_shared_options *options = &j->shared->options;
    bool is_chain = options->seen == CW_SHARED_SCALABLE;
    snprintf(values[0], sizeof values[0], "%u", CW_SHARED_FORMAT);
    snprintf(values[1], sizeof values[1], "%g", is_chain ? options->rate : 0);
    snprintf(values[2], sizeof values[2], "%llu", is_chain ? (unsigned long long)options->capacity : 0);
    add_pair(j, "crawl.format", values[0]);
    add_pair(j, "crawl.seen", cw_shared_seen_word(j->shared));
    add_pair(j, "crawl.seen.rate", values[1]);
    add_pair(j, "crawl.seen.capacity", values[2]);
}

/* Copies the choices of the caller. CRAWL_ENOMEM. */
static crawl_err add_choices(join *j, const cw_shared_choice *choices, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += choices[i].name.size + choices[i].value.size;
    crawl_err err = crawl_buf_reserve(&j->texts, size + 1); /* keeps the slices valid */
    for (size_t i = 0; i < 2 * count && !err; i++) {
        crawl_slice text = i % 2 ? choices[i / 2].value : choices[i / 2].name;
        const char *at = j->texts.data + j->texts.size;
        err = crawl_buf_append(&j->texts, text.data, text.size);
        cw_shared_add(&j->words, crawl_slice_of(at, text.size));
    }
    return err;
}

/* Asks all servers that may get keys of the crawl; also whether the user may call WAIT, so that a crawl that needs it
 * does not begin in vain. One more answer is owed until all are asked. */
static crawl_err ask_servers(join *j)
{
    const crawl_slice info[] = {crawl_slice_from("INFO"), crawl_slice_from("memory")};
    const crawl_slice wait[] = {crawl_slice_from("WAIT"), crawl_slice_from("0"), crawl_slice_from("0")};
    const cw_shared_options *options = &j->shared->options;
    j->owed = 1;
    crawl_err err = cw_redis_send_each(options->redis, info, 2, protocol_join_on_info, j, &j->owed);
    if (!err && options->replicas)
        err = cw_redis_send_each(options->redis, wait, 3, protocol_join_on_wait, j, &j->owed);
    if (err && j->owed == 1)
        return err;
    if (err && !j->err)
        j->err = crawl_error_set(&j->error, CRAWL_ENET, "%s", crawl_strerror(err));
    protocol_join_count(j);
    return CRAWL_OK;
}

crawl_err cw_shared_join(cw_shared *shared, const cw_shared_choice *choices, size_t count, bool feeding,
                         cw_shared_joined *done, void *user)
{
    enum { OWN_WORDS = 11 };
    join *j = calloc(1, sizeof *j);
    if (!j)
        return CRAWL_ENOMEM;
    *j = (join){.shared = shared, .done = done, .user = user};
    *shared->sign = '\0'; /* the server may have come back without it before anything was done */
    crawl_err err = cw_shared_words_make(shared, CW_SHARED_WHOLE, OWN_WORDS + 2 * count, &j->words);
    if (!err) {
        cw_shared_add_number(&j->words, shared->options.lease_ms);
        cw_shared_add(&j->words, crawl_slice_from(shared->options.worker));
        cw_shared_add(&j->words, crawl_slice_from(feeding ? "1" : "0"));
        add_own(j);
        err = add_choices(j, choices, count);
    }
    if (!err)
        err = ask_servers(j);
    if (err) {
        cw_shared_words_free(&j->words);
        crawl_buf_free(&j->texts);
        free(j);
    }
    return err;
}

crawl_err cw_shared_read_made(cw_shared *shared, crawl_redis_done done, void *user)
{
    return cw_shared_get(shared, "made", done, user);
}

uint64_t cw_shared_unfed(const cw_shared *shared)
{
    return shared->unfed;
}

bool cw_shared_is_joined(const cw_shared *shared, crawl_slice made)
{
    char sign[CW_SHARED_SIGN + 1];
    protocol_join_write_sign(made, sign);
    return strcmp(sign, shared->sign) == 0;
}

cw_shared_loss cw_shared_loss_in(const char *words)
{
    crawl_slice text = crawl_slice_from(words);
    if (cw_starts_with(text, "LOSTCRAWL "))
        return CW_SHARED_LOST;
    return cw_starts_with(text, "OTHERCRAWL ") ? CW_SHARED_OTHER : CW_SHARED_NO_LOSS;
}
