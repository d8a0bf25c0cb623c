/* See dedupe.h. A page costs its URL and some 120 bytes, with SimHash some 100 to 200 more. */
#include "crawler/dedupe.h"

#include "base/bytes.h"
#include "base/map.h"

#include <crawl/simhash.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct original {
    crawl_fingerprint digest;
    bool noted; /* it is kept, or being kept; under the lock */
    bool has_simhash;
    uint32_t url_size;
    uint64_t simhash;
    char url[];
} original;

struct cw_dedupe {
    pthread_mutex_t lock;
    cw_map *by_digest;
    crawl_simhash_index *by_text; /* NULL: of exact */
    original **all;               /* never moved or changed until the end, so that their URLs may be lent */
    size_t count;
    size_t capacity;
    size_t most;
    crawl_frontier *kept; /* NULL: originals are of this run alone */
};

crawl_err cw_dedupe_create(const crawl_config *config, cw_dedupe **out)
{
    cw_dedupe *dedupe = calloc(1, sizeof *dedupe);
    if (!dedupe)
        return CRAWL_ENOMEM;
    pthread_mutex_init(&dedupe->lock, NULL);
    dedupe->most = config->dedupe_max_pages;
    dedupe->by_digest = cw_map_create((uintptr_t)dedupe);
    crawl_err err = dedupe->by_digest ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && config->dedupe == CRAWL_DEDUPE_NEAR)
        err = crawl_simhash_index_create(config->dedupe_distance, dedupe->most, &dedupe->by_text);
    if (err) {
        cw_dedupe_free(dedupe);
        return err;
    }
    *out = dedupe;
    return CRAWL_OK;
}

void cw_dedupe_free(cw_dedupe *dedupe)
{
    if (!dedupe)
        return;
    for (size_t i = 0; i < dedupe->count; i++)
        free(dedupe->all[i]);
    free(dedupe->all);
    cw_map_free(dedupe->by_digest);
    crawl_simhash_index_free(dedupe->by_text);
    pthread_mutex_destroy(&dedupe->lock);
    free(dedupe);
}

static crawl_slice url_of(const original *page)
{
    return crawl_slice_of(page->url, page->url_size);
}

static crawl_slice key_of(const crawl_fingerprint *digest)
{
    return crawl_slice_of(digest->bytes, sizeof digest->bytes);
}

static crawl_err grow(cw_dedupe *dedupe)
{
    size_t capacity = dedupe->capacity ? dedupe->capacity * 2 : 256;
    original **all = reallocarray(dedupe->all, capacity, sizeof *all);
    if (!all)
        return CRAWL_ENOMEM;
    dedupe->all = all;
    dedupe->capacity = capacity;
    return CRAWL_OK;
}

/* simhash NULL: its text is that of another, or not compared. */
static crawl_err remember(cw_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest, const uint64_t *simhash)
{
    if (dedupe->count == dedupe->most || url.size > CW_DEDUPE_MAX_URL)
        return CRAWL_OK;
    crawl_err err = dedupe->count == dedupe->capacity ? grow(dedupe) : CRAWL_OK;
    original *page = err ? NULL : malloc(sizeof *page + url.size);
    if (!page)
        return CRAWL_ENOMEM;
    *page = (original){
        .digest = *digest, .has_simhash = simhash != NULL, .simhash = simhash ? *simhash : 0, .url_size = (uint32_t)url.size};
    memcpy(page->url, url.data, url.size);
    err = cw_map_put(dedupe->by_digest, key_of(&page->digest), page);
    if (err) {
        free(page);
        return err;
    }
    dedupe->all[dedupe->count++] = page;
    return simhash && dedupe->by_text ? crawl_simhash_index_add(dedupe->by_text, *simhash, (uint32_t)(dedupe->count - 1))
                                      : CRAWL_OK;
}

static crawl_err ask(cw_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest, const uint64_t *simhash,
                     cw_dedupe_answer *answer)
{
    const original *same = cw_map_get(dedupe->by_digest, key_of(digest));
    if (same) {
        if (!crawl_slice_equal(url_of(same), url))
            answer->duplicate_of = url_of(same);
        return CRAWL_OK;
    }
    uint32_t number;
    bool near = simhash && crawl_simhash_index_find(dedupe->by_text, *simhash, &number, &answer->distance) == CRAWL_EXISTS;
    if (near && !crawl_slice_equal(url_of(dedupe->all[number]), url))
        answer->near_duplicate_of = url_of(dedupe->all[number]);
    return remember(dedupe, url, digest, near ? NULL : simhash);
}

crawl_err cw_dedupe_ask(cw_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest, const uint64_t *simhash,
                        cw_dedupe_answer *answer)
{
    *answer = (cw_dedupe_answer){0};
    pthread_mutex_lock(&dedupe->lock);
    crawl_err err = ask(dedupe, url, digest, dedupe->by_text ? simhash : NULL, answer);
    pthread_mutex_unlock(&dedupe->lock);
    return err;
}

/* ---- originals that outlive the process ---- */

static crawl_err name_note(const crawl_fingerprint *digest, crawl_buf *out)
{
    char digits[41];
    crawl_fingerprint_hex(digest, digits);
    return crawl_buf_printf(out, CW_BODY_NOTE "%s", digits);
}

static crawl_err write_note(const original *page, crawl_buf *out)
{
    crawl_err err =
        page->has_simhash ? crawl_buf_printf(out, "%016" PRIx64 " ", page->simhash) : crawl_buf_append_text(out, "- ");
    return err ? err : crawl_buf_append(out, page->url, page->url_size);
}

/* The original with this body if it is this page, and nobody has kept it yet. */
static original *take_unnoted(cw_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest)
{
    pthread_mutex_lock(&dedupe->lock);
    original *page = cw_map_get(dedupe->by_digest, key_of(digest));
    bool due = page && !page->noted && crawl_slice_equal(url_of(page), url);
    if (due)
        page->noted = true;
    pthread_mutex_unlock(&dedupe->lock);
    return due ? page : NULL;
}

crawl_err cw_dedupe_settle(cw_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest)
{
    const original *page = dedupe->kept ? take_unnoted(dedupe, url, digest) : NULL;
    if (!page)
        return CRAWL_OK;
    crawl_buf name = {0};
    crawl_buf note = {0};
    crawl_err err = name_note(digest, &name);
    if (!err)
        err = write_note(page, &note);
    if (!err)
        err = crawl_frontier_note_set(dedupe->kept, crawl_buf_slice(&name), crawl_buf_slice(&note));
    crawl_buf_free(&name);
    crawl_buf_free(&note);
    return err;
}

/* false: no such note. *url is a slice of it. */
static bool read_note(crawl_slice name, crawl_slice note, crawl_fingerprint *digest, uint64_t *simhash, bool *has_simhash,
                      crawl_slice *url)
{
    crawl_buf bytes = {0};
    size_t prefix = sizeof CW_BODY_NOTE - 1;
    bool good = name.size == prefix + 40 && !cw_hex_decode(crawl_slice_of(name.data + prefix, 40), &bytes);
    if (good)
        memcpy(digest->bytes, bytes.data, sizeof digest->bytes);
    crawl_buf_clear(&bytes);
    *has_simhash = note.size >= 17 && note.data[16] == ' ' && !cw_hex_decode(crawl_slice_of(note.data, 16), &bytes);
    *simhash = 0;
    for (size_t i = 0; *has_simhash && i < 8; i++)
        *simhash = *simhash << 8 | (unsigned char)bytes.data[i];
    crawl_buf_free(&bytes);
    size_t head = *has_simhash ? 17 : 2;
    good = good && (*has_simhash || cw_starts_with(note, "- "));
    *url = good ? crawl_slice_of(note.data + head, note.size - head) : (crawl_slice){0};
    return good;
}

typedef struct recalling {
    cw_dedupe *dedupe;
    crawl_err err;
} recalling;

static bool recall(crawl_slice name, crawl_slice note, void *user)
{
    recalling *r = user;
    crawl_fingerprint digest;
    uint64_t simhash;
    bool has_simhash;
    crawl_slice url;
    if (!read_note(name, note, &digest, &simhash, &has_simhash, &url)) {
        r->err = CRAWL_ECORRUPT;
        return false;
    }
    r->err = remember(r->dedupe, url, &digest, has_simhash ? &simhash : NULL);
    original *page = cw_map_get(r->dedupe->by_digest, key_of(&digest));
    if (page)
        page->noted = true;
    return !r->err && r->dedupe->count < r->dedupe->most;
}

crawl_err cw_dedupe_keep(cw_dedupe *dedupe, crawl_frontier *frontier)
{
    recalling r = {.dedupe = dedupe};
    crawl_err err = crawl_frontier_notes(frontier, crawl_slice_from(CW_BODY_NOTE), recall, &r);
    dedupe->kept = err || r.err ? NULL : frontier;
    return err ? err : r.err;
}
