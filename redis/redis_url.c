/* Reads the URL of a Redis server: redis://, rediss:// or unix:. The host follows the URL standard, as in an http URL,
 * so that a name means the same in a seed and here. The rest follows Redis. */
#include <crawl/sys/redis.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text/percent.h"

#include <crawl/url.h>

#include <stdlib.h>
#include <sys/un.h>

enum { DB_DIGITS_MAX = 6 }; /* servers have 16 unless configured otherwise */

bool crawl_redis_is_url(const char *text)
{
    crawl_slice all = crawl_slice_from(text);
    return cw_starts_with(all, "redis://") || cw_starts_with(all, "rediss://") || cw_starts_with(all, "unix:");
}

/* Decodes the escapes of text into a C string. */
static crawl_err redis_url_decode(const char *what, crawl_slice text, char **out, crawl_error *error)
{
    crawl_buf decoded = {0};
    crawl_err err = cw_percent_decode(text, &decoded);
    if (!err)
        err = crawl_buf_append(&decoded, "", 0);
    if (err || decoded.size == 0 || memchr(decoded.data, 0, decoded.size)) {
        crawl_buf_free(&decoded);
        return err ? cw_error(error, CRAWL_ENOMEM)
                   : crawl_error_set(error, CRAWL_EPARSE, "its %s is empty or has a NUL", what);
    }
    free(*out);
    *out = decoded.data;
    return CRAWL_OK;
}

static crawl_err take_db(crawl_slice digits, crawl_redis_url *out, crawl_error *error)
{
    if (digits.size == 0 || digits.size > DB_DIGITS_MAX || cw_count_digits(digits) != digits.size)
        return crawl_error_set(error, CRAWL_EPARSE, "its DB is not a number: %.*s",
                               (int)(digits.size < 60 ? digits.size : 60), digits.data);
    out->db = (unsigned)strtoul(digits.data, NULL, 10);
    return CRAWL_OK;
}

static crawl_err unknown_name(crawl_slice name, const char *const *names, crawl_error *error)
{
    crawl_buf known = {0};
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; names[i] && !err; i++)
        err = crawl_buf_printf(&known, "%s%s", i ? ", " : "", names[i]);
    err = err ? cw_error(error, CRAWL_ENOMEM)
              : crawl_error_set(error, CRAWL_EPARSE, "it has no \"%.*s\"; known are %s",
                                (int)(name.size < 60 ? name.size : 60), name.data, known.size ? known.data : "none");
    crawl_buf_free(&known);
    return err;
}

/* Takes one "name=value" of the query. */
static crawl_err redis_url_take_value(crawl_slice pair, const char *const *names, crawl_redis_url *out,
                                      crawl_error *error)
{
    crawl_slice name = cw_cut(&pair, '=');
    if (cw_is(name, "db") && out->path)
        return take_db(pair, out, error);
    for (size_t i = 0; names[i]; i++)
        if (cw_is(name, names[i]))
            return redis_url_decode(names[i], pair, &out->values[i], error);
    return unknown_name(name, names, error);
}

static crawl_err take_query(crawl_slice query, const char *const *names, crawl_redis_url *out, crawl_error *error)
{
    crawl_err err = CRAWL_OK;
    while (query.size && !err) {
        crawl_slice pair = cw_cut(&query, '&');
        err = pair.size ? redis_url_take_value(pair, names, out, error) : CRAWL_OK;
    }
    return err;
}

/* Parses the URL under another scheme. The parser drops the default port of a known scheme. */
static crawl_err parse_as(const char *scheme, crawl_slice rest, crawl_url *url, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_printf(&text, "%s:%.*s", scheme, (int)rest.size, rest.data);
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    crawl_buf_free(&text);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, err, "not a URL: expected redis://[USER@]HOST[:PORT][/DB]");
    return err ? cw_error(error, CRAWL_ENOMEM) : CRAWL_OK;
}

/* rest begins with "//" and has no query. */
static crawl_err redis_url_find_port(crawl_slice rest, crawl_url *url, crawl_redis_url *out, crawl_error *error)
{
    crawl_err err = parse_as("https", rest, url, error);
    crawl_slice port = err ? (crawl_slice){0} : crawl_url_port(url);
    out->port = port.size ? (unsigned)cw_port_of(port) : 0;
    if (!err && !out->port)
        err = parse_as("http", rest, url, error);
    port = err ? (crawl_slice){0} : crawl_url_port(url);
    if (!out->port)
        out->port = port.size ? (unsigned)cw_port_of(port) : CRAWL_REDIS_PORT;
    return err;
}

static crawl_err take_server(const crawl_url *url, crawl_redis_url *out, crawl_error *error)
{
    crawl_slice host = crawl_url_hostname(url);
    crawl_slice user = crawl_url_username(url);
    crawl_slice path = crawl_url_path(url);
    if (crawl_url_password(url).size)
        return crawl_error_set(error, CRAWL_EPARSE,
                               "a password in it would be visible to all users of this machine: set "
                               "redis.password_file, or CRAWL_REDIS_PASSWORD in the environment");
    if (host.size > 2 && host.data[0] == '[')
        host = crawl_slice_of(host.data + 1, host.size - 2);
    crawl_err err = redis_url_decode("host", host, &out->host, error);
    if (!err && user.size)
        err = redis_url_decode("user", user, &out->user, error);
    return err || path.size <= 1 ? err : take_db(cw_drop(path, 1), out, error);
}

static crawl_err parse_server(crawl_slice rest, crawl_redis_url *out, crawl_error *error)
{
    crawl_url *url = crawl_url_create();
    crawl_err err = url ? redis_url_find_port(rest, url, out, error) : cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = take_server(url, out, error);
    crawl_url_free(url);
    return err;
}

static crawl_err parse_socket(crawl_slice path, crawl_redis_url *out, crawl_error *error)
{
    if (cw_starts_with(path, "///"))
        path = cw_drop(path, 2);
    if (!cw_starts_with(path, "/"))
        return crawl_error_set(error, CRAWL_EPARSE, "expected unix:/PATH of a socket");
    crawl_err err = redis_url_decode("path", path, &out->path, error);
    if (!err && strlen(out->path) >= sizeof((struct sockaddr_un *)0)->sun_path)
        err = crawl_error_set(error, CRAWL_EPARSE, "the path of its socket is too long");
    return err;
}

static crawl_err redis_url_parse(crawl_slice text, const char *const *names, crawl_redis_url *out, crawl_error *error)
{
    crawl_slice rest = text;
    if (cw_find_char(text, '#') < text.size)
        return crawl_error_set(error, CRAWL_EPARSE, "it has a \"#\": write it as %%23");
    crawl_slice place = cw_cut(&rest, '?');
    crawl_err err;
    if (cw_take_text(&place, "unix:")) {
        err = parse_socket(place, out, error);
    } else {
        out->tls = cw_starts_with(place, "rediss:");
        if (!cw_take_text(&place, out->tls ? "rediss:" : "redis:") || !cw_starts_with(place, "//"))
            return crawl_error_set(error, CRAWL_EPARSE, "expected redis://, rediss:// or unix:/PATH");
        err = parse_server(place, out, error);
    }
    return err ? err : take_query(rest, names, out, error);
}

crawl_err crawl_redis_url_parse(crawl_slice text, const char *const *names, crawl_redis_url *out, crawl_error *error)
{
    crawl_redis_url url = {0};
    crawl_err err = redis_url_parse(text, names, &url, error);
    if (err)
        crawl_redis_url_free(&url);
    else
        *out = url;
    return err;
}

void crawl_redis_url_free(crawl_redis_url *url)
{
    free(url->path);
    free(url->host);
    free(url->user);
    for (size_t i = 0; i < CRAWL_REDIS_VALUES_MAX; i++)
        free(url->values[i]);
    *url = (crawl_redis_url){0};
}
