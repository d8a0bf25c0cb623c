/* Handles a crawl_config as a whole: its defaults, copies of it, and setting one key by its name. The schema (schema.h)
 * describes the fields; of keys, only that which follows another (config_agent.c) is named here. */
#include "config/config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "config/value.h"

#include <stdlib.h>

static void config_free_texts(crawl_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->items[i]);
    free(texts->items);
    *texts = (crawl_texts){0};
}

static void free_fields(const cw_config_key *keys, size_t count, void *object)
{
    for (size_t i = 0; i < count; i++)
        if (cw_config_key_is_text(&keys[i]))
            free(*(char **)cw_config_field_of(&keys[i], object));
        else if (cw_config_key_is_list(&keys[i]))
            config_free_texts(cw_config_field_of(&keys[i], object));
}

/* Replaces borrowed texts by copies. */
static crawl_err own_texts(crawl_texts *texts)
{
    crawl_texts from = *texts;
    *texts = (crawl_texts){0};
    if (!from.count)
        return CRAWL_OK;
    texts->items = calloc(from.count, sizeof *texts->items);
    if (!texts->items)
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < from.count; i++) {
        char *copy = strdup(from.items[i]);
        if (!copy)
            return CRAWL_ENOMEM;
        texts->items[texts->count++] = copy;
    }
    return CRAWL_OK;
}

/* Replaces each field by a copy owned by the object, or by NULL or an empty list, so that all can be freed even after a
 * failure. */
static crawl_err own_fields(const cw_config_key *keys, size_t count, void *object)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count; i++) {
        char **text = cw_config_key_is_text(&keys[i]) ? cw_config_field_of(&keys[i], object) : NULL;
        if (text && *text) {
            *text = strdup(*text);
            err = *text ? err : CRAWL_ENOMEM;
        }
        if (cw_config_key_is_list(&keys[i]) && own_texts(cw_config_field_of(&keys[i], object)))
            err = CRAWL_ENOMEM;
    }
    return err;
}

crawl_err cw_config_schema_default(const cw_config_key *key, crawl_buf *out)
{
    crawl_err err = crawl_buf_append_text(out, key->fallback ? key->fallback : "");
    if (!err && key->versioned)
        err = crawl_buf_printf(out, "/%s", crawl_version());
    return err;
}

crawl_err cw_config_init(crawl_config *config)
{
    *config = (crawl_config){0};
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    crawl_buf text = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++) {
        crawl_buf_clear(&text);
        err = cw_config_schema_default(&keys[i], &text);
        if (!err && keys[i].fallback)
            err = cw_config_value_set(&keys[i], config, crawl_buf_slice(&text));
    }
    crawl_buf_free(&text);
    if (!err)
        err = cw_config_agent_follow(config);
    if (err)
        cw_config_clear(config);
    return err;
}

static void free_host(crawl_host_config *host)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema_host(&count);
    free_fields(keys, count, host);
    free(host->name);
}

void cw_config_clear(crawl_config *config)
{
    if (!config)
        return;
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    free_fields(keys, count, config);
    free(config->robots_agent);
    for (size_t i = 0; i < config->rule_count; i++)
        free(config->rules[i].pattern);
    free(config->rules);
    for (size_t i = 0; i < config->host_count; i++)
        free_host(&config->hosts[i]);
    free(config->hosts);
    cw_config_extract_free(config);
    *config = (crawl_config){0};
}

static crawl_err copy_rules(const crawl_config *from, crawl_config *to)
{
    if (!from->rule_count)
        return CRAWL_OK;
    to->rules = calloc(from->rule_count, sizeof *to->rules);
    if (!to->rules)
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < from->rule_count; i++) {
        char *pattern = strdup(from->rules[i].pattern);
        if (!pattern)
            return CRAWL_ENOMEM;
        to->rules[to->rule_count++] = (crawl_filter_rule){.include = from->rules[i].include, .pattern = pattern};
    }
    return CRAWL_OK;
}

static crawl_err copy_hosts(const crawl_config *from, crawl_config *to)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema_host(&count);
    if (!from->host_count)
        return CRAWL_OK;
    to->hosts = calloc(from->host_count, sizeof *to->hosts);
    if (!to->hosts)
        return CRAWL_ENOMEM;
    for (size_t i = 0; i < from->host_count; i++) {
        crawl_host_config *host = &to->hosts[to->host_count++];
        *host = from->hosts[i];
        host->name = strdup(host->name);
        if (own_fields(keys, count, host) || !host->name)
            return CRAWL_ENOMEM;
    }
    return CRAWL_OK;
}

crawl_err cw_config_copy(const crawl_config *from, crawl_config *to)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    *to = *from;
    to->rules = NULL;
    to->rule_count = 0;
    to->hosts = NULL;
    to->host_count = 0;
    to->robots_agent = NULL;
    crawl_err err = own_fields(keys, count, to);
    crawl_err lines = cw_config_extract_own(to);
    err = err ? err : lines;
    if (!err)
        err = copy_rules(from, to);
    if (!err)
        err = copy_hosts(from, to);
    if (!err)
        err = cw_config_agent_follow(to);
    if (err)
        cw_config_clear(to);
    return err;
}

crawl_err cw_config_settle(crawl_config *config, crawl_config *copy, crawl_err err, crawl_error *error)
{
    if (!err && cw_config_agent_follow(copy))
        err = cw_error(error, CRAWL_ENOMEM);
    cw_config_clear(err ? copy : config);
    if (!err)
        *config = *copy;
    return err;
}

/* Frees a config without settings. Returns err. */
static crawl_err config_discard(crawl_config **out, crawl_err err)
{
    free(*out);
    *out = NULL;
    return err;
}

crawl_err crawl_config_create(crawl_config **out)
{
    *out = malloc(sizeof **out);
    crawl_err err = *out ? cw_config_init(*out) : CRAWL_ENOMEM;
    return err ? config_discard(out, err) : CRAWL_OK;
}

crawl_err crawl_config_copy(const crawl_config *from, crawl_config **out)
{
    *out = malloc(sizeof **out);
    crawl_err err = *out ? cw_config_copy(from, *out) : CRAWL_ENOMEM;
    return err ? config_discard(out, err) : CRAWL_OK;
}

void crawl_config_free(crawl_config *config)
{
    cw_config_clear(config);
    free(config);
}

/* Finds the key of a full name; NULL: unknown. *section: the "host NAME" of "host NAME.key" (host names contain dots,
 * keys do not); empty: not a key of a host. */
static const cw_config_key *config_find(crawl_slice full, crawl_slice *section)
{
    *section = (crawl_slice){0};
    if (!cw_config_section_is_host(full)) {
        const cw_config_key *key = cw_config_schema_find_full(full);
        return key && strcmp(key->section, "host") != 0 ? key : NULL; /* a key of hosts needs the host's name */
    }
    const char *dot = memrchr(full.data, '.', full.size);
    if (!dot)
        return NULL;
    *section = crawl_slice_of(full.data, (size_t)(dot - full.data));
    return cw_config_schema_find(crawl_slice_from("host"), cw_drop(full, section->size + 1));
}

static crawl_err config_unknown(const char *name, crawl_error *error)
{
    crawl_slice full = crawl_slice_from(name);
    return crawl_error_set(error, CRAWL_EPARSE, "unknown key \"%s\"%s", cw_excerpt_of(full).text,
                           cw_config_suggest_full(full).text);
}

/* Sets a key of a host. Works on a copy, since a new section may be created before its value is refused. */
static crawl_err set_of_host(crawl_config *config, crawl_slice section, const cw_config_key *key, const char *value,
                             crawl_error *error)
{
    crawl_config copy;
    crawl_host_config *host;
    crawl_err err = cw_config_copy(config, &copy);
    if (err)
        return cw_error(error, err);
    err = cw_config_host(&copy, section, &host, error);
    if (!err) {
        err = cw_config_value_set(key, host, crawl_slice_from(value));
        if (err)
            cw_config_value_refused(key, err, key->name, error);
    }
    return cw_config_settle(config, &copy, err, error);
}

crawl_err crawl_config_set(crawl_config *config, const char *name, const char *value, crawl_error *error)
{
    crawl_slice section;
    const cw_config_key *key = config_find(crawl_slice_from(name), &section);
    if (!key)
        return config_unknown(name, error);
    if (section.size)
        return set_of_host(config, section, key, value, error);
    crawl_err err = cw_config_value_set(key, config, crawl_slice_from(value));
    if (!err)
        return cw_config_agent_follow(config) ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
    crawl_buf subject = {0};
    if (crawl_buf_printf(&subject, "%s = %s", name, cw_config_value_excerpt(key, crawl_slice_from(value)).text))
        crawl_buf_clear(&subject);
    cw_config_value_refused(key, err, subject.data ? subject.data : name, error);
    crawl_buf_free(&subject);
    return err;
}

/* Finds a key and the object that has its field; NULL as object: config has no such section of a host. */
static const cw_config_key *config_look(const crawl_config *config, const char *name, const void **object)
{
    crawl_slice section;
    const cw_config_key *key = config_find(crawl_slice_from(name), &section);
    *object = section.size ? (const void *)cw_config_host_find(config, section) : config;
    return key;
}

crawl_err crawl_config_get(const crawl_config *config, const char *name, crawl_buf *out, crawl_error *error)
{
    const void *object;
    const cw_config_key *key = config_look(config, name, &object);
    if (!key)
        return config_unknown(name, error);
    crawl_err err = object ? cw_config_value_print(key, object, out) : CRAWL_OK;
    return err ? cw_error(error, err) : CRAWL_OK;
}

const char *crawl_config_text(const crawl_config *config, const char *name)
{
    const void *object;
    const cw_config_key *key = config_look(config, name, &object);
    return key && object ? cw_config_value_text(key, object) : NULL;
}

int64_t crawl_config_number(const crawl_config *config, const char *name)
{
    const void *object;
    const cw_config_key *key = config_look(config, name, &object);
    return key && object ? cw_config_value_number(key, object) : -1;
}

const char *crawl_config_choice(const char *option, size_t index)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    for (size_t i = 0; i < count; i++) {
        if (!keys[i].option || strcmp(keys[i].option, option) != 0)
            continue;
        for (size_t at = 0; at < index; at++)
            if (!cw_config_key_choice(&keys[i], at).word)
                return NULL;
        return cw_config_key_choice(&keys[i], index).word;
    }
    return NULL;
}
