/* See shared_cookies.h. In the frontier a cookie is identified by an id: whether it is only for its host, its path, a
 * NUL, and its name. */
#include "crawler/engine/shared_cookies.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/files/file_read.h"
#include "base/files/replace.h"
#include "base/writer.h"
#include "config/config_values.h"
#include "crawler/engine/host/cookies.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/shared_agreement.h"

#include <event2/event.h>
#include <libpsl.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- conversion ---- */

static crawl_err write_id(const crawl_jar_cookie *cookie, crawl_buf *id)
{
    cw_writer to = {.out = id};
    cw_put_char(&to, cookie->is_host_only ? 'h' : 'w');
    cw_put(&to, cookie->path);
    cw_put_char(&to, '\0');
    cw_put(&to, cookie->name);
    return to.err;
}

static unsigned shared_cookies_flags_of(const crawl_jar_cookie *cookie)
{
    return (cookie->is_host_only ? CRAWL_SHARED_COOKIE_HOST_ONLY : 0u) |
           (cookie->is_secure ? CRAWL_SHARED_COOKIE_SECURE : 0u) |
           (cookie->is_http_only ? CRAWL_SHARED_COOKIE_HTTP_ONLY : 0u) |
           (cookie->is_own ? CRAWL_SHARED_COOKIE_OWN : 0u) | (cookie->is_deleted ? CRAWL_SHARED_COOKIE_DELETED : 0u);
}

/* False: another program has written the cookie. */
static bool read_cookie(const crawl_shared_cookie *from, crawl_jar_cookie *out)
{
    crawl_slice id = from->id;
    if (!id.size || !memchr("hw", *id.data, 2) || cw_find_char(id, '\0') == id.size)
        return false;
    id = cw_drop(id, 1);
    *out = (crawl_jar_cookie){.host = from->host,
                              .path = cw_cut(&id, '\0'),
                              .name = id,
                              .value = from->value,
                              .expires_ms = from->expires_ms ? from->expires_ms : INT64_MAX,
                              .set_ms = from->set_ms,
                              .is_deleted = from->flags & CRAWL_SHARED_COOKIE_DELETED,
                              .is_host_only = from->flags & CRAWL_SHARED_COOKIE_HOST_ONLY,
                              .is_secure = from->flags & CRAWL_SHARED_COOKIE_SECURE,
                              .is_http_only = from->flags & CRAWL_SHARED_COOKIE_HTTP_ONLY,
                              .is_own = from->flags & CRAWL_SHARED_COOKIE_OWN};
    return out->path.size && *out->path.data == '/';
}

/* ---- calls from the jar ---- */

static crawl_err shared_cookies_site_of(crawl_slice host, char room[CRAWL_JAR_HOST_MAX + 1], crawl_slice *site)
{
    char url[CRAWL_JAR_HOST_MAX + 16];
    bool is_v6 = cw_find_char(host, ':') < host.size;
    int size =
        snprintf(url, sizeof url, "http://%s%.*s%s/", is_v6 ? "[" : "", (int)host.size, host.data, is_v6 ? "]" : "");
    return crawl_jar_host(crawl_slice_of(url, (size_t)size), room, site);
}

static crawl_err shared_cookies_tell(crawl_engine *engine, const crawl_jar_source *source, crawl_jar_cookie *cookie)
{
    char room[CRAWL_JAR_HOST_MAX + 1];
    crawl_buf id = {0};
    crawl_shared_cookie shared = {.host = cookie->host,
                                  .value = cookie->is_deleted ? (crawl_slice){0} : cookie->value,
                                  .set_ms = cookie->set_ms,
                                  .expires_ms =
                                      cookie->is_deleted || cookie->expires_ms == INT64_MAX ? 0 : cookie->expires_ms,
                                  .flags = shared_cookies_flags_of(cookie)};
    crawl_err err = shared_cookies_site_of(cookie->host, room, &shared.site);
    if (!err)
        err = write_id(cookie, &id);
    shared.id = crawl_buf_slice(&id);
    if (!err)
        err =
            crawl_frontier_shared_cookie(engine->frontier, source->origin, source->asked_us, &shared, source->is_known);
    cookie->set_ms = shared.set_ms;
    crawl_buf_free(&id);
    return err;
}

static crawl_err shared_cookies_on_set(void *user, const crawl_jar_source *source, crawl_jar_cookie *cookie)
{
    return shared_cookies_tell(user, source, cookie);
}

static crawl_err watch_jar(crawl_engine *engine, crawl_error *error)
{
    const crawl_jar_watch watch = {.size = sizeof watch, .on_set = shared_cookies_on_set, .user = engine};
    crawl_err err = crawl_jar_set_watch(engine->jar, &watch);
    return err ? cw_error(error, err) : CRAWL_OK;
}

/* ---- calls from the frontier ---- */

static crawl_err cookie_host(void *, crawl_slice origin, char host[CRAWL_SHARED_HOST_MAX + 1], crawl_slice *site)
{
    _Static_assert(CRAWL_SHARED_HOST_MAX >= CRAWL_JAR_HOST_MAX, "a host's name");
    return crawl_jar_host(origin, host, site);
}

static void on_cookies(void *user, crawl_slice host, const crawl_shared_cookie *cookies, size_t count, int64_t as_of_ms)
{
    crawl_engine *engine = user;
    crawl_jar_cookie *list = calloc(count + 1, sizeof *list);
    size_t read = 0;
    for (size_t i = 0; list && i < count; i++)
        read += read_cookie(&cookies[i], &list[read]);
    /* Out of memory: the jar keeps what it has for the host, and gets everything again at the next change. */
    if (list)
        (void)crawl_jar_replace(engine->jar, host, list, read, as_of_ms, cw_wall_ms());
    free(list);
}

void cw_engine_shared_cookies_join(crawl_engine *engine, crawl_shared_options *options)
{
    if (!cw_host_cookies_wanted(engine->config))
        return;
    options->cookie_host = cookie_host;
    options->on_cookies = on_cookies;
    options->max_cookies = engine->config->max_cookies;
}

/* ---- the user's file ---- */

#define GIVEN_NOTE "#cookies "

/* The most bytes of a user's file: it goes through Redis, and all of it is under way at once. */
#define MAX_FILE ((size_t)16 << 20)

/* A file given this long ago is in the crawl; later changes of its cookies are up to the servers. */
enum { GIVEN_MS = 30 * 60 * 1000 };

typedef struct giving {
    crawl_engine *engine;
    int64_t set_ms;
    crawl_buf refused; /* the first host that cannot be given a cookie */
} giving;

static crawl_err on_given(void *user, const crawl_jar_source *source, crawl_jar_cookie *cookie)
{
    giving *g = user;
    bool is_of_many = !cookie->is_host_only && memchr(cookie->host.data, '.', cookie->host.size) &&
                      psl_is_public_suffix(psl_builtin(), cookie->host.data);
    if (is_of_many) {
        (void)crawl_buf_append(&g->refused, cookie->host.data, cookie->host.size);
        return CRAWL_EINVAL;
    }
    cookie->set_ms = g->set_ms;
    return cookie->is_deleted ? CRAWL_OK : shared_cookies_tell(g->engine, source, cookie);
}

static crawl_err shared_cookies_give(giving *g, const char *path, crawl_slice text, crawl_error *error)
{
    const crawl_jar_watch watch = {.size = sizeof watch, .on_set = on_given, .user = g};
    crawl_jar *jar;
    crawl_err err = crawl_jar_create(true, &jar);
    if (err)
        return cw_error(error, err);
    err = crawl_jar_set_watch(jar, &watch);
    if (!err)
        err = crawl_jar_read(jar, path, text, false, cw_wall_ms(), error);
    if (err && g->refused.size)
        crawl_error_set(error, err, "%s: a cookie for all hosts below the public suffix %s: processes cannot share it",
                        path, g->refused.data);
    crawl_jar_free(jar);
    return err;
}

/* Returns the time at which a text was first given; 0: never. */
static int64_t given_before(const crawl_engine *engine, const char *note)
{
    crawl_buf text = {0};
    int64_t given = 0;
    if (!crawl_frontier_note_get(engine->frontier, crawl_slice_from(note), &text) && text.size)
        given = (int64_t)strtoull(text.data, NULL, 10);
    crawl_buf_free(&text);
    return given;
}

static int64_t shared_cookies_server_ms(const crawl_engine *engine)
{
    crawl_shared_figures figures;
    bool knows = crawl_frontier_shared_figures(engine->frontier, &figures) == CRAWL_OK && figures.server_us;
    return knows ? figures.server_us / 1000 : cw_wall_ms();
}

static crawl_err give_text(crawl_engine *engine, const char *path, crawl_slice text, crawl_error *error)
{
    char note[sizeof GIVEN_NOTE + CW_HOST_COOKIES_DIGITS] = GIVEN_NOTE;
    char digits[24];
    giving g = {.engine = engine};
    if (cw_host_cookies_digest(text, note + sizeof GIVEN_NOTE - 1))
        return cw_error(error, CRAWL_ENOMEM);
    int64_t now_ms = shared_cookies_server_ms(engine);
    g.set_ms = given_before(engine, note);
    if (g.set_ms && now_ms - g.set_ms > GIVEN_MS)
        return CRAWL_OK;
    bool is_first = !g.set_ms;
    g.set_ms = is_first ? now_ms : g.set_ms;
    crawl_err err = shared_cookies_give(&g, path, text, error);
    crawl_buf_free(&g.refused);
    if (err || !is_first)
        return err;
    snprintf(digits, sizeof digits, "%lld", (long long)g.set_ms);
    err = crawl_frontier_note_set(engine->frontier, crawl_slice_from(note), crawl_slice_from(digits));
    return err ? cw_error(error, err) : CRAWL_OK;
}

static crawl_err give_file(crawl_engine *engine, const char *path, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = cw_read_file(path, MAX_FILE, &text, error);
    if (err == CRAWL_FULL)
        err = crawl_error_set(error, CRAWL_EPARSE, "%s: too large for shared cookies", path);
    if (!err)
        err = give_text(engine, path, crawl_buf_slice(&text), error);
    cw_secret_free_buf(&text);
    return err;
}

crawl_err cw_engine_shared_cookies_open(crawl_engine *engine, crawl_error *error)
{
    if (!engine->config->shared || !engine->jar)
        return CRAWL_OK;
    crawl_err err = watch_jar(engine, error);
    if (!err && engine->config->cookies_file)
        err = give_file(engine, engine->config->cookies_file, error);
    return err;
}

/* ---- saving all cookies ---- */

enum { PATIENCE_MS = 10000 };

typedef struct reading {
    struct event_base *base;
    crawl_jar *jar;
    crawl_err err;
    crawl_error *error;
} reading;

/* Adds a cookie without replacing earlier ones: it is made as old as they are. */
static void on_cookie(void *user, const crawl_shared_cookie *cookie)
{
    reading *r = user;
    crawl_jar_cookie one;
    if (!read_cookie(cookie, &one))
        return;
    one.set_ms = 0;
    if (crawl_jar_replace(r->jar, cookie->host, &one, 1, 0, cw_wall_ms()))
        r->err = CRAWL_ENOMEM;
}

static void shared_cookies_on_end(void *user, crawl_err err, const crawl_error *error)
{
    reading *r = user;
    if (r->err != CRAWL_ENOMEM)
        r->err = err ? crawl_error_set(r->error, err, "%s", error->message) : CRAWL_OK;
    event_base_loopbreak(r->base);
}

static crawl_err shared_cookies_ask(reading *r, crawl_redis *redis, const char *name)
{
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    r->err = crawl_error_set(r->error, CRAWL_ENET, "redis does not answer");
    crawl_err err = crawl_shared_cookies(redis, name, on_cookie, shared_cookies_on_end, r, r->error);
    if (err)
        return err;
    (void)event_base_loopexit(r->base, &patience);
    event_base_dispatch(r->base);
    return r->err;
}

/* Fills the jar with the cookies of the crawl. */
static crawl_err shared_cookies_read_all(const crawl_config *config, crawl_jar *jar, crawl_error *error)
{
    char *password;
    crawl_redis_url url;
    crawl_redis *redis = NULL;
    crawl_err err = cw_engine_shared_url_read(config, &url, &password, error);
    if (err)
        return err;
    reading r = {.base = event_base_new(), .jar = jar, .error = error};
    const crawl_redis_options options = {.size = sizeof options,
                                         .base = r.base,
                                         .url = &url,
                                         .password = password,
                                         .name = "crawl",
                                         .ca_file = config->redis_ca_file};
    err = r.base ? crawl_redis_open(&options, &redis, error) : cw_error(error, CRAWL_ENOMEM);
    if (!err)
        err = shared_cookies_ask(&r, redis, url.values[0]);
    if (err == CRAWL_ENOMEM)
        (void)cw_error(error, err);
    crawl_err said = err; /* requests under way are answered by the next call, with less useful words */
    crawl_error kept = error ? *error : (crawl_error){0};
    crawl_redis_free(redis);
    if (error)
        *error = kept;
    if (r.base) {
        event_base_loop(r.base, EVLOOP_NONBLOCK); /* lets libevent free what it frees late */
        event_base_free(r.base);
    }
    crawl_redis_url_free(&url);
    cw_secret_free(password);
    return said;
}

static crawl_err shared_cookies_write_all(crawl_jar *jar, const char *path, crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_append_text(&text, CW_HOST_COOKIES_HEAD);
    if (!err)
        err = crawl_jar_write(jar, cw_wall_ms(), &text);
    err = err ? cw_error(error, err) : cw_replace_file(path, crawl_buf_slice(&text), 0600, error);
    cw_secret_free_buf(&text);
    return err;
}

crawl_err cw_engine_shared_cookies_save(const crawl_engine *engine, crawl_error *error)
{
    const crawl_config *config = engine->config;
    crawl_jar *jar;
    if (!config->shared || !config->cookies_save)
        return CRAWL_OK;
    if (crawl_jar_create(true, &jar))
        return cw_error(error, CRAWL_ENOMEM);
    crawl_jar_limit(jar, UINT64_MAX);
    crawl_err err = shared_cookies_read_all(config, jar, error);
    if (!err)
        err = shared_cookies_write_all(jar, config->cookies_save, error);
    crawl_jar_free(jar);
    return err;
}
