/* A crawl_config as a whole: defaults, copies, one key by name. */
#include "config/config.h"

#include "config/value.h"

#include <stdlib.h>

static bool owns_text(const cw_key *key)
{
    return key->type == CW_STRING || key->type == CW_TOKEN || key->type == CW_PATH;
}

static char **text_of(const cw_key *key, crawl_config *config)
{
    return (char **)(void *)((char *)config + key->offset);
}

crawl_err crawl_config_init(crawl_config *config)
{
    *config = (crawl_config){0};
    size_t count;
    const cw_key *keys = cw_schema(&count);
    crawl_buf text = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++) {
        crawl_buf_clear(&text);
        err = cw_schema_default(&keys[i], &text);
        if (!err && keys[i].fallback)
            err = cw_value_set(&keys[i], config, crawl_buf_slice(&text));
    }
    crawl_buf_free(&text);
    if (err)
        crawl_config_free(config);
    return err;
}

void crawl_config_free(crawl_config *config)
{
    if (!config)
        return;
    size_t count;
    const cw_key *keys = cw_schema(&count);
    for (size_t i = 0; i < count; i++)
        if (owns_text(&keys[i]))
            free(*text_of(&keys[i], config));
    for (size_t i = 0; i < config->rule_count; i++)
        free(config->rules[i].pattern);
    free(config->rules);
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

crawl_err cw_config_copy(const crawl_config *from, crawl_config *to)
{
    size_t count;
    const cw_key *keys = cw_schema(&count);
    crawl_err err = CRAWL_OK;
    *to = *from;
    to->rules = NULL;
    to->rule_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!owns_text(&keys[i]))
            continue;
        char **text = text_of(&keys[i], to);
        if (*text && !(*text = strdup(*text)))
            err = CRAWL_ENOMEM;
    }
    if (!err)
        err = copy_rules(from, to);
    if (err)
        crawl_config_free(to);
    return err;
}

crawl_err cw_config_settle(crawl_config *config, crawl_config *copy, crawl_err err)
{
    crawl_config_free(err ? copy : config);
    if (!err)
        *config = *copy;
    return err;
}

crawl_err crawl_config_set(crawl_config *config, const char *name, const char *value, crawl_error *error)
{
    crawl_slice full = crawl_slice_from(name);
    const cw_key *key = cw_schema_find_full(full);
    if (!key)
        return crawl_error_set(error, CRAWL_EPARSE, "unknown key \"%s\"%s", cw_excerpt_of(full).text, cw_suggest_full(full).text);
    crawl_err err = cw_value_set(key, config, crawl_slice_from(value));
    if (!err)
        return CRAWL_OK;
    crawl_buf subject = {0};
    if (crawl_buf_printf(&subject, "%s = %s", name, cw_excerpt_of(crawl_slice_from(value)).text))
        crawl_buf_clear(&subject);
    cw_value_refused(key, err, subject.data ? subject.data : name, error);
    crawl_buf_free(&subject);
    return err;
}
