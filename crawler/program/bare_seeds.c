/* See bare_seeds.h. A seed is known by its method and https URL until its record comes. A resumed run knows only the
 * seeds that it is given again. */
#include "crawler/program/bare_seeds.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/map.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct bare_seed {
    struct bare_seed *earlier; /* with the same method and URL, but another body or other headers; NULL: none */
    crawl_seed seed;           /* its slices are in text, except for url, which is not set */
    crawl_slice key;
    crawl_buf text; /* key, headers and body */
} bare_seed;

struct cw_program_bare_seeds {
    pthread_mutex_t lock;
    cw_map *seeds; /* the latest seed for each key */
    size_t count;
    crawl_buf first; /* https URL of the first seed */
};

cw_program_bare_seeds *cw_program_bare_seeds_create(void)
{
    cw_program_bare_seeds *bare = cw_tool_memory_granted(calloc(1, sizeof *bare));
    bare->seeds = cw_tool_memory_granted(cw_map_create((uint64_t)cw_now_us()));
    pthread_mutex_init(&bare->lock, NULL);
    return bare;
}

static void bare_seed_free(bare_seed *kept)
{
    crawl_buf_free(&kept->text);
    free(kept);
}

void cw_program_bare_seeds_free(cw_program_bare_seeds *bare)
{
    size_t cursor = 0;
    if (!bare)
        return;
    for (bare_seed *kept = cw_map_next(bare->seeds, &cursor); kept; kept = cw_map_next(bare->seeds, &cursor))
        for (bare_seed *earlier = NULL; kept; kept = earlier) {
            earlier = kept->earlier;
            bare_seed_free(kept);
        }
    cw_map_free(bare->seeds);
    crawl_buf_free(&bare->first);
    pthread_mutex_destroy(&bare->lock);
    free(bare);
}

static bool bare_seeds_is_port(crawl_slice text)
{
    size_t digits = cw_count_digits(text);
    return digits > 0 && (digits == text.size || strchr("/?#", text.data[digits]));
}

/* Drops the slashes of "//example.com/", as pages write URLs; it has no scheme either. */
static crawl_slice bare_seeds_without_slashes(crawl_slice text)
{
    cw_take_text(&text, "//");
    return text;
}

bool cw_program_bare_seeds_is(crawl_slice text)
{
    text = bare_seeds_without_slashes(text);
    size_t end = cw_find_any(text, "/?# ");
    crawl_slice host = cw_take(&text, end);
    if (cw_starts_with(text, " ") || cw_find_text(host, "://") < host.size || cw_find_char(host, '@') < host.size)
        return false;
    if (cw_starts_with(host, "["))
        return cw_find_char(host, ']') < host.size;
    crawl_slice name = cw_take(&host, cw_find_char(host, ':'));
    bool is_name = cw_find_char(name, '.') < name.size || cw_is_nocase(name, "localhost");
    return is_name && !cw_starts_with(name, ".") && (!host.size || bare_seeds_is_port(cw_drop(host, 1)));
}

static void bare_seeds_add_key(crawl_buf *text, crawl_slice method, crawl_slice url)
{
    cw_tool_memory_must(crawl_buf_printf(text, "%.*s ", (int)method.size, method.data));
    cw_tool_memory_must(crawl_buf_append(text, url.data, url.size));
}

static bare_seed *bare_seed_create(crawl_slice url, const crawl_seed *seed)
{
    bare_seed *kept = cw_tool_memory_granted(calloc(1, sizeof *kept));
    crawl_slice method = seed->method.size ? seed->method : crawl_slice_from("GET");
    bare_seeds_add_key(&kept->text, method, url);
    size_t key_size = kept->text.size;
    cw_tool_memory_must(crawl_buf_append(&kept->text, seed->headers.data, seed->headers.size));
    cw_tool_memory_must(crawl_buf_append(&kept->text, seed->body.data, seed->body.size));
    crawl_slice rest = crawl_buf_slice(&kept->text);
    kept->seed = *seed;
    kept->seed.url = (crawl_slice){0};
    kept->seed.method = crawl_slice_of(rest.data, method.size);
    kept->key = cw_take(&rest, key_size);
    kept->seed.headers = cw_take(&rest, seed->headers.size);
    kept->seed.body = rest;
    return kept;
}

/* Returns true if the same request is kept: it is fetched once, and has one record. */
static bool bare_seeds_has(const bare_seed *kept, const crawl_seed *seed)
{
    while (kept &&
           !(crawl_slice_equal(kept->seed.headers, seed->headers) && crawl_slice_equal(kept->seed.body, seed->body)))
        kept = kept->earlier;
    return kept;
}

/* Keeps a seed until its record comes. */
static void bare_seeds_keep(cw_program_bare_seeds *bare, crawl_slice url, const crawl_seed *seed)
{
    bare_seed *kept = bare_seed_create(url, seed);
    pthread_mutex_lock(&bare->lock);
    if (!bare->count++)
        cw_tool_memory_must(crawl_buf_append(&bare->first, url.data, url.size));
    bare_seed *earlier = cw_map_get(bare->seeds, kept->key);
    if (bare_seeds_has(earlier, seed)) {
        bare_seed_free(kept);
    } else {
        kept->earlier = cw_map_remove(bare->seeds, kept->key);
        cw_tool_memory_must(cw_map_put(bare->seeds, kept->key, kept));
    }
    pthread_mutex_unlock(&bare->lock);
}

/* Queues the seed with a scheme. *url: the URL that is fetched. */
static crawl_err seed_by(crawl_engine *engine, const char *scheme, const crawl_seed *seed, crawl_url *url,
                         crawl_error *error)
{
    crawl_buf text = {0};
    crawl_err err = crawl_buf_append_text(&text, scheme);
    crawl_slice rest = bare_seeds_without_slashes(seed->url);
    if (!err)
        err = crawl_buf_append(&text, rest.data, rest.size);
    if (!err)
        err = crawl_url_parse(url, crawl_buf_slice(&text), NULL, NULL);
    crawl_seed by = *seed;
    by.url = crawl_buf_slice(&text);
    if (!err)
        err = crawl_engine_seed(engine, &by, error);
    else
        cw_error(error, err);
    crawl_buf_free(&text);
    return err;
}

crawl_err cw_program_bare_seeds_take(cw_program_bare_seeds *bare, crawl_engine *engine, const crawl_seed *seed,
                                     crawl_error *error)
{
    crawl_url *url = cw_tool_memory_granted(crawl_url_create());
    crawl_err err = seed_by(engine, "https://", seed, url, error);
    if (!err || err == CRAWL_EXISTS) /* it may be queued still, by the last run */
        bare_seeds_keep(bare, crawl_url_request(url), seed);
    crawl_url_free(url);
    return err;
}

void cw_program_bare_seeds_say(const cw_program_bare_seeds *bare)
{
    if (bare->count == 1)
        cw_message_say(CW_MESSAGE_INFO, "seed without a scheme: requested as %.*s, or by http if there is no answer",
                       (int)bare->first.size, bare->first.data);
    else if (bare->count)
        cw_message_say(CW_MESSAGE_INFO,
                       "%zu seeds without a scheme: requested by https, or by http if there is no "
                       "answer",
                       bare->count);
}

/* Returns true if no server that speaks TLS answered. */
static bool is_unanswered(const crawl_record *record)
{
    static const char *const errors[] = {"connect", "tls", "timeout", "reset", "protocol"};
    return record->error && !record->status &&
           cw_is_among(crawl_slice_from(record->error), errors, sizeof errors / sizeof *errors);
}

/* Takes a kept seed of the record's method and URL. NULL: there is none. The caller frees it. */
static bare_seed *bare_seeds_take_kept(cw_program_bare_seeds *bare, const crawl_record *record)
{
    crawl_buf key = {0};
    bare_seeds_add_key(&key, record->method, record->url);
    pthread_mutex_lock(&bare->lock);
    bare_seed *kept = cw_map_remove(bare->seeds, crawl_buf_slice(&key));
    if (kept && kept->earlier)
        cw_tool_memory_must(cw_map_put(bare->seeds, kept->earlier->key, kept->earlier));
    pthread_mutex_unlock(&bare->lock);
    crawl_buf_free(&key);
    return kept;
}

/* Queues a kept seed by http. rest: its URL without the scheme. */
static void bare_seeds_try_http(crawl_engine *engine, crawl_seed *seed, crawl_slice rest, const crawl_record *record)
{
    crawl_error error = {0};
    seed->url = rest;
    crawl_url *url = cw_tool_memory_granted(crawl_url_create());
    crawl_err err = seed_by(engine, "http://", seed, url, &error);
    if (err && err != CRAWL_EXISTS)
        cw_message_say(CW_MESSAGE_ERROR, "http://%.*s: %s", (int)rest.size, rest.data, error.message);
    else
        cw_message_say(CW_MESSAGE_INFO, "%.*s: no answer by https (%s); trying http", (int)rest.size, rest.data,
                       record->error);
    crawl_url_free(url);
}

void cw_program_bare_seeds_record(cw_program_bare_seeds *bare, crawl_engine *engine, const crawl_record *record)
{
    crawl_slice rest = record->url;
    bare_seed *kept =
        record->parent.size || !cw_take_text(&rest, "https://") ? NULL : bare_seeds_take_kept(bare, record);
    if (!kept)
        return;
    if (is_unanswered(record))
        bare_seeds_try_http(engine, &kept->seed, rest, record);
    bare_seed_free(kept);
}
