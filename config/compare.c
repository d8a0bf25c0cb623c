/* Reports the differences between two configurations, for programs that read crawler.conf again during a crawl. */
#include "config/config.h"

/* The two configurations, and the callback for differences. */
typedef struct comparison {
    const crawl_config *was;
    const crawl_config *is;
    crawl_err (*each)(void *user, const crawl_config_difference *difference);
    void *user;
} comparison;

static crawl_err compare_tell(const comparison *c, const char *key, const char *was, const char *is, bool changeable)
{
    const crawl_config_difference difference = {.key = key, .was = was, .is = is, .changeable = changeable};
    return c->each(c->user, &difference);
}

static bool has_same_texts(const crawl_texts *a, const crawl_texts *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = strcmp(a->items[i], b->items[i]) == 0;
    return same;
}

static bool has_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* was, is: two configurations, or two sections of hosts. */
static bool has_same_value(const void *was, const void *is, const cw_config_key *key)
{
    const void *a = (const char *)was + key->offset;
    const void *b = (const char *)is + key->offset;
    if (cw_config_key_is_list(key))
        return has_same_texts(a, b);
    return cw_config_key_is_text(key) ? has_same_text(*(char *const *)a, *(char *const *)b)
                                      : memcmp(a, b, key->size) == 0;
}

/* Returns false for "withheld", which names secrets of another run and is not a setting, and for rules, which stand in
 * an order of their own. */
static bool compare_is_setting(const cw_config_key *key)
{
    return key->type != CW_RULE && strcmp(key->name, "withheld") != 0;
}

static crawl_err compare_key(const comparison *c, const cw_config_key *key, const char *name)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    crawl_buf was = {0}, is = {0};
    if (cw_config_key_is_list(key))
        return has_same_value(c->was, c->is, key) ? CRAWL_OK : compare_tell(c, name, NULL, NULL, false);
    crawl_err err = cw_config_shown(keys, count, key, c->was, &was);
    if (!err)
        err = cw_config_shown(keys, count, key, c->is, &is);
    bool shows_same = crawl_slice_equal(crawl_buf_slice(&was), crawl_buf_slice(&is));
    if (!err && !shows_same)
        err = compare_tell(c, name, was.data ? was.data : "", is.data ? is.data : "", key->changeable);
    else if (!err && !has_same_value(c->was, c->is, key)) /* a secret */
        err = compare_tell(c, name, NULL, NULL, false);
    crawl_buf_free(&was);
    crawl_buf_free(&is);
    return err;
}

static crawl_err compare_keys(const comparison *c)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    crawl_buf name = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++) {
        if (!compare_is_setting(&keys[i]))
            continue;
        crawl_buf_clear(&name);
        err = crawl_buf_printf(&name, "%s.%s", keys[i].section, keys[i].name);
        if (!err)
            err = compare_key(c, &keys[i], name.data);
    }
    crawl_buf_free(&name);
    return err;
}

/* ---- repeatable sections, and rules ---- */

/* Returns the next rule of a kind from *i on; NULL: there is none. */
static const crawl_filter_rule *next_rule(const crawl_config *config, bool include, size_t *i)
{
    while (*i < config->rule_count && config->rules[*i].include != include)
        ++*i;
    return *i < config->rule_count ? &config->rules[(*i)++] : NULL;
}

static bool has_same_rules(const comparison *c, bool include)
{
    size_t i = 0, k = 0;
    const crawl_filter_rule *was, *is;
    do {
        was = next_rule(c->was, include, &i);
        is = next_rule(c->is, include, &k);
    } while (was && is && strcmp(was->pattern, is->pattern) == 0);
    return !was && !is;
}

/* The last rule that matches a URL decides, so includes have an order among excludes, too. */
static crawl_err compare_filters(const comparison *c)
{
    bool includes = has_same_rules(c, true), excludes = has_same_rules(c, false);
    for (size_t i = 0; includes && excludes && i < c->was->rule_count; i++)
        includes = c->was->rules[i].include == c->is->rules[i].include;
    crawl_err err = includes ? CRAWL_OK : compare_tell(c, "crawl.include", NULL, NULL, false);
    return err || excludes ? err : compare_tell(c, "crawl.exclude", NULL, NULL, false);
}

/* As next_rule, for the sections of hosts or of groups. */
static const crawl_host_config *next_section(const crawl_config *config, bool is_group, size_t *i)
{
    while (*i < config->host_count && config->hosts[*i].is_group != is_group)
        ++*i;
    return *i < config->host_count ? &config->hosts[(*i)++] : NULL;
}

static bool has_same_settings(const crawl_host_config *was, const crawl_host_config *is)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema_host(&count);
    bool same = strcmp(was->name, is->name) == 0;
    for (size_t i = 0; i < count && same; i++)
        same = !compare_is_setting(&keys[i]) || has_same_value(was, is, &keys[i]);
    return same;
}

static crawl_err compare_host_sections(const comparison *c, bool is_group, const char *name)
{
    size_t i = 0, k = 0;
    const crawl_host_config *was, *is;
    do {
        was = next_section(c->was, is_group, &i);
        is = next_section(c->is, is_group, &k);
    } while (was && is && has_same_settings(was, is));
    return !was && !is ? CRAWL_OK : compare_tell(c, name, NULL, NULL, false);
}

static crawl_err compare_extracts(const comparison *c)
{
    bool same = c->was->extract_count == c->is->extract_count;
    for (size_t i = 0; same && i < c->was->extract_count; i++) {
        const crawl_extract_line *was = &c->was->extracts[i], *is = &c->is->extracts[i];
        same = strcmp(was->section, is->section) == 0 && strcmp(was->key, is->key) == 0 &&
               strcmp(was->value, is->value) == 0;
    }
    return same ? CRAWL_OK : compare_tell(c, "[extract NAME]", NULL, NULL, false);
}

crawl_err crawl_config_compare(const crawl_config *was, const crawl_config *is,
                               crawl_err (*each)(void *user, const crawl_config_difference *difference), void *user)
{
    const comparison c = {was, is, each, user};
    crawl_err err = compare_keys(&c);
    if (!err)
        err = compare_filters(&c);
    if (!err)
        err = compare_host_sections(&c, false, "[host NAME]");
    if (!err)
        err = compare_host_sections(&c, true, "[group NAME]");
    return err ? err : compare_extracts(&c);
}
