#include "crawler/program/live/control.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/json/json_write.h"
#include "config/config_values.h"
#include "crawler/program/summary/units.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"

#include <jansson.h>
#include <math.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <sys/random.h>

enum { MADE_BYTES = 16 };

/* --- The token. --- */

static crawl_err make_token(char **out, crawl_error *error)
{
    unsigned char random[MADE_BYTES];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return crawl_error_set(error, CRAWL_EIO, "no random bytes for a token");
    *out = cw_tool_memory_take(2 * sizeof random + 1);
    cw_hex_encode(random, sizeof random, *out);
    return CRAWL_OK;
}

static crawl_err check_token(const char *token, crawl_error *error)
{
    for (const char *at = token; *at; at++)
        if (*at <= ' ' || *at >= 0x7f)
            return crawl_error_set(error, CRAWL_EINVAL, "its token may contain only visible ASCII characters");
    if (strlen(token) < CW_LIVE_TOKEN_LEAST)
        return crawl_error_set(error, CRAWL_EINVAL, "its token has fewer than %u characters", CW_LIVE_TOKEN_LEAST);
    return CRAWL_OK;
}

crawl_err cw_live_control_open(cw_live_control *control, const crawl_config *config, bool may_make, bool *made,
                               crawl_error *error)
{
    const char *set = getenv(CW_LIVE_TOKEN);
    bool is_set = set && *set;
    crawl_err err = CRAWL_OK;
    *made = !config->program.live_token_file && !is_set && may_make;
    if (config->program.live_token_file)
        err = cw_secret_read(config->program.live_token_file, &control->token, error);
    else if (is_set)
        control->token = cw_tool_memory_copy(set);
    else if (may_make)
        err = make_token(&control->token, error);
    return !err && control->token ? check_token(control->token, error) : err;
}

void cw_live_control_close(cw_live_control *control)
{
    cw_secret_free(control->token);
}

bool cw_live_control_admits(const cw_live_control *control, crawl_slice authorization)
{
    static const char scheme[] = "Bearer ";
    if (!control->token || !cw_starts_nocase(authorization, scheme))
        return false;
    crawl_slice shown = cw_trim(cw_drop(authorization, strlen(scheme)));
    return shown.size == strlen(control->token) && CRYPTO_memcmp(shown.data, control->token, shown.size) == 0;
}

static const char *control_name_of(const char *peer)
{
    return peer ? peer : "somebody";
}

void cw_live_control_refused(cw_live_control *control, const char *peer)
{
    enum { EVERY_US = 1000000 };
    int64_t now_us = cw_now_us();
    control->refused++;
    if (control->refused_us && now_us - control->refused_us < EVERY_US)
        return;
    cw_message_say(CW_MESSAGE_WARNING, "live: %u request%s to control the crawl refused, by %s", control->refused,
                   cw_program_plural(control->refused), control_name_of(peer));
    control->refused_us = now_us;
    control->refused = 0;
}

/* --- The actions. --- */

/* An order to change something, and the words of its answer. */
typedef struct order {
    cw_live_control *control;
    crawl_engine *engine;
    crawl_slice host;
    const json_t *value; /* NULL: none */
    crawl_buf words;
} order;

static crawl_err control_refuse(order *one, const char *words)
{
    crawl_buf_clear(&one->words);
    crawl_err err = crawl_buf_append_text(&one->words, words);
    return err ? err : CRAWL_EINVAL;
}

static crawl_err pause_it(order *one)
{
    crawl_engine_pause(one->engine);
    return crawl_buf_append_text(&one->words, "paused");
}

static crawl_err control_resume(order *one)
{
    one->control->is_draining = false;
    crawl_engine_resume(one->engine);
    return crawl_buf_append_text(&one->words, "resumed");
}

static crawl_err drain(order *one)
{
    one->control->is_draining = true;
    crawl_engine_pause(one->engine);
    return crawl_buf_append_text(&one->words, "draining: it ends when what is under way is done");
}

static crawl_err control_end(order *one)
{
    crawl_engine_stop(one->engine);
    return crawl_buf_append_text(&one->words, "ending");
}

static crawl_err after_host(order *one, crawl_err err)
{
    if (err == CRAWL_ABSENT)
        return control_refuse(one, "the crawl does not know this host; write it as scheme://host:port");
    if (err == CRAWL_ESTATE)
        return control_refuse(one, "the pauses of a shared crawl were fixed when it was made");
    return err && err != CRAWL_ENOMEM ? control_refuse(one, crawl_strerror(err)) : err;
}

static crawl_err control_set_block(order *one, bool is_blocked)
{
    if (!one->host.size)
        return control_refuse(one, "\"host\" is missing");
    crawl_err err = crawl_engine_block_host(one->engine, one->host, is_blocked);
    if (err)
        return after_host(one, err);
    return crawl_buf_printf(&one->words, "%s %.*s", is_blocked ? "blocked" : "released", (int)one->host.size,
                            one->host.data);
}

static crawl_err block(order *one)
{
    return control_set_block(one, true);
}

static crawl_err control_release(order *one)
{
    return control_set_block(one, false);
}

/* Sets the delay of all hosts or of one host. With null, a host loses its own delay. */
static crawl_err control_set_delay(order *one)
{
    bool is_taken_away = one->host.size && json_is_null(one->value);
    double seconds = is_taken_away ? -1 : json_number_value(one->value);
    bool is_valid = is_taken_away || (json_is_number(one->value) && seconds >= 0 && isfinite(seconds) &&
                                      seconds * 1000 <= CRAWL_DELAY_MAX_MS);
    if (!is_valid)
        return control_refuse(one, "\"value\" must be a number of seconds from 0 to 86400");
    int64_t ms = is_taken_away ? -1 : llround(seconds * 1000);
    crawl_err err = one->host.size ? crawl_engine_set_host_delay(one->engine, one->host, ms)
                                   : crawl_engine_set_delay(one->engine, ms);
    if (err)
        return after_host(one, err);
    crawl_slice of = one->host.size ? one->host : crawl_slice_from("all hosts without one of their own");
    if (is_taken_away)
        return crawl_buf_printf(&one->words, "delay as configured for %.*s", (int)of.size, of.data);
    return crawl_buf_printf(&one->words, "delay %g s for %.*s", (double)ms / 1000, (int)of.size, of.data);
}

static crawl_err control_set_connections(order *one)
{
    json_int_t wanted = json_integer_value(one->value);
    if (!json_is_integer(one->value) || wanted < 1 || wanted > UINT16_MAX)
        return control_refuse(one, "\"value\" must be a whole number from 1 to 65535");
    unsigned set = crawl_engine_set_connections(one->engine, (unsigned)wanted);
    return crawl_buf_printf(&one->words, "%u connections", set);
}

static const struct {
    const char *name;
    crawl_err (*run)(order *one);
} actions[] = {
    {"pause", pause_it},
    {"resume", control_resume},
    {"drain", drain},
    {"end", control_end},
    {"block", block},
    {"release", control_release},
    {"delay", control_set_delay},
    {"connections", control_set_connections},
};

static crawl_err control_run(order *one, const json_t *object)
{
    const json_t *action = json_object_get(object, "action");
    const json_t *host = json_object_get(object, "host");
    if (!json_is_string(action) || (host && !json_is_string(host) && !json_is_null(host)))
        return control_refuse(one, "expected an object with \"action\", a text, and for some actions \"host\", a text");
    one->host = crawl_slice_of(json_string_value(host), json_string_length(host));
    one->value = json_object_get(object, "value");
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
        if (strcmp(json_string_value(action), actions[i].name) == 0)
            return actions[i].run(one);
    return control_refuse(one, "\"action\" must be pause, resume, drain, end, block, release, delay or connections");
}

crawl_err cw_live_control_do(cw_live_control *control, crawl_engine *engine, crawl_slice body, const char *peer,
                             crawl_buf *out)
{
    order one = {.control = control, .engine = engine};
    cw_writer to = {.out = out};
    json_t *object = json_loadb(body.data ? body.data : "", body.size, JSON_REJECT_DUPLICATES, NULL);
    crawl_err err = control_run(&one, object);
    if (!err)
        cw_message_say(CW_MESSAGE_INFO, "live: %s, by %s", one.words.data, control_name_of(peer));
    cw_json_bool(&to, "{\"done\":", !err);
    cw_json_text(&to, ",\"words\":", crawl_buf_slice(&one.words));
    cw_put_text(&to, "}\n");
    json_decref(object);
    crawl_buf_free(&one.words);
    return err ? err : to.err;
}

void cw_live_control_tick(cw_live_control *control, crawl_engine *engine, const crawl_engine_stats *stats)
{
    bool is_empty = stats->running == 0 && stats->frontier.leased == 0;
    control->is_draining = control->is_draining && stats->paused; /* a key may have resumed it */
    if (control->is_draining && is_empty && stats->end == CRAWL_END_RUNNING)
        crawl_engine_stop(engine);
}
