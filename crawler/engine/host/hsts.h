/* Strict-Transport-Security (RFC 6797): hosts that want to be reached by https only. */
#pragma once

#include <crawl/base.h>

/* A host takes about 150 bytes. Hosts beyond the maximum are not remembered; their links are redirected as before. */
#define CW_HOST_HSTS_MAX_HOSTS 100000u

typedef struct cw_host_hsts_policy {
    int64_t max_age_s; /* 0: the policy ends */
    bool subdomains;   /* it includes the hosts below */
} cw_host_hsts_policy;

/* Parses a field value (section 6.1). False: malformed, to be ignored. */
bool cw_host_hsts_parse(crawl_slice value, cw_host_hsts_policy *out);

/* Thread-safe. */
typedef struct cw_host_hsts cw_host_hsts;
cw_host_hsts *cw_host_hsts_create(void); /* NULL: out of memory */
void cw_host_hsts_free(cw_host_hsts *hsts);

/* Sets the policy of a host until until_ms, in milliseconds since 1970. A policy that ends sooner than the present one,
 * as with max-age=0, takes effect at once. CRAWL_EXISTS: the policy is known, and its end moves by less than an eighth
 * of the time left and by less than a day, or there is none to end; CRAWL_FULL: too many hosts; CRAWL_REFUSED: an
 * address, which can have no policy (section 8.1.1); CRAWL_ENOMEM. */
crawl_err cw_host_hsts_set(cw_host_hsts *hsts, crawl_slice host, int64_t now_ms, int64_t until_ms, bool subdomains);

/* Returns true if this host, as a URL spells it, must be reached by https (section 8.2). */
bool cw_host_hsts_holds(cw_host_hsts *hsts, crawl_slice host, int64_t now_ms);

/* Returns a number that grows whenever a policy begins, changes or ends early. */
uint32_t cw_host_hsts_changes(cw_host_hsts *hsts);
