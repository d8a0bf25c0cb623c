#include "crawler/engine/host/rules/host_section.h"

#include "base/header.h"
#include "config/config_values.h"

/* ---- the names sent ---- */

/* Returns true if the name is not a crawler's. Browsers' names begin this way. Some crawlers' names do too, and add
 * "compatible; NAME"; so did those of old browsers of one maker. */
static bool is_no_crawler(crawl_slice name)
{
    if (!cw_trim(name).size)
        return true;
    bool begins = cw_starts_nocase(name, "Mozilla/") || cw_starts_nocase(name, "Opera/");
    bool says_name = cw_find_text(name, "compatible;") < name.size && cw_find_text(name, "MSIE") == name.size;
    return begins && !says_name;
}

static crawl_err check_name(const char *where, crawl_slice name, crawl_error *error)
{
    if (!is_no_crawler(name))
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EINVAL,
                           "%s = %.*s: signed requests need a User-Agent that is neither empty nor a browser's", where,
                           (int)name.size, name.size ? name.data : "");
}

static crawl_err check_identity_headers(const char *where, const crawl_texts *headers, crawl_error *error)
{
    static const char *const own[] = {"Signature", "Signature-Input", "Signature-Agent"};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < headers->count && !err; i++) {
        crawl_slice name, value;
        if (!cw_header_split(crawl_slice_from(headers->items[i]), &name, &value))
            continue;
        if (cw_is_nocase(name, "User-Agent"))
            err = check_name(where, value, error);
        else if (cw_is_among(name, own, sizeof own / sizeof *own))
            err = crawl_error_set(error, CRAWL_EINVAL, "%s = %.*s: signed requests have their own", where,
                                  (int)name.size, name.data);
    }
    return err;
}

/* ---- the configuration ---- */

static bool signs_any(const crawl_config *config)
{
    bool any = config->identity_sign > CRAWL_SIGN_NEVER;
    for (size_t i = 0; i < config->host_count; i++)
        any = any || config->hosts[i].sign > CRAWL_SIGN_NEVER;
    return any;
}

static crawl_err check_names(const crawl_config *config, crawl_error *error)
{
    crawl_err err = check_name("fetch.user_agent", crawl_slice_from(config->user_agent), error);
    if (!err)
        err = check_identity_headers("fetch.header", &config->headers, error);
    for (size_t i = 0; i < config->host_count && !err; i++)
        err = check_identity_headers("host.header", &config->hosts[i].headers, error);
    return err;
}

static crawl_err check_settings(const crawl_config *config, crawl_error *error)
{
    if (!config->identity_key_file)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "identity.key_file: signing requests needs a key; make one with crawl identity new");
    if (!config->identity_agent)
        return crawl_error_set(error, CRAWL_EINVAL,
                               "identity.agent: signing requests needs the https URL of the public key");
    return check_names(config, error);
}

crawl_err cw_host_identity_open(const crawl_config *config, crawl_identity **out, crawl_error *error)
{
    crawl_identity *identity = NULL;
    *out = NULL;
    if (!signs_any(config))
        return CRAWL_OK;
    crawl_err err = check_settings(config, error);
    if (!err)
        err = crawl_identity_read(config->identity_key_file, &identity, error);
    if (err)
        return err;
    const crawl_signing signing = {.size = sizeof signing, .identity = identity, .agent = config->identity_agent};
    err = crawl_signing_check(&signing, error);
    if (err)
        crawl_identity_free(identity);
    else
        *out = identity;
    return err;
}
