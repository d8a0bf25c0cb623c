/* Reports the settings of a configuration that differ from the defaults, for programs that show what a crawl does. A
 * secret is reported by its key only. */
#include "config/config.h"

static const char hidden[] = "(not shown)";

/* The callback, and the object whose settings it gets. */
typedef struct telling {
    crawl_err (*each)(void *user, const char *key, const char *value);
    void *user;
    const cw_config_key *keys;
    size_t count;
    const char *section; /* "host NAME"; NULL: that of each key */
    const void *object;
    const void *before; /* the same object with defaults; NULL: a section of a host */
} telling;

static crawl_err config_changes_tell(const telling *to, const char *section, const char *name, const char *value)
{
    crawl_buf key = {0};
    crawl_err err = crawl_buf_printf(&key, "%s.%s", section, name);
    if (!err)
        err = to->each(to->user, key.data, value);
    crawl_buf_free(&key);
    return err;
}

static const char *config_changes_section_of(const telling *to, const cw_config_key *key)
{
    return to->section ? to->section : key->section;
}

static crawl_err tell_list(const telling *to, const cw_config_key *key)
{
    const crawl_texts *texts = (const void *)((const char *)to->object + key->offset);
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < texts->count && !err; i++)
        err = config_changes_tell(to, config_changes_section_of(to, key), key->name,
                                  cw_config_text_is_secret(key, texts->items[i]) ? hidden : texts->items[i]);
    return err;
}

static bool config_changes_is_secret(const telling *to, const cw_config_key *key)
{
    const char *text =
        cw_config_key_is_text(key) ? *(char *const *)(const void *)((const char *)to->object + key->offset) : NULL;
    return text && cw_config_text_is_secret(key, text);
}

/* Sets *out if the value differs from the default. In a section of a host any value that is set differs. */
static crawl_err differs(const telling *to, const cw_config_key *key, crawl_slice now, bool *out)
{
    crawl_buf before = {0};
    if (!to->before) {
        *out = cw_config_host_has(to->object, key);
        return CRAWL_OK;
    }
    crawl_err err = cw_config_shown(to->keys, to->count, key, to->before, &before);
    *out = !crawl_slice_equal(now, crawl_buf_slice(&before));
    crawl_buf_free(&before);
    return err;
}

static crawl_err tell_value(const telling *to, const cw_config_key *key)
{
    crawl_buf now = {0};
    bool is_other = false;
    if (config_changes_is_secret(to, key))
        return config_changes_tell(to, config_changes_section_of(to, key), key->name, hidden);
    crawl_err err = cw_config_shown(to->keys, to->count, key, to->object, &now);
    if (!err)
        err = differs(to, key, crawl_buf_slice(&now), &is_other);
    if (!err && is_other)
        err = config_changes_tell(to, config_changes_section_of(to, key), key->name, now.data ? now.data : "");
    crawl_buf_free(&now);
    return err;
}

/* Skips "withheld", which names secrets of another run and is not a setting of this one. Rules are reported separately,
 * in their own order. */
static crawl_err tell_keys(const telling *to)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < to->count && !err; i++) {
        const cw_config_key *key = &to->keys[i];
        if (key->type == CW_RULE || strcmp(key->name, "withheld") == 0)
            continue;
        err = cw_config_key_is_list(key) ? tell_list(to, key) : tell_value(to, key);
    }
    return err;
}

static crawl_err tell_rules(const telling *to, const crawl_config *config)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < config->rule_count && !err; i++)
        err = config_changes_tell(to, "crawl", config->rules[i].include ? "include" : "exclude",
                                  config->rules[i].pattern);
    return err;
}

static crawl_err config_changes_tell_host(const telling *like, const crawl_host_config *host)
{
    crawl_buf section = {0};
    telling to = *like;
    crawl_err err = crawl_buf_printf(&section, "%s %s", cw_config_host_kind(host), host->name);
    to.section = section.data;
    to.object = host;
    to.before = NULL;
    to.keys = cw_config_schema_host(&to.count);
    if (!err)
        err = tell_keys(&to);
    crawl_buf_free(&section);
    return err;
}

static crawl_err tell_extract(const telling *to, const crawl_extract_line *line)
{
    crawl_buf section = {0};
    crawl_err err = crawl_buf_printf(&section, "extract %s", line->section);
    if (!err)
        err = config_changes_tell(to, section.data, line->key, line->value);
    crawl_buf_free(&section);
    return err;
}

crawl_err crawl_config_changes(const crawl_config *config,
                               crawl_err (*each)(void *user, const char *key, const char *value), void *user)
{
    crawl_config before;
    crawl_err err = cw_config_init(&before);
    if (err)
        return err;
    telling to = {.each = each, .user = user, .object = config, .before = &before};
    to.keys = cw_config_schema(&to.count);
    err = tell_keys(&to);
    if (!err)
        err = tell_rules(&to, config);
    for (size_t i = 0; i < config->host_count && !err; i++)
        err = config_changes_tell_host(&to, &config->hosts[i]);
    for (size_t i = 0; i < config->extract_count && !err; i++)
        err = tell_extract(&to, &config->extracts[i]);
    cw_config_clear(&before);
    return err;
}
