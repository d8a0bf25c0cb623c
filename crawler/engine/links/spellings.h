/* The verdicts on links that this worker met before. Most links of real pages are navigation: the same spelling, on
 * page after page of the same folder. The fate of such a link is remembered under a hash of its spelling, the folder
 * of its base and the encoding of its page. The next link of this spelling need not be resolved, given a key and looked
 * for in the seen-set. Where a URL that comes nearer is new again, the depth of the page is a part of the hash.
 *
 * Only verdicts that stay are remembered, and each only until something happens that may change it: SCOPE until the
 * scope is widened, SEEN until a host has given all its pages or Redis has come back with older data, the verdict on a
 * link by http until a host asks for https (Strict-Transport-Security). Nothing is remembered of other links: a
 * reference to the page itself or to a query of it, a URL that was made https, a port, a limit, and what was seen where
 * the seen-set can forget. With on_link, which is asked about each link, no link is remembered. So what is told and
 * counted is the same as without all this.
 */
#pragma once

#include "crawler/engine/links/edges.h"

/* Memory of one worker: 65,536 spellings of 16 bytes. */
#define CW_LINKS_SPELLINGS_BYTES ((size_t)1 << 20)

/* Single-thread. */
typedef struct cw_links_spellings cw_links_spellings;

/* engine is borrowed. CRAWL_ENOMEM; *out stays NULL: nothing may be remembered. */
crawl_err cw_links_spellings_create(const crawl_engine *engine, cw_links_spellings **out);
void cw_links_spellings_free(cw_links_spellings *spellings);

/* All calls below do nothing where spellings is NULL. */

/* To be called before each batch: links of this list, in a page found at this depth, come next. */
void cw_links_spellings_begin(cw_links_spellings *spellings, const cw_links_list *list, uint32_t depth);

/* Has the memory fetched in which a link of this hash will be looked for soon. */
void cw_links_spellings_expect(const cw_links_spellings *spellings, cw_keyed_hash hash);
/* The verdict on a link of this hash; NEW: it is not known. */
crawl_edge_verdict cw_links_spellings_recall(cw_links_spellings *spellings, cw_keyed_hash hash);

/* Takes the verdict on the link that was asked about last and was not known; its URL is that of the batch's judge. NEW:
 * its request is the last of the batch. text: the link without its fragment. */
void cw_links_spellings_judged(cw_links_spellings *spellings, const cw_links_batch *batch, crawl_slice text,
                               crawl_edge_verdict verdict);

/* To be called when the batch was pushed: takes the fates of its requests. */
void cw_links_spellings_pushed(cw_links_spellings *spellings, const cw_links_batch *batch);
/* Tells the frontier how many links were recalled as seen since the last time, because it counts them. */
void cw_links_spellings_count(cw_links_spellings *spellings);
