#include "crawler/engine/host/rules/host_section.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/files/file_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static cw_host_section *new_section(const char *before, crawl_slice host)
{
    size_t size = strlen(before) + host.size;
    cw_host_section *one = calloc(1, sizeof *one + size + 1);
    if (!one)
        return NULL;
    memcpy(one->host, before, strlen(before));
    memcpy(one->host + strlen(before), host.data, host.size);
    one->name_size = size;
    return one;
}

void cw_host_section_free(cw_host_section *one)
{
    cw_secret_free(one->password);
    cw_secret_free(one->bearer);
    free(one->own.user);
    if (one->owns_rate)
        crawl_fetch_rate_free(one->rate);
    free(one);
}

/* ---- reading ---- */

/* Cuts the scheme of a section's name off *rest and returns it; "": none. */
static const char *cut_scheme(const char **rest)
{
    static const char *const schemes[] = {"https", "http"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t size = strlen(schemes[i]);
        if (strncmp(*rest, schemes[i], size) == 0 && strncmp(*rest + size, "://", 3) == 0) {
            *rest += size + 3;
            return schemes[i];
        }
    }
    return "";
}

/* Returns the port in a section's name; 0: none. (A parsed URL would hide the default one.) */
static unsigned port_of_name(const char *name)
{
    const char *colon = strrchr(name, ':');
    const char *bracket = strrchr(name, ']');
    return colon && (!bracket || colon > bracket) ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

/* Makes a section from its name, with the host as URLs spell it. */
static crawl_err parse_name(const char *where, const char *name, cw_host_section **out, crawl_error *error)
{
    const char *rest = name;
    const char *scheme = cut_scheme(&rest);
    const char *before = strncmp(rest, "*.", 2) == 0 ? "*." : "";
    crawl_buf text = {0};
    crawl_url *url = crawl_url_create();
    cw_host_section *one = NULL;
    crawl_err err = url ? crawl_buf_printf(&text, "http://%s/", rest + strlen(before)) : CRAWL_ENOMEM;
    if (!err && strpbrk(rest + strlen(before), "*/\\@?#%"))
        err = CRAWL_EPARSE;
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    if (!err) {
        one = new_section(before, crawl_url_hostname(url));
        err = one ? CRAWL_OK : CRAWL_ENOMEM;
    }
    if (one) {
        memcpy(one->scheme, scheme, strlen(scheme));
        one->port = port_of_name(rest);
        *out = one;
    }
    crawl_url_free(url);
    crawl_buf_free(&text);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, CRAWL_EINVAL, "[%s]: not a host name: %.300s", where, name);
    return err ? cw_error(error, err) : CRAWL_OK;
}

static crawl_err check_file(const char *where, const char *key, const char *path, crawl_error *error)
{
    if (!path || access(path, R_OK) == 0)
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_EIO, "[%s] %s: %s: %s", where, key, path, strerror(errno));
}

/* Refuses a key with a passphrase, for which a crawl does not ask: its loop would wait for the answer. */
static crawl_err host_section_check_key(const char *where, const char *path, crawl_error *error)
{
    enum { MAX_KEY = 1 << 20 };
    crawl_buf text = {0};
    crawl_err err = path ? cw_read_file(path, MAX_KEY, &text, error) : CRAWL_OK;
    crawl_slice key = crawl_buf_slice(&text);
    if ((!err || err == CRAWL_FULL) && (cw_find_text(key, "-----BEGIN ENCRYPTED PRIVATE KEY-----") < key.size ||
                                        cw_find_text(key, "Proc-Type: 4,ENCRYPTED") < key.size))
        err = crawl_error_set(error, CRAWL_EINVAL,
                              "[%s] client_key: %s has a passphrase: openssl pkey -in FILE -out NEW removes it", where,
                              path);
    cw_secret_free_buf(&text);
    return err == CRAWL_FULL ? CRAWL_OK : err;
}

crawl_err cw_host_check_files(const char *where, const char *cert, const char *key, const char *ca, crawl_error *error)
{
    crawl_err err = check_file(where, "client_cert", cert, error);
    if (!err)
        err = check_file(where, "client_key", key, error);
    if (!err)
        err = host_section_check_key(where, key ? key : cert, error);
    return err ? err : check_file(where, "ca_file", ca, error);
}

/* Takes the given text, or else the first line of the file that the key names. */
static crawl_err take_secret(const char *where, const char *text, const char *key, const char *path, char **out,
                             crawl_error *error)
{
    crawl_error why = {0};
    if (text)
        return (*out = strdup(text)) ? CRAWL_OK : cw_error(error, CRAWL_ENOMEM);
    crawl_err err = path ? cw_secret_read(path, out, &why) : CRAWL_OK;
    return err ? crawl_error_set(error, err, "[%s] %s: %s", where, key, why.message) : CRAWL_OK;
}

crawl_err cw_host_section_read(const crawl_host_config *config, const char *name, cw_host_section **out,
                               crawl_error *error)
{
    cw_host_section *one = NULL;
    char where[80];
    snprintf(where, sizeof where, "%s %.70s", config->is_group ? "group" : "host", config->name);
    crawl_err err = cw_host_check_files(where, config->client_cert, config->client_key, config->ca_file, error);
    if (!err && config->user && strchr(config->user, ':'))
        err =
            crawl_error_set(error, CRAWL_EINVAL, "[%s] user: a user name cannot contain a colon (RFC 7617, 2)", where);
    if (!err)
        err = parse_name(where, name, &one, error);
    if (!err)
        err = take_secret(where, config->password, "password_file", config->password_file, &one->password, error);
    if (!err)
        err = take_secret(where, config->bearer, "bearer_file", config->bearer_file, &one->bearer, error);
    if (!err && config->user && one->bearer)
        err = crawl_error_set(error, CRAWL_EINVAL, "[%s] has a user and a bearer, but a request has one Authorization",
                              where);
    if (err && one)
        cw_host_section_free(one);
    if (err)
        return err;
    one->config = config;
    *out = one;
    return CRAWL_OK;
}

cw_host_section *cw_host_section_of_user(const crawl_url *url, crawl_slice user, crawl_slice password)
{
    crawl_slice scheme = crawl_url_scheme(url);
    cw_host_section *one = new_section("", crawl_url_hostname(url));
    if (!one)
        return NULL;
    one->config = &one->own;
    one->own.delay_ms = -1;
    one->own.user = strndup(user.size ? user.data : "", user.size);
    one->password = strndup(password.size ? password.data : "", password.size);
    one->port = crawl_url_effective_port(url);
    memcpy(one->scheme, scheme.data, scheme.size < sizeof one->scheme ? scheme.size : sizeof one->scheme - 1);
    if (one->own.user && one->password)
        return one;
    cw_host_section_free(one);
    return NULL;
}

/* ---- matching ---- */

static unsigned default_port(crawl_slice scheme)
{
    return crawl_slice_equal(scheme, crawl_slice_from("https")) ? 443 : 80;
}

/* Scheme and port count, the scheme more. */
unsigned cw_host_section_rank(const cw_host_section *one)
{
    return (one->scheme[0] ? 2u : 0u) + (one->port ? 1u : 0u);
}

cw_host_place cw_host_place_of(crawl_slice origin)
{
    const char *end = origin.data + origin.size;
    const char *start = memmem(origin.data, origin.size, "://", 3);
    start = start ? start + 3 : end;
    const char *colon = end;
    while (colon > start && cw_is_digit((unsigned char)colon[-1]))
        colon--;
    bool has_port = colon > start && colon < end && colon[-1] == ':';
    cw_host_place at = {.origin = origin, .scheme = {.data = origin.data}};
    at.scheme.size = start > origin.data + 3 ? (size_t)(start - origin.data) - 3 : 0;
    at.host = crawl_slice_of(start, (size_t)((has_port ? colon - 1 : end) - start));
    for (; has_port && colon < end; colon++)
        at.port = at.port * 10 + (unsigned)(*colon - '0');
    at.port = has_port ? at.port : default_port(at.scheme);
    return at;
}

bool cw_host_section_matches(const cw_host_section *one, const cw_host_place *at)
{
    bool scheme = !one->scheme[0] || crawl_slice_equal(at->scheme, crawl_slice_from(one->scheme));
    return scheme && (!one->port || one->port == at->port);
}

bool cw_host_section_means(const cw_host_section *one, const cw_host_place *at, bool is_seed)
{
    if (one->port)
        return true;
    bool usual_port = at->port == default_port(at->scheme);
    if (one->scheme[0])
        return usual_port;
    return is_seed || (usual_port && crawl_slice_equal(at->scheme, crawl_slice_from("https")));
}
