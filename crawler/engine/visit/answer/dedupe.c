/* See dedupe.h. A page costs its URL and about 120 bytes, and with SimHash another 100 to 200. */
#include "crawler/engine/visit/answer/dedupe.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/files/note_log.h"
#include "base/map.h"
#include "config/config_values.h"

#include <crawl/simhash.h>
#include <pthread.h>
#include <stdlib.h>

struct cw_visit_original {
    crawl_fingerprint digest;
    bool settled; /* in the log; guarded by the lock */
    bool has_simhash;
    uint32_t url_size;
    uint64_t simhash;
    char url[];
};

struct cw_visit_dedupe {
    pthread_mutex_t lock;
    cw_map *by_digest;
    crawl_simhash_index *by_text; /* NULL: texts are not compared */
    cw_visit_original **all;      /* never moved or changed until the end, so that URLs may be lent */
    size_t count;
    size_t capacity;
    size_t most;
    cw_note_log log; /* originals with a record */
};

crawl_err cw_visit_dedupe_create(const crawl_config *config, cw_visit_dedupe **out)
{
    cw_visit_dedupe *dedupe = calloc(1, sizeof *dedupe);
    if (!dedupe)
        return CRAWL_ENOMEM;
    pthread_mutex_init(&dedupe->lock, NULL);
    cw_note_log_init(&dedupe->log, CW_VISIT_BODIES_NOTE, CRAWL_NOTE_MAX);
    dedupe->most = config->dedupe_max_pages;
    dedupe->by_digest = cw_map_create((uintptr_t)dedupe);
    crawl_err err = dedupe->by_digest ? CRAWL_OK : CRAWL_ENOMEM;
    if (!err && config->dedupe == CRAWL_DEDUPE_NEAR)
        err = crawl_simhash_index_create(config->dedupe_distance, dedupe->most, &dedupe->by_text);
    if (err) {
        cw_visit_dedupe_free(dedupe);
        return err;
    }
    *out = dedupe;
    return CRAWL_OK;
}

void cw_visit_dedupe_free(cw_visit_dedupe *dedupe)
{
    if (!dedupe)
        return;
    for (size_t i = 0; i < dedupe->count; i++)
        free(dedupe->all[i]);
    free(dedupe->all);
    cw_map_free(dedupe->by_digest);
    crawl_simhash_index_free(dedupe->by_text);
    cw_note_log_free(&dedupe->log);
    pthread_mutex_destroy(&dedupe->lock);
    free(dedupe);
}

static crawl_slice dedupe_url_of(const cw_visit_original *page)
{
    return crawl_slice_of(page->url, page->url_size);
}

static crawl_slice dedupe_key_of(const crawl_fingerprint *digest)
{
    return crawl_slice_of(digest->bytes, sizeof digest->bytes);
}

/* Makes the page an original, if there is room. simhash NULL: its text is near another's, or is not compared. */
static crawl_err dedupe_remember(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest,
                                 const uint64_t *simhash)
{
    if (dedupe->count == dedupe->most || url.size > CW_VISIT_DEDUPE_MAX_URL)
        return CRAWL_OK;
    crawl_err err = CW_ARRAY_RESERVE(dedupe->all, dedupe->capacity, dedupe->count + 1, 256);
    cw_visit_original *page = err ? NULL : malloc(sizeof *page + url.size);
    if (!page)
        return CRAWL_ENOMEM;
    *page = (cw_visit_original){.digest = *digest,
                                .has_simhash = simhash != NULL,
                                .simhash = simhash ? *simhash : 0,
                                .url_size = (uint32_t)url.size};
    memcpy(page->url, url.data, url.size);
    err = cw_map_put(dedupe->by_digest, dedupe_key_of(&page->digest), page);
    if (err) {
        free(page);
        return err;
    }
    dedupe->all[dedupe->count++] = page;
    return simhash && dedupe->by_text
               ? crawl_simhash_index_add(dedupe->by_text, *simhash, (uint32_t)(dedupe->count - 1))
               : CRAWL_OK;
}

static crawl_err dedupe_ask(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest,
                            const uint64_t *simhash, cw_visit_dedupe_answer *answer)
{
    const cw_visit_original *same = cw_map_get(dedupe->by_digest, dedupe_key_of(digest));
    if (same) {
        if (!crawl_slice_equal(dedupe_url_of(same), url))
            answer->duplicate_of = dedupe_url_of(same);
        return CRAWL_OK;
    }
    uint32_t number;
    bool near =
        simhash && crawl_simhash_index_find(dedupe->by_text, *simhash, &number, &answer->distance) == CRAWL_EXISTS;
    if (near && !crawl_slice_equal(dedupe_url_of(dedupe->all[number]), url))
        answer->near_duplicate_of = dedupe_url_of(dedupe->all[number]);
    return dedupe_remember(dedupe, url, digest, near ? NULL : simhash);
}

crawl_err cw_visit_dedupe_ask(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest,
                              const uint64_t *simhash, cw_visit_dedupe_answer *answer)
{
    *answer = (cw_visit_dedupe_answer){0};
    pthread_mutex_lock(&dedupe->lock);
    crawl_err err = dedupe_ask(dedupe, url, digest, dedupe->by_text ? simhash : NULL, answer);
    pthread_mutex_unlock(&dedupe->lock);
    return err;
}

/* ---- originals that outlive the process ---- */

enum { DIGEST_SIZE = sizeof(crawl_fingerprint), HEAD_SIZE = DIGEST_SIZE + 1 + 8 };

static crawl_err dedupe_set_note(void *user, crawl_slice name, crawl_slice note)
{
    return crawl_frontier_note_set(user, name, note);
}

static crawl_err dedupe_add_entry(cw_visit_dedupe *dedupe, const cw_visit_original *page)
{
    char head[HEAD_SIZE];
    memcpy(head, page->digest.bytes, DIGEST_SIZE);
    head[DIGEST_SIZE] = page->has_simhash;
    cw_le_put(head + DIGEST_SIZE + 1, page->simhash, 8);
    return cw_note_log_add(&dedupe->log, crawl_slice_of(head, sizeof head), dedupe_url_of(page));
}

cw_visit_original *cw_visit_dedupe_original(cw_visit_dedupe *dedupe, crawl_slice url, const crawl_fingerprint *digest)
{
    pthread_mutex_lock(&dedupe->lock);
    cw_visit_original *page = cw_map_get(dedupe->by_digest, dedupe_key_of(digest));
    if (page && !crawl_slice_equal(dedupe_url_of(page), url))
        page = NULL;
    pthread_mutex_unlock(&dedupe->lock);
    return page;
}

crawl_err cw_visit_dedupe_settle(cw_visit_dedupe *dedupe, cw_visit_original *page)
{
    crawl_err err = CRAWL_OK;
    if (!page)
        return err;
    pthread_mutex_lock(&dedupe->lock);
    if (!page->settled) {
        err = dedupe_add_entry(dedupe, page);
        page->settled = !err;
    }
    pthread_mutex_unlock(&dedupe->lock);
    return err;
}

crawl_err cw_visit_dedupe_flush(cw_visit_dedupe *dedupe)
{
    return cw_note_log_flush(&dedupe->log);
}

typedef struct body_recalling {
    cw_visit_dedupe *dedupe;
    crawl_err err;
} body_recalling;

/* Takes over an original from its entry. If a body has two entries, the first counts. */
static bool dedupe_recall_entry(crawl_slice entry, void *user)
{
    body_recalling *r = user;
    crawl_fingerprint digest;
    if (entry.size < HEAD_SIZE) {
        r->err = CRAWL_ECORRUPT;
        return false;
    }
    memcpy(digest.bytes, entry.data, DIGEST_SIZE);
    const char *at = entry.data + DIGEST_SIZE;
    bool has_simhash = cw_le_get(&at, 1);
    uint64_t simhash = cw_le_get(&at, 8);
    if (cw_map_get(r->dedupe->by_digest, dedupe_key_of(&digest)))
        return true;
    r->err =
        dedupe_remember(r->dedupe, crawl_slice_of(at, entry.size - HEAD_SIZE), &digest, has_simhash ? &simhash : NULL);
    cw_visit_original *page = cw_map_get(r->dedupe->by_digest, dedupe_key_of(&digest));
    if (page)
        page->settled = true;
    return !r->err;
}

static bool dedupe_recall(crawl_slice name, crawl_slice note, void *user)
{
    body_recalling *r = user;
    crawl_err err = cw_note_log_read(&r->dedupe->log, name, note, dedupe_recall_entry, r);
    r->err = r->err ? r->err : err;
    return !r->err;
}

crawl_err cw_visit_dedupe_keep(cw_visit_dedupe *dedupe, crawl_frontier *frontier)
{
    body_recalling r = {.dedupe = dedupe};
    crawl_err err = crawl_frontier_notes(frontier, crawl_slice_from(CW_VISIT_BODIES_NOTE), dedupe_recall, &r);
    if (!err && !r.err)
        cw_note_log_keep(&dedupe->log, dedupe_set_note, frontier);
    return err ? err : r.err;
}
