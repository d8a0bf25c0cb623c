/* See receipts.h. A receipt may come before its visit is over, and even before the hook that took the record has
 * returned. So the first of these three events creates the entry of the lease. */
#include "crawler/engine/visit/receipts.h"

#include "base/map.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct owed_page {
    bool is_kept;            /* the receipt is there, and the visit is not over */
    cw_visit_ending *ending; /* NULL: the visit is not over */
    uint64_t lease;          /* the key */
} owed_page;

struct cw_visit_receipts {
    pthread_mutex_t lock; /* guards the map */
    cw_map *entries;
};

cw_visit_receipts *cw_visit_receipts_create(void)
{
    cw_visit_receipts *receipts = calloc(1, sizeof *receipts);
    if (!receipts)
        return NULL;
    receipts->entries = cw_map_create(0); /* strangers do not choose lease numbers */
    if (!receipts->entries) {
        free(receipts);
        return NULL;
    }
    pthread_mutex_init(&receipts->lock, NULL);
    return receipts;
}

void cw_visit_receipts_free(cw_visit_receipts *receipts)
{
    if (!receipts)
        return;
    size_t cursor = 0;
    for (owed_page *e = cw_map_next(receipts->entries, &cursor); e; e = cw_map_next(receipts->entries, &cursor))
        free(e->ending);
    cw_map_free_values(receipts->entries);
    pthread_mutex_destroy(&receipts->lock);
    free(receipts);
}

static crawl_slice receipts_key_of(const uint64_t *lease)
{
    return crawl_slice_of(lease, sizeof *lease);
}

/* Returns the entry of a lease, created if there is none yet. NULL: out of memory. */
static owed_page *receipts_find(cw_visit_receipts *receipts, uint64_t lease)
{
    owed_page *e = cw_map_get(receipts->entries, receipts_key_of(&lease));
    if (e)
        return e;
    e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->lease = lease;
    if (cw_map_put(receipts->entries, receipts_key_of(&e->lease), e)) {
        free(e);
        return NULL;
    }
    return e;
}

static cw_visit_ending *drop_entry(cw_visit_receipts *receipts, uint64_t lease)
{
    owed_page *e = cw_map_remove(receipts->entries, receipts_key_of(&lease));
    cw_visit_ending *ending = e ? e->ending : NULL;
    free(e);
    return ending;
}

crawl_err cw_visit_receipts_await(cw_visit_receipts *receipts, uint64_t lease)
{
    pthread_mutex_lock(&receipts->lock);
    crawl_err err = receipts_find(receipts, lease) ? CRAWL_OK : CRAWL_ENOMEM;
    pthread_mutex_unlock(&receipts->lock);
    return err;
}

/* Copies an ending and its memo into one allocation. */
static cw_visit_ending *receipts_copy(const cw_visit_ending *ending)
{
    cw_visit_ending *made = malloc(sizeof *made + ending->memo.size);
    if (!made)
        return NULL;
    *made = *ending;
    if (ending->memo.size)
        memcpy(made + 1, ending->memo.data, ending->memo.size);
    made->memo = crawl_slice_of((const char *)(made + 1), ending->memo.size);
    return made;
}

static crawl_err receipts_hold(cw_visit_receipts *receipts, const cw_visit_ending *ending)
{
    owed_page *e = receipts_find(receipts, ending->lease);
    if (!e)
        return CRAWL_ENOMEM;
    e->ending = e->is_kept ? NULL : receipts_copy(ending);
    if (e->ending)
        return CRAWL_OK;
    crawl_err err = e->is_kept ? CRAWL_EXISTS : CRAWL_ENOMEM;
    drop_entry(receipts, ending->lease);
    return err;
}

crawl_err cw_visit_receipts_hold(cw_visit_receipts *receipts, const cw_visit_ending *ending)
{
    pthread_mutex_lock(&receipts->lock);
    crawl_err err = receipts_hold(receipts, ending);
    pthread_mutex_unlock(&receipts->lock);
    return err;
}

void cw_visit_receipts_drop(cw_visit_receipts *receipts, uint64_t lease)
{
    pthread_mutex_lock(&receipts->lock);
    free(drop_entry(receipts, lease));
    pthread_mutex_unlock(&receipts->lock);
}

/* A receipt that comes before the visit has ended leaves a mark. Out of memory: the lease stays out, and the page is
 * asked for again when the crawl continues. */
static cw_visit_ending *receipts_take(cw_visit_receipts *receipts, uint64_t lease)
{
    owed_page *e = receipts_find(receipts, lease);
    if (e && e->ending)
        return drop_entry(receipts, lease);
    if (e)
        e->is_kept = true;
    return NULL;
}

cw_visit_ending *cw_visit_receipts_take(cw_visit_receipts *receipts, uint64_t lease)
{
    pthread_mutex_lock(&receipts->lock);
    cw_visit_ending *ending = receipts_take(receipts, lease);
    pthread_mutex_unlock(&receipts->lock);
    return ending;
}
