/* The guard against pages that come again under each value of a parameter: branches, sort orders, ways to show them.
 *
 * It learns from the answers of a host. A parameter is judged among the names of the parameters beside it. It changes
 * nothing when each of CW_SCOPE_VARIANTS_PROOF pages had one face (face.h) under two values of it, and never two: from
 * then on links that differ from a page that was asked for by such a parameter alone are left out. Of each path one
 * such link is asked for all the same. Two faces of one page end it: the parameter is never left out on that host
 * again. Learned in this process and run alone. */
#pragma once

#include <crawl/config.h>
#include <crawl/url.h>

#define CW_SCOPE_VARIANTS_PROOF 16u
/* Parameters of a URL, and of a host, that are looked at. URLs with more of them, and further ones of a host, are not
 * limited. */
#define CW_SCOPE_VARIANTS_PARAMS_MAX 8u
#define CW_SCOPE_VARIANTS_PER_HOST_MAX 32u
/* Hosts, and pages of all hosts while a parameter is in doubt or changes nothing, at some 100 bytes each. */
#define CW_SCOPE_VARIANTS_HOSTS_MAX 100000u
#define CW_SCOPE_VARIANTS_PAGES_MAX 500000u

/* Thread-safe. */
typedef struct cw_scope_variants cw_scope_variants;

/* config is borrowed. CRAWL_ENOMEM. */
crawl_err cw_scope_variants_create(const crawl_config *config, cw_scope_variants **out);
/* NULL does nothing. */
void cw_scope_variants_free(cw_scope_variants *variants);

/* Learns from an answer that came whole. date_ms: of the answer, since 1970. True, once: the first
 * parameter is found that changes nothing, and its name is appended to *name. */
bool cw_scope_variants_learn(cw_scope_variants *variants, const crawl_url *url, int status, crawl_slice body,
                             int64_t date_ms, crawl_buf *name);

/* May this URL, which was just found, be queued? */
bool cw_scope_variants_pass(cw_scope_variants *variants, const crawl_url *url);
