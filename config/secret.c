/* What --print-config, and with it what --state keeps, leaves out: secrets. "withheld" names them, so that a crawl which lacks one says so
 * instead of asking without it. */
#include "config/config.h"

#include "base/bytes.h"
#include "base/header.h"

#include <stdlib.h>

bool cw_text_is_secret(const cw_key *key, const char *text)
{
    crawl_slice name, value;
    if (cw_key_is_list(key))
        return cw_header_split(crawl_slice_from(text), &name, &value) && cw_header_is_secret(name) && value.size;
    if (key->type == CW_PROXY || key->type == CW_ROUTE)
        return strchr(text, '@') != NULL;
    return key->secret;
}

static crawl_err note(const char *what, crawl_slice name, crawl_buf *out)
{
    return crawl_buf_printf(out, "%s%s%.*s", out->size ? ", " : "", what, (int)name.size, name.data);
}

static crawl_err note_list(const cw_key *key, const crawl_texts *texts, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice name, value;
    for (size_t i = 0; i < texts->count && !err; i++)
        if (cw_text_is_secret(key, texts->items[i]) && cw_header_split(crawl_slice_from(texts->items[i]), &name, &value))
            err = note("header ", name, out);
    return err;
}

static bool has_item(const crawl_buf *list, crawl_slice item)
{
    crawl_slice rest = crawl_buf_slice(list);
    while (rest.size) {
        const char *comma = memchr(rest.data, ',', rest.size);
        size_t size = comma ? (size_t)(comma - rest.data) : rest.size;
        if (cw_equal_nocase(cw_trim(crawl_slice_of(rest.data, size)), item))
            return true;
        size += comma != NULL;
        rest = crawl_slice_of(rest.data + size, rest.size - size);
    }
    return false;
}

/* Those of an earlier printing that are not among the present ones. */
static crawl_err note_missing(const char *before, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    for (const char *at = before; at && *at && !err;) {
        size_t size = strcspn(at, ",");
        crawl_slice item = cw_trim(crawl_slice_of(at, size));
        if (item.size && !has_item(out, item))
            err = note("", item, out);
        at += size + (at[size] == ',');
    }
    return err;
}

crawl_err cw_withheld(const cw_key *keys, size_t count, const void *object, crawl_buf *out)
{
    const char *before = NULL;
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++) {
        const void *field = (const char *)object + keys[i].offset;
        const char *text = cw_key_is_text(&keys[i]) ? *(char *const *)field : NULL;
        if (cw_key_is_list(&keys[i]))
            err = note_list(&keys[i], field, out);
        else if (text && strcmp(keys[i].name, "withheld") == 0)
            before = text;
        else if (text && cw_text_is_secret(&keys[i], text))
            err = note("", crawl_slice_from(keys[i].name), out);
    }
    return err ? err : note_missing(before, out);
}

/* The first item of a list that is not among those set. */
static crawl_err check(const char *place, const cw_key *keys, size_t count, const void *object, const char *withheld,
                       crawl_error *error)
{
    crawl_buf there = {0};
    crawl_buf all = {0};
    crawl_err err = CRAWL_OK;
    if (!withheld)
        return err;
    for (size_t i = 0; i < count && !err; i++) {
        const void *field = (const char *)object + keys[i].offset;
        if (cw_key_is_list(&keys[i]))
            err = note_list(&keys[i], field, &there);
        else if (cw_key_is_text(&keys[i]) && *(char *const *)field)
            err = note("", crawl_slice_from(keys[i].name), &there);
    }
    if (!err)
        err = crawl_buf_append(&all, there.data, there.size);
    if (!err)
        err = note_missing(withheld, &all);
    if (!err && all.size > there.size)
        err = crawl_error_set(error, CRAWL_EINVAL,
                              "%s of [%s] is needed: it is a secret, which was not kept; set it again (or withheld to nothing)",
                              all.data + there.size + (there.size ? 2 : 0), place);
    else if (err)
        crawl_error_set(error, err, "%s", crawl_strerror(err));
    crawl_buf_free(&there);
    crawl_buf_free(&all);
    return err;
}

/* A secret is there again in another form too: its file, or a proxy without a password. */
crawl_err crawl_config_complete(const crawl_config *config, crawl_error *error)
{
    size_t count;
    const cw_key *keys = cw_schema(&count);
    crawl_err err = check("fetch", keys, count, config, config->withheld, error);
    keys = cw_schema_host(&count);
    for (size_t i = 0; i < config->host_count && !err; i++) {
        const crawl_host_config *host = &config->hosts[i];
        char place[80];
        snprintf(place, sizeof place, "host %.70s", host->name);
        err = check(place, keys, count, host, host->withheld, error);
    }
    return err;
}
