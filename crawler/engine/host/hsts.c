#include "crawler/engine/host/hsts.h"

#include "base/bytes.h"
#include "base/map.h"
#include "base/net.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A hundred years: long enough. */
#define MAX_AGE_S ((int64_t)100 * 366 * 86400)

typedef struct policy_host {
    int64_t until_ms;
    bool subdomains;
    char name[];
} policy_host;

struct cw_host_hsts {
    pthread_rwlock_t lock;
    cw_map *hosts;
    atomic_uint changes;
};

/* ---- the header field ---- */

/* Cuts the next directive off *rest; a ";" within quotes does not end it. */
static crawl_slice cut_directive(crawl_slice *rest)
{
    size_t size = 0;
    for (bool quoted = false; size < rest->size && (quoted || rest->data[size] != ';'); size++)
        quoted = quoted != (rest->data[size] == '"');
    crawl_slice directive = cw_trim(crawl_slice_of(rest->data, size));
    size += size < rest->size;
    *rest = crawl_slice_of(rest->data + size, rest->size - size);
    return directive;
}

static bool parse_age(crawl_slice value, int64_t *out)
{
    if (value.size > 1 && value.data[0] == '"' && value.data[value.size - 1] == '"')
        value = crawl_slice_of(value.data + 1, value.size - 2);
    int64_t age = 0;
    for (size_t i = 0; i < value.size; i++) {
        if (!cw_is_digit((unsigned char)value.data[i]))
            return false;
        age = age < MAX_AGE_S ? age * 10 + (value.data[i] - '0') : age;
    }
    *out = age < MAX_AGE_S ? age : MAX_AGE_S;
    return value.size > 0;
}

bool cw_host_hsts_parse(crawl_slice value, cw_host_hsts_policy *out)
{
    cw_host_hsts_policy policy = {.max_age_s = -1};
    while (value.size) {
        crawl_slice directive = cut_directive(&value);
        const char *equals = directive.size ? memchr(directive.data, '=', directive.size) : NULL;
        size_t size = equals ? (size_t)(equals - directive.data) : directive.size;
        crawl_slice name = cw_trim(crawl_slice_of(directive.data, size));
        if (cw_equal_nocase(name, crawl_slice_from("includeSubDomains"))) {
            policy.subdomains = true;
        } else if (cw_equal_nocase(name, crawl_slice_from("max-age"))) {
            if (!equals || policy.max_age_s >= 0 ||
                !parse_age(cw_trim(crawl_slice_of(equals + 1, directive.size - size - 1)), &policy.max_age_s))
                return false;
        }
    }
    if (policy.max_age_s < 0)
        return false;
    *out = policy;
    return true;
}

/* ---- hosts ---- */

cw_host_hsts *cw_host_hsts_create(void)
{
    cw_host_hsts *hsts = calloc(1, sizeof *hsts);
    if (!hsts)
        return NULL;
    hsts->hosts = cw_map_create((uintptr_t)hsts);
    if (!hsts->hosts) {
        free(hsts);
        return NULL;
    }
    pthread_rwlock_init(&hsts->lock, NULL);
    return hsts;
}

void cw_host_hsts_free(cw_host_hsts *hsts)
{
    if (!hsts)
        return;
    cw_map_free_values(hsts->hosts);
    pthread_rwlock_destroy(&hsts->lock);
    free(hsts);
}

/* CRAWL_EXISTS: the policy has ended already. */
static crawl_err hsts_add(cw_host_hsts *hsts, crawl_slice name, int64_t now_ms, int64_t until_ms, bool subdomains)
{
    if (until_ms <= now_ms)
        return CRAWL_EXISTS;
    if (cw_map_count(hsts->hosts) >= CW_HOST_HSTS_MAX_HOSTS)
        return CRAWL_FULL;
    policy_host *one = cw_map_make(hsts->hosts, name, sizeof *one, offsetof(policy_host, name));
    if (!one)
        return CRAWL_ENOMEM;
    one->until_ms = until_ms;
    one->subdomains = subdomains;
    return CRAWL_OK;
}

/* Returns the least extension worth noting: each answer repeats the policy, and so extends it a little. */
static int64_t least_more_ms(int64_t left_ms)
{
    enum { PART = 8 };
    const int64_t day_ms = (int64_t)86400 * 1000;
    return left_ms / PART < day_ms ? left_ms / PART : day_ms;
}

static crawl_err renew(policy_host *one, int64_t now_ms, int64_t until_ms, bool subdomains)
{
    bool repeats = until_ms >= one->until_ms && until_ms - one->until_ms < least_more_ms(until_ms - now_ms);
    if ((repeats || until_ms == one->until_ms) && one->subdomains == subdomains)
        return CRAWL_EXISTS;
    one->until_ms = until_ms;
    one->subdomains = subdomains;
    return CRAWL_OK;
}

crawl_err cw_host_hsts_set(cw_host_hsts *hsts, crawl_slice name, int64_t now_ms, int64_t until_ms, bool subdomains)
{
    if (cw_address_is_host(name))
        return CRAWL_REFUSED;
    pthread_rwlock_wrlock(&hsts->lock);
    policy_host *one = cw_map_get(hsts->hosts, name);
    crawl_err err = one ? renew(one, now_ms, until_ms, subdomains) : hsts_add(hsts, name, now_ms, until_ms, subdomains);
    if (!err)
        atomic_fetch_add(&hsts->changes, 1);
    pthread_rwlock_unlock(&hsts->lock);
    return err;
}

uint32_t cw_host_hsts_changes(cw_host_hsts *hsts)
{
    return atomic_load(&hsts->changes);
}

bool cw_host_hsts_holds(cw_host_hsts *hsts, crawl_slice name, int64_t now_ms)
{
    bool holds = false;
    if (cw_address_is_host(name))
        return false;
    pthread_rwlock_rdlock(&hsts->lock);
    const policy_host *one = cw_map_count(hsts->hosts) ? cw_map_get(hsts->hosts, name) : NULL;
    holds = one && now_ms < one->until_ms;
    for (size_t i = 1; i < name.size && !holds && cw_map_count(hsts->hosts); i++) {
        one = name.data[i - 1] == '.' ? cw_map_get(hsts->hosts, crawl_slice_of(name.data + i, name.size - i)) : NULL;
        holds = one && one->subdomains && now_ms < one->until_ms;
    }
    pthread_rwlock_unlock(&hsts->lock);
    return holds;
}
