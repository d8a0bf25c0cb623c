/* Finds the secrets of a configuration. --print-config leaves them out, as does the copy stored by --state. The key
 * "withheld" names them, so that a crawl that lacks one reports it rather than asking a host without it. */
#include "config/config.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/header.h"

#include <stdio.h>

bool cw_config_text_is_secret(const cw_config_key *key, const char *text)
{
    crawl_slice name, value;
    if (cw_config_key_is_headers(key))
        return cw_header_split(crawl_slice_from(text), &name, &value) && cw_header_is_secret(name) && value.size;
    if (key->type == CW_PROXY || key->type == CW_ROUTE)
        return strchr(text, '@') != NULL;
    return key->secret;
}

static crawl_err secret_note(const char *what, crawl_slice name, crawl_buf *out)
{
    return crawl_buf_printf(out, "%s%s%.*s", out->size ? ", " : "", what, (int)name.size, name.data);
}

/* The secrets of an object, the names of everything set, and the secrets it had when it was printed. */
typedef struct inventory {
    crawl_buf secrets;
    crawl_buf there;
    const char *before;
} inventory;

static crawl_err note_headers(const cw_config_key *key, const crawl_texts *texts, inventory *all)
{
    crawl_err err = CRAWL_OK;
    crawl_slice name, value;
    for (size_t i = 0; i < texts->count && !err; i++) {
        if (!cw_header_split(crawl_slice_from(texts->items[i]), &name, &value))
            continue;
        err = secret_note("header ", name, &all->there);
        if (!err && cw_config_text_is_secret(key, texts->items[i]))
            err = secret_note("header ", name, &all->secrets);
    }
    return err;
}

/* Records a text that is set. password_file counts as password, and so on. */
static crawl_err note_text(const cw_config_key *key, const char *text, inventory *all)
{
    crawl_slice name = crawl_slice_from(key->name);
    if (strcmp(key->name, "withheld") == 0) {
        all->before = text;
        return CRAWL_OK;
    }
    crawl_err err = cw_config_text_is_secret(key, text) ? secret_note("", name, &all->secrets) : CRAWL_OK;
    if (cw_ends_with(name, "_file"))
        name.size -= strlen("_file");
    return err ? err : secret_note("", name, &all->there);
}

static crawl_err take_inventory(const cw_config_key *keys, size_t count, const void *object, inventory *all)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < count && !err; i++) {
        const void *field = (const char *)object + keys[i].offset;
        const char *text = cw_config_key_is_text(&keys[i]) ? *(char *const *)field : NULL;
        if (cw_config_key_is_headers(&keys[i]))
            err = note_headers(&keys[i], field, all);
        else if (text)
            err = note_text(&keys[i], text, all);
    }
    return err;
}

static void free_inventory(inventory *all)
{
    crawl_buf_free(&all->secrets);
    crawl_buf_free(&all->there);
}

static bool has_item(const crawl_buf *list, crawl_slice item)
{
    crawl_slice rest = crawl_buf_slice(list);
    while (rest.size)
        if (cw_equal_nocase(cw_trim(cw_cut(&rest, ',')), item))
            return true;
    return false;
}

/* Appends the secrets withheld earlier that are not set now. */
static crawl_err note_missing(const inventory *all, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice rest = crawl_slice_from(all->before);
    while (rest.size && !err) {
        crawl_slice item = cw_trim(cw_cut(&rest, ','));
        if (item.size && !has_item(&all->there, item))
            err = secret_note("", item, out);
    }
    return err;
}

crawl_err cw_config_withheld(const cw_config_key *keys, size_t count, const void *object, crawl_buf *out)
{
    inventory all = {0};
    crawl_err err = take_inventory(keys, count, object, &all);
    if (!err)
        err = crawl_buf_append(out, all.secrets.data, all.secrets.size);
    if (!err)
        err = note_missing(&all, out);
    free_inventory(&all);
    return err;
}

static crawl_err secret_check(const char *place, const cw_config_key *keys, size_t count, const void *object,
                              crawl_error *error)
{
    inventory all = {0};
    crawl_buf missing = {0};
    crawl_err err = take_inventory(keys, count, object, &all);
    if (!err)
        err = note_missing(&all, &missing);
    if (err)
        cw_error(error, err);
    else if (missing.size)
        err = crawl_error_set(error, CRAWL_EINVAL,
                              "[%s] lacks a secret, which is never kept: %s; set it again, or set \"withheld\" to "
                              "nothing",
                              place, missing.data);
    free_inventory(&all);
    crawl_buf_free(&missing);
    return err;
}

crawl_err crawl_config_complete(const crawl_config *config, crawl_error *error)
{
    size_t count;
    const cw_config_key *keys = cw_config_schema(&count);
    crawl_err err = secret_check("fetch", keys, count, config, error);
    keys = cw_config_schema_host(&count);
    for (size_t i = 0; i < config->host_count && !err; i++) {
        const crawl_host_config *host = &config->hosts[i];
        char place[80];
        snprintf(place, sizeof place, "%s %.70s", cw_config_host_kind(host), host->name);
        err = secret_check(place, keys, count, host, error);
    }
    return err;
}
