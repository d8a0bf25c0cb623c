/* Removing requests from the seen-set, at once or at a date. Every call begins by forgetting part of what is due; push,
 * which must know what is seen, forgets all of it, part by part. */
#include "frontier/forget.h"

#include "frontier/push/depths.h"

#define AT_ONCE 256u /* forgotten by one call, a fraction of a millisecond */

/* Returns true if the request can be removed from the seen-set; *where: the filter of the chain it is in. */
static bool seen_can_forget(const crawl_frontier *frontier, const cw_frontier_item *item, uint32_t *where)
{
    crawl_bloom_kind kind = crawl_bloom_kind_of(frontier->seen);
    *where = item->where;
    if (item->flags & CW_ITEM_URGENT || !crawl_bloom_kind_forgets(kind))
        return false;
    if (item->where != CW_FRONTIER_NOWHERE)
        return true;
    /* A false positive is not in the set, and forgetting it would harm other keys. Kinds without false positives
     * contain it. */
    *where = 0;
    return kind == CRAWL_BLOOM_EXACT || kind == CRAWL_BLOOM_DIGEST;
}

bool cw_frontier_date_of(const crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at,
                         cw_frontier_forget *out)
{
    *out = (cw_frontier_forget){.at = at,
                                .sequence = lease->sequence,
                                .fingerprint = cw_frontier_depths_key_of(&frontier->options, lease->item)};
    return at < CRAWL_FOREVER && seen_can_forget(frontier, lease->item, &out->where);
}

void cw_frontier_forget_lease(crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at, int64_t now)
{
    cw_frontier_forget entry;
    if (!cw_frontier_date_of(frontier, lease, at, &entry))
        return;
    if (at <= now) /* refused if a revisit of it was forgotten already */
        (void)crawl_bloom_forget(frontier->seen, entry.fingerprint.bytes, CRAWL_FINGERPRINT_SIZE, entry.where);
    else if (frontier->store.dates)
        frontier->store.dates->add(frontier, entry);
}

/* Takes the due entries, at most AT_ONCE, from the window. */
static size_t take_due(crawl_frontier *frontier, cw_frontier_forget *due)
{
    size_t count = 0;
    cw_frontier_forgets *forgets = &frontier->forgets;
    while (count < AT_ONCE && forgets->count && forgets->entries[0].at <= frontier->now)
        due[count++] = cw_frontier_forgets_take(forgets);
    return count;
}

bool cw_frontier_forget_due(crawl_frontier *frontier)
{
    cw_frontier_forget due[AT_ONCE];
    cw_frontier_forgets *forgets = &frontier->forgets;
    if (cw_frontier_failed(frontier) || (!forgets->count && !frontier->store.dates->read(frontier)))
        return false;
    size_t count = take_due(frontier, due);
    if (count && frontier->store.dates->forgotten(frontier, due, count)) {
        for (size_t i = 0; i < count; i++)
            cw_frontier_forgets_add(forgets, due[i]);
        return false;
    }
    for (size_t i = 0; i < count; i++)
        (void)crawl_bloom_forget(frontier->seen, due[i].fingerprint.bytes, CRAWL_FINGERPRINT_SIZE, due[i].where);
    return count > 0;
}
