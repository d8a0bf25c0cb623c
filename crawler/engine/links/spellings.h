/* The verdicts of links that this worker met before. Most links of real pages are navigation: the same spelling, on
 * page after page of the same folder. What became of such a link is remembered under a hash of its spelling, the folder
 * of its base and the encoding of its page, and the next one needs no resolving, no key and no look into the seen-set.
 *
 * Only verdicts that stay are remembered, each with the state of all that may still change it: a link out of scope
 * until the scope is widened, a seen one until a host has given all its pages, one by http until a host asks for https
 * (Strict-Transport-Security). What cannot be held so is not remembered: a reference to the page itself or to a query
 * of it, a URL that was made https, a port, a limit, and what was seen where the seen-set can forget. With on_link,
 * which is asked about each link, nothing is. So all that is told and counted is as it would be without. */
#ifndef CW_LINKS_SPELLINGS_H
#define CW_LINKS_SPELLINGS_H

#include "crawler/engine/links/edges.h"

/* Memory of one worker: 65,536 spellings of 16 bytes. */
#define CW_LINKS_SPELLINGS_BYTES ((size_t)1 << 20)

/* Single-thread. */
typedef struct cw_links_spellings cw_links_spellings;

/* engine is borrowed. CRAWL_ENOMEM; *out stays NULL: nothing may be remembered. */
crawl_err cw_links_spellings_create(const crawl_engine *engine, cw_links_spellings **out);
void cw_links_spellings_free(cw_links_spellings *spellings);

/* All below do nothing where spellings is NULL.
 *
 * Links of this list come next. Before each batch. */
void cw_links_spellings_begin(cw_links_spellings *spellings, const cw_links_list *list);

/* A link of this hash will be asked about soon. */
void cw_links_spellings_expect(const cw_links_spellings *spellings, cw_keyed_hash hash);
/* The verdict of a link of this hash; NEW: it is not known. */
crawl_edge_verdict cw_links_spellings_recall(cw_links_spellings *spellings, cw_keyed_hash hash);

/* The link that was asked about last was not known, and was judged: the URL of the batch's judge came to this verdict;
 * NEW: it is the last of the batch. text: the link without its fragment. */
void cw_links_spellings_judged(cw_links_spellings *spellings, const cw_links_batch *batch, crawl_slice text,
                               crawl_edge_verdict verdict);

/* The batch was pushed. */
void cw_links_spellings_pushed(cw_links_spellings *spellings, const cw_links_batch *batch);
/* Tells the frontier how many links were seen since the last time: it counts them. */
void cw_links_spellings_count(cw_links_spellings *spellings);

#endif
