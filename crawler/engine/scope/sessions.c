#include "crawler/engine/scope/sessions.h"

#include "base/keyed_hash.h"
#include "base/map.h"
#include "config/config_values.h"

#include <crawl/bloom.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct sessions_page {
    uint64_t count;
    char text[]; /* the hash that identifies it */
} sessions_page;

struct cw_scope_sessions {
    const crawl_config *config;
    crawl_drop_params *drop;
    pthread_mutex_t lock;
    cw_hash_secret secret;
    cw_map *pages;         /* by the hash of a URL without its session */
    crawl_bloom *counted;  /* URLs including their session */
    crawl_buf plain, bare; /* scratch */
};

static crawl_err create_counted(cw_scope_sessions *sessions)
{
    crawl_bloom_options options;
    crawl_bloom_options_init(&options);
    options.kind = CRAWL_BLOOM_DIGEST;
    options.capacity = 1000;
    options.max_bytes = CW_SCOPE_SESSIONS_BYTES_MAX;
    options.seed = sessions->secret.words[0];
    return crawl_bloom_create(&options, &sessions->counted, NULL);
}

crawl_err cw_scope_sessions_create(const crawl_config *config, cw_scope_sessions **out)
{
    cw_scope_sessions *sessions = calloc(1, sizeof *sessions);
    if (!sessions)
        return CRAWL_ENOMEM;
    sessions->config = config;
    pthread_mutex_init(&sessions->lock, NULL);
    cw_hash_secret_draw(&sessions->secret);
    sessions->pages = cw_map_create(sessions->secret.words[1]);
    crawl_err err = sessions->pages ? create_counted(sessions) : CRAWL_ENOMEM;
    if (!err)
        err = crawl_drop_params_create(crawl_slice_from("@sessions"), &sessions->drop, NULL);
    if (err)
        cw_scope_sessions_free(sessions);
    else
        *out = sessions;
    return err;
}

void cw_scope_sessions_free(cw_scope_sessions *sessions)
{
    if (!sessions)
        return;
    cw_map_free_values(sessions->pages);
    crawl_bloom_free(sessions->counted);
    crawl_drop_params_free(sessions->drop);
    crawl_buf_free(&sessions->plain);
    crawl_buf_free(&sessions->bare);
    pthread_mutex_destroy(&sessions->lock);
    free(sessions);
}

/* Returns true if the URL may contain a session: in the query, or in the path after ";" or "(". */
static bool may_have_session(const crawl_url *url)
{
    crawl_slice path = crawl_url_path(url);
    return crawl_url_has_query(url) ||
           (path.size && (memchr(path.data, ';', path.size) || memchr(path.data, '(', path.size)));
}

/* Writes the URL with and without its session. True: the two differ. */
static bool has_session(cw_scope_sessions *sessions, const crawl_url *url)
{
    const crawl_canonical_options plain = {.size = sizeof plain};
    const crawl_canonical_options bare = {.size = sizeof bare, .drop = sessions->drop};
    crawl_buf_clear(&sessions->plain);
    crawl_buf_clear(&sessions->bare);
    if (crawl_url_canonical_by(url, &plain, &sessions->plain) || crawl_url_canonical_by(url, &bare, &sessions->bare))
        return false;
    return !crawl_slice_equal(crawl_buf_slice(&sessions->plain), crawl_buf_slice(&sessions->bare));
}

/* Returns the page of a URL without its session. NULL: no room, or out of memory; then nothing limits it. */
static sessions_page *get_page(cw_scope_sessions *sessions)
{
    cw_keyed_hash hash = cw_keyed_hash_of(&sessions->secret, crawl_buf_slice(&sessions->bare));
    crawl_slice name = crawl_slice_of((const char *)&hash, sizeof hash);
    sessions_page *page = cw_map_get(sessions->pages, name);
    if (page || cw_map_count(sessions->pages) >= CW_SCOPE_SESSIONS_PAGES_MAX)
        return page;
    return cw_map_make(sessions->pages, name, sizeof *page + 1, offsetof(sessions_page, text));
}

static bool count_session(cw_scope_sessions *sessions)
{
    cw_keyed_hash hash = cw_keyed_hash_of(&sessions->secret, crawl_buf_slice(&sessions->plain));
    sessions_page *page = get_page(sessions);
    if (!page || crawl_bloom_test(sessions->counted, &hash, sizeof hash) != CRAWL_ABSENT)
        return true;
    if (page->count >= sessions->config->max_sessions)
        return false;
    page->count += crawl_bloom_add(sessions->counted, &hash, sizeof hash, NULL) == CRAWL_OK;
    return true;
}

bool cw_scope_sessions_pass(cw_scope_sessions *sessions, const crawl_url *url)
{
    const crawl_config *config = sessions->config;
    bool are_dropped = config->drop_params && strstr(config->drop_params, "@sessions"); /* all sessions are one page
                                                                                           then */
    if (!config->max_sessions || are_dropped || !may_have_session(url))
        return true;
    pthread_mutex_lock(&sessions->lock);
    bool passes = !has_session(sessions, url) || count_session(sessions);
    pthread_mutex_unlock(&sessions->lock);
    return passes;
}
