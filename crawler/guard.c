/* See guard.h. */
#include "crawler/guard.h"

#include "base/map.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct host {
    struct host *next;
    char name[];
} host;

struct cw_guard {
    pthread_rwlock_t lock;
    cw_map *hosts;
    host *first;
};

cw_guard *cw_guard_create(void)
{
    cw_guard *guard = calloc(1, sizeof *guard);
    if (!guard)
        return NULL;
    guard->hosts = cw_map_create((uintptr_t)guard);
    if (!guard->hosts) {
        free(guard);
        return NULL;
    }
    pthread_rwlock_init(&guard->lock, NULL);
    return guard;
}

void cw_guard_free(cw_guard *guard)
{
    if (!guard)
        return;
    cw_map_free(guard->hosts);
    for (host *one; (one = guard->first);) {
        guard->first = one->next;
        free(one);
    }
    pthread_rwlock_destroy(&guard->lock);
    free(guard);
}

static crawl_err add(cw_guard *guard, crawl_slice name)
{
    if (cw_map_get(guard->hosts, name))
        return CRAWL_OK;
    host *one = malloc(sizeof *one + name.size);
    if (!one)
        return CRAWL_ENOMEM;
    memcpy(one->name, name.data, name.size);
    crawl_err err = cw_map_put(guard->hosts, crawl_slice_of(one->name, name.size), one);
    if (err) {
        free(one);
        return err;
    }
    one->next = guard->first;
    guard->first = one;
    return CRAWL_OK;
}

crawl_err cw_guard_name(cw_guard *guard, const crawl_url *url)
{
    pthread_rwlock_wrlock(&guard->lock);
    crawl_err err = add(guard, crawl_url_hostname(url));
    pthread_rwlock_unlock(&guard->lock);
    return err;
}

bool cw_guard_names(cw_guard *guard, const crawl_url *url)
{
    pthread_rwlock_rdlock(&guard->lock);
    bool named = cw_map_get(guard->hosts, crawl_url_hostname(url)) != NULL;
    pthread_rwlock_unlock(&guard->lock);
    return named;
}
