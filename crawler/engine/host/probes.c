#include "crawler/engine/host/probes.h"

#include "base/map.h"

#include <crawl/simhash.h>
#include <pthread.h>
#include <stdlib.h>

/* The most bits in which a page may differ from an answer and still be like it. */
enum { NEAR_BITS = 3 };

typedef enum probe_state { PROBE_NONE, PROBE_ASKED, PROBE_PAGE, PROBE_REDIRECT } probe_state;

typedef struct probe_level {
    probe_state state;
    cw_host_probe_text text; /* of PROBE_PAGE */
    uint32_t target;         /* of PROBE_REDIRECT */
    bool is_met;             /* a page has redirected there */
} probe_level;

typedef struct probed_host {
    probe_level levels[CW_HOST_PROBES_LEVELS];
    cw_host_probe_text home;
    bool has_home;
    char origin[];
} probed_host;

struct cw_host_probes {
    pthread_mutex_t lock;
    cw_map *hosts;
};

cw_host_probes *cw_host_probes_create(void)
{
    cw_host_probes *probes = calloc(1, sizeof *probes);
    if (!probes)
        return NULL;
    pthread_mutex_init(&probes->lock, NULL);
    probes->hosts = cw_map_create((uint64_t)(uintptr_t)probes);
    if (probes->hosts)
        return probes;
    cw_host_probes_free(probes);
    return NULL;
}

void cw_host_probes_free(cw_host_probes *probes)
{
    if (!probes)
        return;
    cw_map_free_values(probes->hosts);
    pthread_mutex_destroy(&probes->lock);
    free(probes);
}

unsigned cw_host_probes_level(crawl_slice path)
{
    unsigned slashes = 0;
    for (size_t i = 0; i < path.size && path.data[i] != '?'; i++)
        slashes += path.data[i] == '/';
    unsigned level = slashes ? slashes - 1 : 0;
    return level < CW_HOST_PROBES_LEVELS ? level : CW_HOST_PROBES_LEVELS - 1;
}

static bool probes_are_alike(const cw_host_probe_text *a, const cw_host_probe_text *b)
{
    unsigned most = a->is_compared && b->is_compared ? NEAR_BITS : 0;
    return a->title == b->title && crawl_simhash_distance(a->simhash, b->simhash) <= most;
}

/* NULL: out of memory; then nothing is known of the host. */
static probed_host *probes_host(cw_host_probes *probes, crawl_slice origin)
{
    probed_host *host = cw_map_get(probes->hosts, origin);
    return host ? host : cw_map_make(probes->hosts, origin, sizeof *host, offsetof(probed_host, origin));
}

/* Returns true if the host answers for a page that cannot exist as it does for its home page. */
static bool answers_everything(const probed_host *host, const probe_level *level)
{
    return host->has_home && level->state == PROBE_PAGE && probes_are_alike(&host->home, &level->text);
}

bool cw_host_probes_judge(cw_host_probes *probes, crawl_slice origin, unsigned level, const cw_host_probe_text *text,
                          bool is_home, bool *ask)
{
    bool is_like = false;
    pthread_mutex_lock(&probes->lock);
    probed_host *host = probes_host(probes, origin);
    *ask = *ask && host;
    if (host && is_home && !host->has_home) {
        host->home = *text;
        host->has_home = true;
    }
    if (host) {
        probe_level *at = &host->levels[level];
        *ask = *ask && at->state == PROBE_NONE;
        at->state = *ask ? PROBE_ASKED : at->state;
        is_like =
            !is_home && at->state == PROBE_PAGE && probes_are_alike(text, &at->text) && !answers_everything(host, at);
    }
    pthread_mutex_unlock(&probes->lock);
    return is_like;
}

bool cw_host_probes_redirects(cw_host_probes *probes, crawl_slice origin, unsigned level, uint32_t target)
{
    pthread_mutex_lock(&probes->lock);
    probed_host *host = cw_map_get(probes->hosts, origin);
    probe_level *at = host ? &host->levels[level] : NULL;
    bool leads_there = at && at->state == PROBE_REDIRECT && at->target == target;
    bool is_like = leads_there && at->is_met;
    if (leads_there)
        at->is_met = true;
    pthread_mutex_unlock(&probes->lock);
    return is_like;
}

void cw_host_probes_answered(cw_host_probes *probes, crawl_slice origin, unsigned level, const cw_host_probe_text *text,
                             uint32_t target)
{
    pthread_mutex_lock(&probes->lock);
    probed_host *host = probes_host(probes, origin);
    if (host) {
        probe_level *at = &host->levels[level];
        at->state = text ? PROBE_PAGE : PROBE_REDIRECT;
        at->target = target;
        if (text)
            at->text = *text;
    }
    pthread_mutex_unlock(&probes->lock);
}
