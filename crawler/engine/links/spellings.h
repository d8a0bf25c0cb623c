/* A cache of the verdicts on links that this worker met before. Most links of real pages are navigation: the same
 * spelling, on page after page of the same folder. The fate of such a link is remembered under a hash of its spelling,
 * the folder of its base and the encoding of its page. The next link with this spelling need not be resolved, given a
 * key and looked up in the seen-set. If a URL found again at a lower depth counts as new, the depth of the page is part
 * of the hash.
 *
 * Only stable verdicts are remembered, each until something happens that may change it: SCOPE until the scope is
 * widened, SEEN until a host has given all its pages or Redis has come back with older data, the verdict on an http
 * link until a host asks for https (Strict-Transport-Security). Other links are not remembered: a reference to the page
 * itself or to a query of it, a URL that was changed to https, a port, a limit, and seen URLs if the seen-set can
 * forget. With on_link, which is asked about each link, no link is remembered. So on_edge and the counts are the same
 * as without the cache. */
#pragma once

#include "crawler/engine/links/edges.h"

/* Memory per worker: 65,536 spellings of 16 bytes. */
#define CW_LINKS_SPELLINGS_BYTES ((size_t)1 << 20)

/* Single-thread. */
typedef struct cw_links_spellings cw_links_spellings;

/* engine is borrowed. *out stays NULL if nothing may be remembered. CRAWL_ENOMEM. */
crawl_err cw_links_spellings_create(const crawl_engine *engine, cw_links_spellings **out);
void cw_links_spellings_free(cw_links_spellings *spellings);

/* All functions below do nothing if spellings is NULL. */

/* Begins links of this list, in a page found at this depth. Call before each batch. */
void cw_links_spellings_begin(cw_links_spellings *spellings, const cw_links_list *list, uint32_t depth);

/* Prefetches the memory in which a link of this hash will be looked up soon. */
void cw_links_spellings_expect(const cw_links_spellings *spellings, cw_keyed_hash hash);
/* Returns the verdict on a link of this hash; NEW: unknown. */
crawl_edge_verdict cw_links_spellings_recall(cw_links_spellings *spellings, cw_keyed_hash hash);

/* Records the verdict on the link that was looked up last and not known; its URL is that of the batch's judge. NEW: its
 * request is the last of the batch. text: the link without its fragment. */
void cw_links_spellings_judged(cw_links_spellings *spellings, const cw_links_batch *batch, crawl_slice text,
                               crawl_edge_verdict verdict);

/* Records the fates of the batch's requests. Call after the batch was pushed. */
void cw_links_spellings_pushed(cw_links_spellings *spellings, const cw_links_batch *batch);
/* Tells the frontier, which counts them, how many links were recalled as seen since the last call. */
void cw_links_spellings_count(cw_links_spellings *spellings);
