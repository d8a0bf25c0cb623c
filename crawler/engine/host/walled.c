#include "crawler/engine/host/walled.h"

#include "base/array.h"

#include <crawl/frontier.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct walled_host {
    cw_host_record *host;
    const char *service;
} walled_host;

struct cw_host_walled {
    pthread_mutex_t lock; /* taken before the lock of a record */
    walled_host *hosts;
    size_t count;
    size_t room;
};

cw_host_walled *cw_host_walled_create(void)
{
    cw_host_walled *walled = calloc(1, sizeof *walled);
    if (walled)
        pthread_mutex_init(&walled->lock, NULL);
    return walled;
}

void cw_host_walled_free(cw_host_walled *walled)
{
    if (!walled)
        return;
    pthread_mutex_destroy(&walled->lock);
    free(walled->hosts);
    free(walled);
}

crawl_err cw_host_walled_add(cw_host_walled *walled, cw_host_record *host, const char *service)
{
    enum { FIRST = 16 };
    pthread_mutex_lock(&walled->lock);
    crawl_err err = CW_ARRAY_RESERVE(walled->hosts, walled->room, walled->count + 1, FIRST);
    if (!err)
        walled->hosts[walled->count++] = (walled_host){host, service};
    pthread_mutex_unlock(&walled->lock);
    return err;
}

/* Returns true if the host is given up for its walls. A block by the operator outlasts that. */
static bool walled_waits(cw_host_record *host)
{
    if (!host)
        return false;
    cw_host_record_lock(host);
    bool waits = cw_host_pace_is_walled(&host->gate.pace) && !host->gate.blocked;
    cw_host_record_unlock(host);
    return waits;
}

static cw_host_walled_queue walled_count(const cw_host_walled *walled, crawl_frontier *frontier, int64_t now_ms)
{
    cw_host_walled_queue queue = {0};
    for (size_t i = 0; i < walled->count; i++) {
        cw_host_record *host = walled->hosts[i].host;
        crawl_held_host held;
        if (!walled_waits(host) || crawl_frontier_host_get(frontier, cw_host_record_origin(host), now_ms, &held))
            continue;
        queue.hosts += held.queued > 0;
        queue.requests += held.queued;
    }
    return queue;
}

cw_host_walled_queue cw_host_walled_queued(cw_host_walled *walled, crawl_frontier *frontier, int64_t now_ms)
{
    pthread_mutex_lock(&walled->lock);
    cw_host_walled_queue queue = walled_count(walled, frontier, now_ms);
    pthread_mutex_unlock(&walled->lock);
    return queue;
}

void cw_host_walled_lift(cw_host_walled *walled, crawl_frontier *frontier, int64_t now_ms)
{
    for (size_t i = 0; i < walled->count; i++)
        if (walled_waits(walled->hosts[i].host))
            (void)crawl_frontier_block(frontier, cw_host_record_origin(walled->hosts[i].host), now_ms, now_ms);
}

/* Returns how many hosts are behind this service. */
static size_t walled_share(const cw_host_walled *walled, const char *service)
{
    size_t hosts = 0;
    for (size_t i = 0; i < walled->count; i++)
        hosts += strcmp(walled->hosts[i].service, service) == 0;
    return hosts;
}

/* Returns the service that more than half of the hosts are behind, found by the majority vote of Boyer and Moore; "":
 * none. */
static const char *walled_most(const cw_host_walled *walled)
{
    const char *most = "";
    size_t votes = 0;
    for (size_t i = 0; i < walled->count; i++) {
        const char *service = walled->hosts[i].service;
        if (!votes)
            most = service;
        votes += strcmp(most, service) == 0 ? 1 : (size_t)-1;
    }
    return walled_share(walled, most) * 2 > walled->count ? most : "";
}

void cw_host_walled_stats(cw_host_walled *walled, crawl_frontier *frontier, int64_t now_ms, crawl_engine_stats *out)
{
    pthread_mutex_lock(&walled->lock);
    out->walled_hosts = walled->count;
    out->walled_queued = walled_count(walled, frontier, now_ms).requests;
    snprintf(out->walled_by, sizeof out->walled_by, "%s", walled_most(walled));
    pthread_mutex_unlock(&walled->lock);
}
