/* See depths.h. A key is the fingerprint with the depth added to its last byte, so that depth 0 keeps the fingerprint,
 * and a fingerprint has as many keys as there are depths. */
#include "frontier/push/depths.h"

static crawl_fingerprint key_at(const crawl_fingerprint *fingerprint, uint32_t depth)
{
    crawl_fingerprint key = *fingerprint;
    key.bytes[CRAWL_FINGERPRINT_SIZE - 1] += (uint8_t)(depth < CRAWL_DEPTHS_MAX ? depth : CRAWL_DEPTHS_MAX);
    return key;
}

crawl_fingerprint cw_frontier_depths_key(const crawl_frontier_options *options, const crawl_fingerprint *fingerprint,
                                         uint32_t depth)
{
    return options->by_depth ? key_at(fingerprint, depth) : *fingerprint;
}

crawl_fingerprint cw_frontier_depths_key_of(const crawl_frontier_options *options, const cw_frontier_item *item)
{
    return cw_frontier_depths_key(options, &item->fingerprint, item->flags & CW_ITEM_ANY_DEPTH ? 0 : item->depth);
}

static crawl_err find_below(const crawl_bloom *seen, const crawl_fingerprint *fingerprint, uint32_t end,
                            crawl_bloom_found *where)
{
    crawl_err err = CRAWL_ABSENT;
    for (uint32_t depth = 0; depth < end && err == CRAWL_ABSENT; depth++) {
        crawl_fingerprint key = key_at(fingerprint, depth);
        err = where ? crawl_bloom_find(seen, key.bytes, CRAWL_FINGERPRINT_SIZE, where)
                    : crawl_bloom_test(seen, key.bytes, CRAWL_FINGERPRINT_SIZE);
    }
    return err;
}

bool cw_frontier_depths_found_nearer(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                     uint32_t depth)
{
    uint32_t end = depth < CRAWL_DEPTHS_MAX ? depth : CRAWL_DEPTHS_MAX;
    return frontier->options.by_depth && find_below(frontier->seen, fingerprint, end, NULL) == CRAWL_EXISTS;
}

crawl_err cw_frontier_depths_find(const crawl_frontier_options *options, const crawl_bloom *seen,
                                  const crawl_fingerprint *fingerprint, crawl_bloom_found *where)
{
    return find_below(seen, fingerprint, options->by_depth ? CRAWL_DEPTHS_MAX + 1 : 1, where);
}
