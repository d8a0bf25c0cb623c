/* The [host NAME] and [group NAME] sections of a configuration: parses their names (a host with an optional scheme and
 * port; for a group a word), finds the sections, and has the schema rows of their keys. */
#include "config/config.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"
#include "config/choices.h"
#include "config/value.h"

#include <stdlib.h>

static const char *const host_kinds[] = {"host ", "group "};

/* Longer than any DNS name with scheme and port. */
#define MAX_NAME 300u

bool cw_config_section_is_host(crawl_slice section)
{
    return cw_starts_with(section, host_kinds[false]) || cw_starts_with(section, host_kinds[true]);
}

const char *cw_config_host_kind(const crawl_host_config *host)
{
    return host->is_group ? "group" : "host";
}

static crawl_host_config new_host(char *name, bool is_group)
{
    return (crawl_host_config){.name = name, .is_group = is_group, .delay_ms = -1};
}

bool cw_config_host_has(const crawl_host_config *host, const cw_config_key *key)
{
    const crawl_host_config blank = new_host(NULL, false);
    if (cw_config_key_is_list(key))
        return ((const crawl_texts *)(const void *)((const char *)host + key->offset))->count > 0;
    return memcmp((const char *)host + key->offset, (const char *)&blank + key->offset, key->size) != 0;
}

/* Removes the host from the front of *rest. Its validity is checked when it is used. */
static crawl_slice config_take_host(crawl_slice *rest)
{
    size_t bracket = cw_starts_with(*rest, "[") ? cw_find_char(*rest, ']') : 0;
    return cw_take(rest, bracket + cw_find_char(cw_drop(*rest, bracket), ':'));
}

static const char *why_not(crawl_slice rest)
{
    if (!cw_take_text(&rest, "http://"))
        cw_take_text(&rest, "https://");
    cw_take_text(&rest, "*.");
    crawl_slice host = config_take_host(&rest);
    if (cw_starts_with(host, "[") && !cw_ends_with(host, "]"))
        return "an IPv6 address needs its closing ]";
    if (!host.size)
        return "a host section needs a name, as [host example.com]";
    for (size_t i = 0; i < host.size; i++)
        if ((unsigned char)host.data[i] <= ' ' || host.data[i] == 0x7f || strchr("*/\\@?#%", host.data[i]))
            return "expected a host name, as example.com or *.example.com, optionally with http:// before it and a "
                   "port after it";
    if (rest.size && cw_port_of(cw_drop(rest, 1)) < 1)
        return "expected a port from 1 to 65535 after the host name";
    return NULL;
}

/* The word cannot be an address either, so that a group is never mistaken for one. */
static const char *why_no_group(crawl_slice name)
{
    bool is_word = name.size && cw_is_alpha((unsigned char)*name.data);
    for (size_t i = 0; i < name.size; i++)
        is_word = is_word && (cw_is_alnum((unsigned char)name.data[i]) || name.data[i] == '-' || name.data[i] == '_');
    return is_word ? NULL : "a group of hosts needs a name of letters, digits, - and _, as [group shop]";
}

static crawl_host_config *config_host_find(const crawl_config *config, bool is_group, crawl_slice name)
{
    for (size_t i = 0; i < config->host_count; i++)
        if (config->hosts[i].is_group == is_group && cw_equal_nocase(crawl_slice_from(config->hosts[i].name), name))
            return &config->hosts[i];
    return NULL;
}

static crawl_err config_host_add(crawl_config *config, bool is_group, crawl_slice name)
{
    if (CW_ARRAY_RESIZE(config->hosts, config->host_count + 1))
        return CRAWL_ENOMEM;
    char *copy = malloc(name.size + 1);
    if (!copy)
        return CRAWL_ENOMEM;
    cw_copy_lower(copy, name);
    config->hosts[config->host_count++] = new_host(copy, is_group);
    return CRAWL_OK;
}

const crawl_host_config *cw_config_host_find(const crawl_config *config, crawl_slice section)
{
    bool is_group = cw_starts_with(section, host_kinds[true]);
    return config_host_find(config, is_group, cw_trim(cw_drop(section, strlen(host_kinds[is_group]))));
}

crawl_err cw_config_host(crawl_config *config, crawl_slice section, crawl_host_config **out, crawl_error *error)
{
    bool is_group = cw_starts_with(section, host_kinds[true]);
    crawl_slice name = cw_trim(cw_drop(section, strlen(host_kinds[is_group])));
    const char *why = is_group ? why_no_group(name) : why_not(name);
    if (name.size > MAX_NAME)
        why = "the host name is too long";
    if (why)
        return crawl_error_set(error, CRAWL_EPARSE, "[%s]: %s", cw_excerpt_of(section).text, why);
    *out = config_host_find(config, is_group, name);
    if (*out)
        return CRAWL_OK;
    crawl_err err = config_host_add(config, is_group, name);
    if (err)
        return cw_error(error, err);
    *out = &config->hosts[config->host_count - 1];
    return CRAWL_OK;
}

/* ---- the schema: see schema.c ---- */

#define RANGE(low, high) .min = low, .max = high
#define HOST(field) .offset = offsetof(crawl_host_config, field), .size = sizeof((crawl_host_config *)0)->field

static const cw_config_key host_keys[] = {
    {"host", "hosts", CW_STRING, HOST(hosts),
     .help = "only in a [group NAME]: its hosts, each written like NAME in [host NAME]"},
    {"host", "header", CW_HEADER, HOST(headers),
     .help = "a header for the host; repeatable; the last of a name counts; without a value, that header is not sent"},
    {"host", "user", CW_STRING, HOST(user), .help = "user name (HTTP authentication, scheme Basic)"},
    {"host", "password", CW_STRING, HOST(password), .secret = true,
     .help = "its password; never printed or kept by --state"},
    {"host", "password_file", CW_PATH, HOST(password_file), .help = "file with the password in its first line"},
    {"host", "bearer", CW_STRING, HOST(bearer), .secret = true,
     .help = "token for Authorization: Bearer; never printed or kept by --state"},
    {"host", "bearer_file", CW_PATH, HOST(bearer_file), .help = "file with the token in its first line"},
    {"host", "proxy", CW_ROUTE, HOST(proxy), .help = "proxy for the host, instead of that of [fetch]; direct: none"},
    {"host", "client_cert", CW_PATH, HOST(client_cert), .help = "certificate to show to the host, PEM"},
    {"host", "client_key", CW_PATH, HOST(client_key), .help = "its private key, PEM, if it is in another file"},
    {"host", "ca_file", CW_PATH, HOST(ca_file),
     .help = "certificates to trust there, PEM, instead of those of [fetch]"},
    {"host", "delay", CW_DURATION, HOST(delay_ms), RANGE("0ms", "1d"), .help = "politeness.delay of this host"},
    {"host", "per_host", CW_UINT, HOST(per_host), RANGE("1", "1000"), .help = "politeness.per_host of this host"},
    {"host", "rate_limit", CW_RATE, HOST(rate_limit), RANGE("1", "1000G"),
     .help = "politeness.host_rate_limit of this host"},
    {"host", "max_pages", CW_COUNT, HOST(max_pages), RANGE("1", "1000000T"),
     .help = "crawl.max_pages_per_host of this host"},
    {"host", "share", CW_UINT, HOST(share), RANGE("1", "1000"),
     .help = "turns of the host for each turn of another, breadth first, while no pause holds it; others have 1"},
    {"host", "sign", CW_ENUM, HOST(sign), .choices = cw_config_signs, .help = "identity.sign of this host"},
    {"host", "form", CW_ENUM, HOST(form), .choices = cw_config_sign_forms, .help = "identity.form of this host"},
    {"host", "withheld", CW_STRING, HOST(withheld),
     .help = "secrets left out when this was printed; set them again before a crawl starts"},
};

_Static_assert(sizeof host_keys / sizeof *host_keys <= CW_CONFIG_SCHEMA_HOST_MAX, "raise CW_CONFIG_SCHEMA_HOST_MAX");

const cw_config_key *cw_config_schema_host(size_t *count)
{
    *count = sizeof host_keys / sizeof *host_keys;
    return host_keys;
}
