/* See remote_seeds.h. One request at a time: a batch is taken, given to the engine, and reported as finished.
 *
 *   KEY             the list; new elements are taken from its head
 *   KEY:taken:ID    the batch of one process
 *   KEY:takers      the processes that have a batch, by when they count as dead
 *   KEY:refused     elements that are no seeds, the last 10,000
 *
 * A batch whose end was not acknowledged is still there, and the next request returns it, so an answer that is lost
 * with its connection needs no care. A dead process's batch goes back to the head of the list. */
#include "crawler/program/redis/remote_seeds.h"

#include "base/bytes.h"
#include "base/error.h"
#include "config/config_values.h"
#include "crawler/program/redis/remote.h"
#include "crawler/program/seeds.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
    POLL_MS = 250,       /* while the list is empty, or enough is queued */
    REST_MS = 1000,      /* after the server could not answer */
    GIVE_BACK_MS = 2000, /* at the end; after that the lease expires */
    ID_SIZE = 17
};

#define LEASE_MS "60000" /* a process that is silent for so long with a batch is dead */

static const char take_text[] =
    "local list, taken, takers = KEYS[1], KEYS[2], KEYS[3]\n"
    "local most = tonumber(ARGV[2])\n"
    "local time = redis.call('TIME')\n"
    "local now = time[1] * 1000 + math.floor(time[2] / 1000)\n"
    "local got = redis.call('LRANGE', taken, 0, -1)\n"
    "local function fill()\n"
    "  while #got < most do\n"
    "    local element = redis.call('LMOVE', list, taken, 'LEFT', 'RIGHT')\n"
    "    if not element then return end\n"
    "    got[#got + 1] = element\n"
    "  end\n"
    "end\n"
    "if #got == 0 then fill() end\n"
    "if #got == 0 then\n"
    "  for _, dead in ipairs(redis.call('ZRANGEBYSCORE', takers, '-inf', now, 'LIMIT', 0, 16)) do\n"
    "    while redis.call('LMOVE', list .. ':taken:' .. dead, list, 'RIGHT', 'LEFT') do end\n"
    "    redis.call('ZREM', takers, dead)\n"
    "  end\n"
    "  fill()\n"
    "end\n"
    "if #got > 0 then redis.call('ZADD', takers, now + ARGV[3], ARGV[1]) end\n"
    "return got\n";

static const char finish_text[] = "for i = 2, #ARGV do redis.call('RPUSH', KEYS[3], ARGV[i]) end\n"
                                  "if #ARGV > 1 then redis.call('LTRIM', KEYS[3], -10000, -1) end\n"
                                  "redis.call('DEL', KEYS[1])\n"
                                  "redis.call('ZREM', KEYS[2], ARGV[1])\n"
                                  "return #ARGV - 1\n";

static const char give_back_text[] = "while redis.call('LMOVE', KEYS[2], KEYS[1], 'RIGHT', 'LEFT') do end\n"
                                     "return redis.call('ZREM', KEYS[3], ARGV[1])\n";

struct cw_remote_seeds {
    cw_remote *remote;
    crawl_engine *engine;
    bool waits;
    char id[ID_SIZE];
    crawl_buf taken_key, takers_key, refused_key;
    crawl_redis_script *take, *finish, *give_back;
    void (*notice)(void *of, const char *words);
    void *of;

    pthread_mutex_t lock; /* protects failure */
    crawl_error failure;

    /* Used only by its thread, or after that has ended: */
    struct event *again;
    bool is_asking; /* a request is under way */
    bool is_over;   /* take no more seeds */
    crawl_redis_fault resting_for;
    cw_program_seed_count batch; /* of the batch whose end is being reported */
    cw_program_seed_count count;
};

static const char *const names[] = {"list", NULL};

static void remote_seeds_look(cw_remote_seeds *seeds);

static const char *remote_seeds_key_of(const cw_remote_seeds *seeds)
{
    return cw_remote_url(seeds->remote)->values[0];
}

/* ---- failures ---- */

/* Ends the list: no more seeds come from here. */
static void end_of_list(cw_remote_seeds *seeds)
{
    seeds->is_over = true;
    crawl_engine_expect(seeds->engine, false);
}

static void remote_seeds_fail(cw_remote_seeds *seeds, const char *words, const char *more)
{
    pthread_mutex_lock(&seeds->lock);
    crawl_error_set(&seeds->failure, CRAWL_EIO, "%s: %s%s%s", cw_remote_name(seeds->remote), words, *more ? ": " : "",
                    more);
    pthread_mutex_unlock(&seeds->lock);
    end_of_list(seeds);
}

crawl_err cw_remote_seeds_failed(cw_remote_seeds *seeds)
{
    pthread_mutex_lock(&seeds->lock);
    crawl_err err = seeds->failure.code;
    pthread_mutex_unlock(&seeds->lock);
    return err;
}

static void remote_seeds_on_refused(void *user, const crawl_redis_answer *said)
{
    const cw_remote_seeds *seeds = user;
    if (!seeds->is_over)
        remote_seeds_fail(user, crawl_redis_fault_words(said->fault), said->words);
}

static void remote_seeds_look_again(cw_remote_seeds *seeds, int ms)
{
    const struct timeval pause = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    evtimer_add(seeds->again, &pause);
}

/* Pauses. A person is told once, until the server answers again. */
static void remote_seeds_rest(cw_remote_seeds *seeds, crawl_redis_fault fault)
{
    char words[400];
    remote_seeds_look_again(seeds, REST_MS);
    if (seeds->resting_for == fault)
        return;
    seeds->resting_for = fault;
    snprintf(words, sizeof words, "%s gives no seeds: %s; retrying", cw_remote_name(seeds->remote),
             crawl_redis_fault_words(fault));
    seeds->notice(seeds->of, words);
}

/* Returns false if there is no answer; the consequences were dealt with. */
static bool remote_seeds_is_answered(cw_remote_seeds *seeds, const crawl_redis_answer *said)
{
    seeds->is_asking = false;
    if (said->fault == CRAWL_REDIS_OK) {
        seeds->resting_for = CRAWL_REDIS_OK;
        return !seeds->is_over;
    }
    if (seeds->is_over)
        return false;
    if (said->fault == CRAWL_REDIS_UNKNOWN) /* the connection reports when it is back */
        return false;
    if (crawl_redis_fault_passes(said->fault))
        remote_seeds_rest(seeds, said->fault);
    else
        remote_seeds_on_refused(seeds, said);
    return false;
}

/* ---- a batch ---- */

static void run_script(cw_remote_seeds *seeds, const crawl_redis_script *script, const crawl_slice *arguments,
                       size_t count, crawl_redis_done done)
{
    seeds->is_asking = true;
    crawl_err err = crawl_redis_eval(cw_remote_redis(seeds->remote), script, 3, arguments, count, done, seeds);
    if (!err)
        return;
    seeds->is_asking = false;
    remote_seeds_look_again(seeds, REST_MS); /* out of memory for a request */
}

static void on_finished(void *user, const crawl_redis_answer *said)
{
    cw_remote_seeds *seeds = user;
    if (said->fault == CRAWL_REDIS_OK) {
        seeds->count.taken += seeds->batch.taken;
        seeds->count.refused += seeds->batch.refused;
    }
    if (remote_seeds_is_answered(seeds, said))
        remote_seeds_look(seeds);
}

static crawl_err remote_seed_engine(void *user, const crawl_seed *seed, crawl_error *error)
{
    return crawl_engine_seed(user, seed, error);
}

static void remote_seeds_say_refused(cw_remote_seeds *seeds, const char *why)
{
    char words[800];
    snprintf(words, sizeof words, "seeds: %s, list %.100s: %s", cw_remote_name(seeds->remote),
             remote_seeds_key_of(seeds), why);
    seeds->notice(seeds->of, words);
}

/* Returns false if the crawl's directory has failed, or when out of memory; the batch then stays where it is. */
static bool remote_seeds_take_element(cw_remote_seeds *seeds, crawl_slice element, crawl_slice *refused, size_t *count)
{
    crawl_error error = {0};
    crawl_err err = cw_program_seeds_take_element(element, remote_seed_engine, seeds->engine, &seeds->batch, &error);
    if (cw_program_seeds_ends(err)) {
        remote_seeds_fail(seeds, "its seeds cannot be queued", error.message);
        return false;
    }
    if (!err)
        return true;
    remote_seeds_say_refused(seeds, error.message);
    seeds->batch.refused++;
    refused[(*count)++] = element;
    return true;
}

static void remote_seeds_take_batch(cw_remote_seeds *seeds, const crawl_redis_reply *reply)
{
    crawl_slice arguments[4 + CW_REMOTE_SEEDS_BATCH] = {
        crawl_buf_slice(&seeds->taken_key),
        crawl_buf_slice(&seeds->takers_key),
        crawl_buf_slice(&seeds->refused_key),
        crawl_slice_from(seeds->id),
    };
    size_t count = 4;
    seeds->batch = (cw_program_seed_count){0};
    for (size_t i = 0; i < reply->count; i++)
        if (!remote_seeds_take_element(seeds, reply->items[i].text, arguments, &count))
            return;
    run_script(seeds, seeds->finish, arguments, count, on_finished);
}

static bool is_batch(const crawl_redis_reply *reply)
{
    bool is_batch = reply->type == CRAWL_REDIS_ARRAY && reply->count <= CW_REMOTE_SEEDS_BATCH;
    for (size_t i = 0; is_batch && i < reply->count; i++)
        is_batch = reply->items[i].type == CRAWL_REDIS_TEXT;
    return is_batch;
}

static void remote_seeds_on_taken(void *user, const crawl_redis_answer *said)
{
    cw_remote_seeds *seeds = user;
    if (!remote_seeds_is_answered(seeds, said))
        return;
    if (!is_batch(said->reply))
        remote_seeds_fail(seeds, "its answer is not a list of seeds", "");
    else if (said->reply->count)
        remote_seeds_take_batch(seeds, said->reply);
    else if (seeds->waits)
        remote_seeds_look_again(seeds, POLL_MS);
    else
        end_of_list(seeds);
}

static bool has_enough(const cw_remote_seeds *seeds)
{
    crawl_engine_stats stats;
    crawl_engine_stats_get(seeds->engine, &stats);
    return stats.frontier.queued >= CW_REMOTE_SEEDS_AHEAD;
}

static void remote_seeds_look(cw_remote_seeds *seeds)
{
    char most[8];
    if (seeds->is_asking || seeds->is_over)
        return;
    if (has_enough(seeds)) {
        remote_seeds_look_again(seeds, POLL_MS);
        return;
    }
    snprintf(most, sizeof most, "%d", CW_REMOTE_SEEDS_BATCH);
    const crawl_slice arguments[] = {
        crawl_slice_from(remote_seeds_key_of(seeds)),
        crawl_buf_slice(&seeds->taken_key),
        crawl_buf_slice(&seeds->takers_key),
        crawl_slice_from(seeds->id),
        crawl_slice_from(most),
        crawl_slice_from(LEASE_MS),
    };
    run_script(seeds, seeds->take, arguments, sizeof arguments / sizeof *arguments, remote_seeds_on_taken);
}

/* Called when the connection is established, perhaps again. A pause under way goes on. */
static void remote_seeds_on_wake(void *user)
{
    cw_remote_seeds *seeds = user;
    if (!evtimer_pending(seeds->again, NULL))
        remote_seeds_look(seeds);
}

static void remote_seeds_on_again(evutil_socket_t, short, void *user)
{
    remote_seeds_look(user);
}

/* ---- the process's name ---- */

static bool remote_seeds_copy_id(crawl_slice, crawl_slice note, void *user)
{
    cw_remote_seeds *seeds = user;
    if (note.size == ID_SIZE - 1)
        memcpy(seeds->id, note.data, note.size);
    return false;
}

/* Finds the name of this process. A crawl that outlives its process has one name for all its runs, so that the next run
 * finds at once the batch of the last one. */
static crawl_err find_id(cw_remote_seeds *seeds, crawl_error *error)
{
    static const char note[] = "redis-taker";
    unsigned char random[(ID_SIZE - 1) / 2];
    crawl_err err = crawl_engine_notes(seeds->engine, crawl_slice_from(note), remote_seeds_copy_id, seeds);
    if (!err && *seeds->id)
        return CRAWL_OK;
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return crawl_error_set(error, CRAWL_EIO, "no random number for a name in Redis");
    cw_hex_encode(random, sizeof random, seeds->id);
    if (!err)
        err = crawl_engine_note_set(seeds->engine, crawl_slice_from(note), crawl_slice_from(seeds->id));
    return err ? cw_error(error, err) : CRAWL_OK;
}

static crawl_err remote_seeds_make_names(cw_remote_seeds *seeds, crawl_error *error)
{
    const char *key = remote_seeds_key_of(seeds);
    crawl_err err = crawl_buf_printf(&seeds->taken_key, "%s:taken:%s", key, seeds->id);
    if (!err)
        err = crawl_buf_printf(&seeds->takers_key, "%s:takers", key);
    if (!err)
        err = crawl_buf_printf(&seeds->refused_key, "%s:refused", key);
    if (!err)
        err = crawl_redis_script_create("seeds-take", 1, take_text, &seeds->take);
    if (!err)
        err = crawl_redis_script_create("seeds-finish", 1, finish_text, &seeds->finish);
    if (!err)
        err = crawl_redis_script_create("seeds-give-back", 1, give_back_text, &seeds->give_back);
    return err ? cw_error(error, err) : CRAWL_OK;
}

/* ---- opening and closing ---- */

crawl_err cw_remote_seeds_check(const char *text, crawl_error *error)
{
    crawl_redis_url url;
    crawl_error why = {0};
    crawl_err err = crawl_redis_url_parse(crawl_slice_from(text), names, &url, &why);
    if (!err && !url.values[0])
        err = crawl_error_set(&why, CRAWL_EINVAL, "expected ?list=KEY");
    if (!err || why.code == CRAWL_EINVAL)
        crawl_redis_url_free(&url);
    return err ? crawl_error_set(error, CRAWL_EINVAL, "the URL of Redis: %s", why.message) : CRAWL_OK;
}

static crawl_err connect_seeds(cw_remote_seeds *seeds, const crawl_config *config, crawl_error *error)
{
    const cw_remote_calls calls = {.on_wake = remote_seeds_on_wake,
                                   .on_refused = remote_seeds_on_refused,
                                   .user = seeds,
                                   .notice = seeds->notice,
                                   .of = seeds->of};
    crawl_err err = cw_remote_open(config->program.seeds, names, config, &seeds->remote, error);
    if (!err)
        err = cw_remote_check_key(seeds->remote, remote_seeds_key_of(seeds), "list", error);
    if (!err)
        err = find_id(seeds, error);
    if (!err)
        err = remote_seeds_make_names(seeds, error);
    if (err)
        return err;
    seeds->again = evtimer_new(cw_remote_base(seeds->remote), remote_seeds_on_again, seeds);
    if (!seeds->again)
        return cw_error(error, CRAWL_ENOMEM);
    remote_seeds_look_again(seeds, 0);
    crawl_engine_expect(seeds->engine, true);
    return cw_remote_start(seeds->remote, &calls, error);
}

crawl_err cw_remote_seeds_open(const crawl_config *config, crawl_engine *engine,
                               void (*notice)(void *of, const char *words), void *of, cw_remote_seeds **out,
                               crawl_error *error)
{
    cw_remote_seeds *seeds = calloc(1, sizeof *seeds);
    if (!seeds)
        return cw_error(error, CRAWL_ENOMEM);
    seeds->engine = engine;
    seeds->waits = config->program.wait || config->revisit;
    seeds->notice = notice;
    seeds->of = of;
    pthread_mutex_init(&seeds->lock, NULL);
    crawl_err err = connect_seeds(seeds, config, error);
    if (err)
        cw_remote_seeds_close(seeds, NULL);
    else
        *out = seeds;
    return err;
}

static void on_given_back(void *user, const crawl_redis_answer *)
{
    cw_remote_seeds *seeds = user;
    event_base_loopbreak(cw_remote_base(seeds->remote));
}

/* Gives the batch back, after any request under way. A batch that still arrives is not taken, and goes back too. */
static void remote_seeds_give_back(cw_remote_seeds *seeds)
{
    const crawl_slice arguments[] = {
        crawl_slice_from(remote_seeds_key_of(seeds)),
        crawl_buf_slice(&seeds->taken_key),
        crawl_buf_slice(&seeds->takers_key),
        crawl_slice_from(seeds->id),
    };
    seeds->is_over = true;
    if (crawl_redis_eval(cw_remote_redis(seeds->remote), seeds->give_back, 3, arguments,
                         sizeof arguments / sizeof *arguments, on_given_back, seeds) == CRAWL_OK)
        cw_remote_run(seeds->remote, GIVE_BACK_MS);
}

static void say_count(cw_remote_seeds *seeds)
{
    char words[800];
    if (!seeds->count.refused)
        return;
    snprintf(words, sizeof words, "seeds: %s, list %.100s: %lu taken, %lu refused, which are in %.100s:refused",
             cw_remote_name(seeds->remote), remote_seeds_key_of(seeds), seeds->count.taken, seeds->count.refused,
             remote_seeds_key_of(seeds));
    seeds->notice(seeds->of, words);
}

crawl_err cw_remote_seeds_close(cw_remote_seeds *seeds, crawl_error *error)
{
    if (!seeds)
        return CRAWL_OK;
    if (seeds->remote)
        cw_remote_stop(seeds->remote);
    if (seeds->again) {
        remote_seeds_give_back(seeds);
        say_count(seeds);
        event_free(seeds->again);
    }
    crawl_err err = seeds->failure.code;
    if (err && error)
        *error = seeds->failure;
    cw_remote_close(seeds->remote);
    crawl_redis_script_free(seeds->take);
    crawl_redis_script_free(seeds->finish);
    crawl_redis_script_free(seeds->give_back);
    crawl_buf_free(&seeds->taken_key);
    crawl_buf_free(&seeds->takers_key);
    crawl_buf_free(&seeds->refused_key);
    pthread_mutex_destroy(&seeds->lock);
    free(seeds);
    return err;
}
