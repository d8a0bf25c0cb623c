/* Strict-Transport-Security (RFC 6797): hosts that have asked to be reached by https alone. */
#pragma once

#include <crawl/base.h>

/* Some 150 bytes each; further ones are not remembered, and their links are redirected as ever. */
#define CW_HOST_HSTS_MAX_HOSTS 100000u

typedef struct cw_host_hsts_policy {
    int64_t max_age_s; /* 0: no longer */
    bool subdomains;   /* the hosts below it too */
} cw_host_hsts_policy;

/* A field's value (section 6.1). False: it is none, and to be ignored. */
bool cw_host_hsts_parse(crawl_slice value, cw_host_hsts_policy *out);

/* Thread-safe. */
typedef struct cw_host_hsts cw_host_hsts;
cw_host_hsts *cw_host_hsts_create(void); /* NULL: no memory */
void cw_host_hsts_free(cw_host_hsts *hsts);

/* The policy of a host holds until then, milliseconds since 1970; one that ends sooner than the one before, as with
 * max-age=0, holds at once. CRAWL_EXISTS: it is known, and ends later by an eighth of its time, or by a day, at most;
 * CRAWL_FULL: too many hosts; CRAWL_REFUSED: an address, which can have none (section 8.1.1); CRAWL_ENOMEM. */
crawl_err cw_host_hsts_set(cw_host_hsts *hsts, crawl_slice host, int64_t now_ms, int64_t until_ms, bool subdomains);

/* Is this host, as a URL has it, to be reached by https (section 8.2)? */
bool cw_host_hsts_holds(cw_host_hsts *hsts, crawl_slice host, int64_t now_ms);

/* Grows whenever a policy begins, changes or ends before its time. */
uint32_t cw_host_hsts_changes(cw_host_hsts *hsts);
