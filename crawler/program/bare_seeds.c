/* See bare_seeds.h. A seed is known by its https URL until its record comes. A resumed run knows only the seeds that it
 * is given again. */
#include "crawler/program/bare_seeds.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/map.h"
#include "tools/common/messages/message.h"
#include "tools/common/refused_memory.h"

#include <pthread.h>
#include <stdlib.h>

struct cw_program_bare_seeds {
    pthread_mutex_t lock;
    cw_map *seeds; /* https URLs; each is its own key and value */
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

void cw_program_bare_seeds_free(cw_program_bare_seeds *bare)
{
    if (!bare)
        return;
    cw_map_free_values(bare->seeds);
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

/* Keeps the URL of a seed until its record comes. */
static void bare_seeds_keep(cw_program_bare_seeds *bare, crawl_slice url)
{
    pthread_mutex_lock(&bare->lock);
    if (!bare->count++)
        cw_tool_memory_must(crawl_buf_append(&bare->first, url.data, url.size));
    if (!cw_map_get(bare->seeds, url)) {
        char *copy = cw_tool_memory_granted(strndup(url.data, url.size));
        cw_tool_memory_must(cw_map_put(bare->seeds, crawl_slice_from(copy), copy));
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
    if (!err)
        bare_seeds_keep(bare, crawl_url_request(url));
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

static bool bare_seeds_take_kept(cw_program_bare_seeds *bare, crawl_slice url)
{
    pthread_mutex_lock(&bare->lock);
    void *kept = cw_map_remove(bare->seeds, url);
    pthread_mutex_unlock(&bare->lock);
    free(kept);
    return kept;
}

void cw_program_bare_seeds_record(cw_program_bare_seeds *bare, crawl_engine *engine, const crawl_record *record)
{
    crawl_error error = {0};
    crawl_slice rest = record->url;
    if (record->parent.size || !bare_seeds_take_kept(bare, record->url) || !is_unanswered(record) ||
        !cw_take_text(&rest, "https://"))
        return;
    crawl_seed seed = {.size = sizeof seed, .url = rest, .depth = record->depth};
    crawl_url *url = cw_tool_memory_granted(crawl_url_create());
    crawl_err err = seed_by(engine, "http://", &seed, url, &error);
    if (err && err != CRAWL_EXISTS)
        cw_message_say(CW_MESSAGE_ERROR, "http://%.*s: %s", (int)rest.size, rest.data, error.message);
    else
        cw_message_say(CW_MESSAGE_INFO, "%.*s: no answer by https (%s); trying http", (int)rest.size, rest.data,
                       record->error);
    crawl_url_free(url);
}
