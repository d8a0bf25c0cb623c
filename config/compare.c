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

static const void *compare_field_of(const crawl_config *config, const cw_config_key *key)
{
    return (const char *)config + key->offset;
}

static bool has_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Compares lists, and secrets, which cannot be compared as shown. */
static bool compare_is_same(const comparison *c, const cw_config_key *key)
{
    const void *was = compare_field_of(c->was, key);
    const void *is = compare_field_of(c->is, key);
    if (cw_config_key_is_list(key))
        return has_same_texts(was, is);
    return !cw_config_key_is_text(key) || has_same_text(*(char *const *)was, *(char *const *)is);
}

static crawl_err compare_key(const comparison *c, const cw_config_key *key, const char *name)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    crawl_buf was = {0}, is = {0};
    if (cw_config_key_is_list(key))
        return compare_is_same(c, key) ? CRAWL_OK : compare_tell(c, name, NULL, NULL, false);
    crawl_err err = cw_config_shown(keys, count, key, c->was, &was);
    if (!err)
        err = cw_config_shown(keys, count, key, c->is, &is);
    bool shows_same = crawl_slice_equal(crawl_buf_slice(&was), crawl_buf_slice(&is));
    if (!err && !shows_same)
        err = compare_tell(c, name, was.data ? was.data : "", is.data ? is.data : "", key->changeable);
    else if (!err && !compare_is_same(c, key)) /* a secret */
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
        if (keys[i].type == CW_RULE || strcmp(keys[i].name, "withheld") == 0)
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

typedef struct text_of_keys {
    const char *beginning; /* of the keys to compare */
    crawl_buf text;
} text_of_keys;

static crawl_err compare_gather(void *user, const char *key, const char *value)
{
    text_of_keys *g = user;
    bool is_meant = strncmp(key, g->beginning, strlen(g->beginning)) == 0;
    return is_meant ? crawl_buf_printf(&g->text, "%s=%s\n", key, value) : CRAWL_OK;
}

static crawl_err compare_many(const comparison *c, const char *beginning, const char *name)
{
    text_of_keys was = {.beginning = beginning}, is = {.beginning = beginning};
    crawl_err err = crawl_config_changes(c->was, compare_gather, &was);
    if (!err)
        err = crawl_config_changes(c->is, compare_gather, &is);
    if (!err && !crawl_slice_equal(crawl_buf_slice(&was.text), crawl_buf_slice(&is.text)))
        err = compare_tell(c, name, NULL, NULL, false);
    crawl_buf_free(&was.text);
    crawl_buf_free(&is.text);
    return err;
}

crawl_err crawl_config_compare(const crawl_config *was, const crawl_config *is,
                               crawl_err (*each)(void *user, const crawl_config_difference *difference), void *user)
{
    const comparison c = {was, is, each, user};
    crawl_err err = compare_keys(&c);
    if (!err)
        err = compare_many(&c, "crawl.include", "crawl.include");
    if (!err)
        err = compare_many(&c, "crawl.exclude", "crawl.exclude");
    if (!err)
        err = compare_many(&c, "host ", "[host NAME]");
    if (!err)
        err = compare_many(&c, "group ", "[group NAME]");
    return err ? err : compare_many(&c, "extract ", "[extract NAME]");
}
