/* See reload.h. The configuration is read again as at the start of the program, from the directory of --state, the file
 * and the options, and compared with the running one. */
#include "crawler/program/reload.h"

#include "config/config_values.h"
#include "tools/common/messages/message.h"

/* ---- what can change ---- */

/* Setters apply a value of reload->config. One that the engine has limited is written back. An error: nothing has
 * changed. */

static crawl_err set_limits(const cw_program_reload *reload)
{
    const crawl_config *config = reload->config;
    const crawl_engine_limits limits = {
        .pages = config->max_pages, .time_ms = config->max_time_ms, .bytes = config->max_bytes};
    crawl_engine_set_limits(reload->engine, &limits);
    return CRAWL_OK;
}

static crawl_err reload_set_connections(const cw_program_reload *reload)
{
    reload->config->connections = crawl_engine_set_connections(reload->engine, reload->config->connections);
    return CRAWL_OK;
}

static crawl_err set_rate(const cw_program_reload *reload)
{
    crawl_engine_set_rate(reload->engine, reload->config->rate_limit);
    return CRAWL_OK;
}

static crawl_err reload_set_delay(const cw_program_reload *reload)
{
    return crawl_engine_set_delay(reload->engine, reload->config->delay_ms);
}

static crawl_err set_messages(const cw_program_reload *reload)
{
    cw_message_set(reload->config);
    return CRAWL_OK;
}

static crawl_err set_interval(const cw_program_reload *reload)
{
    reload->progress->interval_ms = reload->config->program.progress_ms;
    reload->progress->next_us = 0;
    crawl_engine_set_interval(reload->engine, reload->progress->interval_ms);
    return CRAWL_OK;
}

/* Keys that config/schema.c marks as changeable, with their setters. */
static const struct {
    const char *key;
    crawl_err (*set)(const cw_program_reload *reload);
} changeable[] = {
    {"crawl.max_pages", set_limits},        {"crawl.max_time", set_limits},
    {"crawl.max_bytes", set_limits},        {"fetch.connections", reload_set_connections},
    {"fetch.rate_limit", set_rate},         {"output.verbosity", set_messages},
    {"output.log_level", set_messages},     {"output.progress_interval", set_interval},
    {"politeness.delay", reload_set_delay},
};

/* ---- what has changed ---- */

static const char *or_none(const char *value)
{
    return *value ? value : "(none)";
}

static void reload_say_kept(const crawl_config_difference *difference)
{
    if (difference->was)
        cw_message_say(CW_MESSAGE_WARNING, "%s stays %s: %s takes effect in the next run", difference->key,
                       or_none(difference->was), or_none(difference->is));
    else
        cw_message_say(CW_MESSAGE_WARNING, "%s has changed: it takes effect in the next run", difference->key);
}

/* Tells the value that is in effect now. */
static crawl_err reload_say_changed(const cw_program_reload *reload, const crawl_config_difference *difference)
{
    crawl_buf now = {0};
    crawl_err err = crawl_config_get(reload->config, difference->key, &now, NULL);
    if (!err && strcmp(now.data, difference->is) != 0)
        cw_message_say(CW_MESSAGE_WARNING, "%s is %s now, since %s is not possible; it was %s", difference->key,
                       now.data, difference->is, difference->was);
    else if (!err)
        cw_message_say(CW_MESSAGE_INFO, "%s is %s now; it was %s", difference->key, now.data, difference->was);
    crawl_buf_free(&now);
    return err;
}

static crawl_err reload_change(const cw_program_reload *reload, const crawl_config_difference *difference,
                               crawl_err (*set)(const cw_program_reload *reload))
{
    crawl_err err = crawl_config_set(reload->config, difference->key, difference->is, NULL);
    if (err)
        return err;
    err = set(reload);
    if (!err)
        return reload_say_changed(reload, difference);
    cw_message_say(CW_MESSAGE_ERROR, "%s stays %s: %s", difference->key, difference->was, crawl_strerror(err));
    return crawl_config_set(reload->config, difference->key, difference->was, NULL);
}

static crawl_err reload_take(void *user, const crawl_config_difference *difference)
{
    const cw_program_reload *reload = user;
    for (size_t i = 0; i < sizeof changeable / sizeof *changeable && difference->changeable; i++) {
        bool is_delay = changeable[i].set == reload_set_delay;
        if (strcmp(changeable[i].key, difference->key) != 0 || (is_delay && reload->config->shared))
            continue;
        return reload_change(reload, difference, changeable[i].set);
    }
    reload_say_kept(difference);
    return CRAWL_OK;
}

static void reload_read_config(const cw_program_reload *reload)
{
    crawl_config read;
    crawl_error error = {0};
    crawl_err err = cw_program_configure(&read, reload->arguments, &error);
    if (!err)
        err = crawl_config_compare(reload->config, &read, reload_take, (void *)reload);
    if (err)
        cw_message_say(CW_MESSAGE_ERROR, "%s; settings are unchanged",
                       *error.message ? error.message : crawl_strerror(err));
    cw_config_clear(&read);
}

/* ---- files ---- */

static void reopen_log(void)
{
    crawl_error error = {0};
    if (cw_message_reopen(&error))
        cw_message_say(CW_MESSAGE_ERROR, "log: %s; the old file stays in use", error.message);
}

void cw_program_reload_all(const cw_program_reload *reload)
{
    reopen_log();
    cw_message_say(CW_MESSAGE_INFO, "SIGHUP: reopening files, and reading the configuration again");
    cw_outputs_reopen(reload->outputs);
    reload_read_config(reload);
}
