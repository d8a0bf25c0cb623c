#include "crawler/engine/host/rules/host_section.h"

#include "base/bytes.h"
#include "base/header.h"
#include "config/config_values.h"

static bool has_name(const crawl_buf *lines, crawl_slice name)
{
    crawl_slice rest = crawl_buf_slice(lines);
    crawl_slice there, value;
    while (rest.size)
        if (cw_header_split(cw_cut_line(&rest), &there, &value) && cw_equal_nocase(there, name))
            return true;
    return false;
}

/* Adds a header unless a more particular section has one of that name. A header without a value suppresses those of
 * less particular sections and of the fetcher. */
static crawl_err host_merge_add_header(crawl_slice name, crawl_slice value, crawl_buf *lines, crawl_buf *away)
{
    if (has_name(lines, name) || has_name(away, name))
        return CRAWL_OK;
    return crawl_buf_printf(value.size ? lines : away, "%.*s: %.*s\n", (int)name.size, name.data, (int)value.size,
                            value.data);
}

static crawl_err host_merge_add_headers(const crawl_texts *headers, crawl_buf *lines, crawl_buf *away)
{
    crawl_err err = CRAWL_OK;
    crawl_slice name, value;
    for (size_t i = 0; i < headers->count && !err; i++)
        if (cw_header_split(crawl_slice_from(headers->items[i]), &name, &value))
            err = host_merge_add_header(name, value, lines, away);
    return err;
}

/* User and password may come from different sections. */
static const char *first_user(const cw_host_match *chain, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chain[i].personal && chain[i].section->config->user)
            return chain[i].section->config->user;
    return NULL;
}

static const char *first_password(const cw_host_match *chain, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chain[i].personal && chain[i].section->password)
            return chain[i].section->password;
    return "";
}

/* RFC 7617, 2. */
static crawl_err add_basic(const cw_host_match *chain, size_t count, crawl_buf *lines, crawl_buf *away)
{
    const char *user = first_user(chain, count);
    if (!user)
        return CRAWL_OK;
    crawl_buf plain = {0};
    crawl_buf value = {0};
    crawl_err err = crawl_buf_printf(&plain, "%s:%s", user, first_password(chain, count));
    if (!err)
        err = crawl_buf_append_text(&value, "Basic ");
    if (!err)
        err = cw_base64_append(crawl_buf_slice(&plain), &value);
    if (!err)
        err = host_merge_add_header(crawl_slice_from("Authorization"), crawl_buf_slice(&value), lines, away);
    crawl_buf_free(&plain);
    crawl_buf_free(&value);
    return err;
}

/* RFC 6750, 2.1. */
static crawl_err add_bearer(const char *token, crawl_buf *lines, crawl_buf *away)
{
    crawl_buf value = {0};
    crawl_err err = crawl_buf_printf(&value, "Bearer %s", token);
    if (!err)
        err = host_merge_add_header(crawl_slice_from("Authorization"), crawl_buf_slice(&value), lines, away);
    crawl_buf_free(&value);
    return err;
}

static crawl_err add_personal(const cw_host_match *chain, size_t count, size_t i, crawl_buf *lines, crawl_buf *away)
{
    const cw_host_section *one = chain[i].section;
    crawl_err err = host_merge_add_headers(&one->config->headers, lines, away);
    if (!err && one->bearer)
        err = add_bearer(one->bearer, lines, away);
    if (!err && (one->config->user || one->password))
        err = add_basic(chain, count, lines, away);
    return err;
}

/* The key of a certificate comes from the same section as the certificate. */
static void take_certificate(crawl_fetch_access *access, const char *cert, const char *key)
{
    if (access->client_cert || !cert)
        return;
    access->client_cert = cert;
    access->client_key = key;
}

static void host_merge_take_plain(cw_host_rules *rules, const cw_host_section *section, const char **proxy)
{
    const crawl_host_config *config = section->config;
    if (!*proxy)
        *proxy = config->proxy;
    if (!rules->access.ca_file)
        rules->access.ca_file = config->ca_file;
    if (rules->delay_ms < 0)
        rules->delay_ms = config->delay_ms;
    if (!rules->per_host)
        rules->per_host = config->per_host;
    if (!rules->rate_limit)
        rules->group_rate = section->rate;
    if (!rules->rate_limit)
        rules->rate_limit = config->rate_limit;
    if (!rules->group.size && config->is_group)
        rules->group = crawl_slice_from(config->name);
    if (!rules->max_pages)
        rules->max_pages = config->max_pages;
    if (!rules->share)
        rules->share = config->share;
    if (!rules->sign)
        rules->sign = config->sign;
    if (!rules->signing.form)
        rules->signing.form = config->form;
}

static void take_defaults(cw_host_rules *rules, const crawl_config *config, bool without_proxy, const char *proxy)
{
    take_certificate(&rules->access, config->client_cert, config->client_key);
    if (!proxy && !without_proxy)
        proxy = config->proxy;
    rules->access.proxy = proxy && strcmp(proxy, "direct") != 0 ? proxy : NULL;
    if (!rules->per_host)
        rules->per_host = config->per_host;
    if (!rules->rate_limit)
        rules->rate_limit = config->host_rate_limit;
    if (!rules->max_pages)
        rules->max_pages = config->max_pages_per_host;
    if (!rules->share)
        rules->share = 1;
}

static void take_signing(cw_host_rules *rules, const crawl_config *config, const crawl_identity *identity)
{
    crawl_signing *signing = &rules->signing;
    if (!rules->sign)
        rules->sign = config->identity_sign;
    signing->size = sizeof *signing;
    signing->identity = identity;
    signing->agent = config->identity_agent;
    signing->form = signing->form ? signing->form : config->identity_form;
    signing->components = config->identity_components;
    signing->http = config->identity_http;
}

crawl_err cw_host_merge(const crawl_config *config, const crawl_identity *identity, const cw_host_match *chain,
                        size_t count, bool without_proxy, cw_host_rules *rules, crawl_buf *headers)
{
    const char *proxy = NULL;
    crawl_buf away = {0};
    crawl_err err = CRAWL_OK;
    rules->access.size = sizeof rules->access;
    rules->delay_ms = -1;
    for (size_t i = 0; i < count && !err; i++) {
        host_merge_take_plain(rules, chain[i].section, &proxy);
        if (!chain[i].personal)
            continue;
        take_certificate(&rules->access, chain[i].section->config->client_cert, chain[i].section->config->client_key);
        err = add_personal(chain, count, i, headers, &away);
    }
    if (!err)
        err = host_merge_add_headers(&config->headers, headers, &away);
    if (!err)
        err = crawl_buf_append(headers, away.data, away.size);
    crawl_buf_free(&away);
    take_defaults(rules, config, without_proxy, proxy);
    take_signing(rules, config, identity);
    rules->access.headers = headers->size ? headers->data : NULL;
    rules->has_access =
        rules->access.headers || rules->access.proxy || rules->access.client_cert || rules->access.ca_file;
    return err;
}
