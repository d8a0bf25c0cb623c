/* The guard against pages that appear again under each value of a parameter: branches, sort orders, display modes.
 *
 * It learns from the answers of a host. A parameter is judged together with the names of the parameters beside it. It
 * changes nothing if each of CW_SCOPE_VARIANTS_PROOF pages had one face (face.h) under two values of it, and no page
 * ever had two faces. From then on, links that differ only by such a parameter from a page that was asked for are left
 * out, except one per path. Two faces of one page end this: the parameter is never left out on that host again. Learnt
 * only in this process and run. */
#pragma once

#include <crawl/config.h>
#include <crawl/url.h>

#define CW_SCOPE_VARIANTS_PROOF 16u
/* The most parameters that are considered per URL and per host. A URL with more of them is not limited, nor are further
 * parameters of a host. */
#define CW_SCOPE_VARIANTS_PARAMS_MAX 8u
#define CW_SCOPE_VARIANTS_PER_HOST_MAX 32u
/* The most hosts, and the most pages of all hosts whose parameter is in doubt or changes nothing, at about 100 bytes
 * each. */
#define CW_SCOPE_VARIANTS_HOSTS_MAX 100000u
#define CW_SCOPE_VARIANTS_PAGES_MAX 500000u

/* Thread-safe. */
typedef struct cw_scope_variants cw_scope_variants;

/* config is borrowed. CRAWL_ENOMEM. */
crawl_err cw_scope_variants_create(const crawl_config *config, cw_scope_variants **out);
/* NULL does nothing. */
void cw_scope_variants_free(cw_scope_variants *variants);

/* Learns from a complete answer. date_ms: the date of the answer, since 1970. Returns true only once, when the first
 * parameter that changes nothing is found; its name is then appended to *name. */
bool cw_scope_variants_learn(cw_scope_variants *variants, const crawl_url *url, int status, crawl_slice body,
                             int64_t date_ms, crawl_buf *name);

/* Returns true if this newly found URL may be queued. */
bool cw_scope_variants_pass(cw_scope_variants *variants, const crawl_url *url);
