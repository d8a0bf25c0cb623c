/* See depths.h. A key is the fingerprint with the depth added to its last byte, so that depth 0 keeps the fingerprint,
 * and a fingerprint has as many keys as there are depths. A mark of a key is the key with one of its first bytes
 * inverted. */
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

crawl_fingerprint cw_frontier_depths_mark(const crawl_fingerprint *fingerprint, uint32_t depth, unsigned number)
{
    crawl_fingerprint mark = key_at(fingerprint, depth);
    mark.bytes[number] = (uint8_t)~mark.bytes[number];
    return mark;
}

static bool depths_has(const crawl_bloom *seen, const crawl_fingerprint *key)
{
    return crawl_bloom_test(seen, key->bytes, CRAWL_FINGERPRINT_SIZE) == CRAWL_EXISTS;
}

/* Returns the first depth in [from, end) at which the request was found. end: none. */
static uint32_t depths_first(const crawl_bloom *seen, const crawl_fingerprint *fingerprint, uint32_t from, uint32_t end)
{
    for (uint32_t depth = from; depth < end; depth++) {
        crawl_fingerprint key = key_at(fingerprint, depth);
        if (depths_has(seen, &key))
            return depth;
    }
    return end;
}

static uint32_t depths_capped(uint32_t depth)
{
    return depth < CRAWL_DEPTHS_MAX ? depth : CRAWL_DEPTHS_MAX;
}

bool cw_frontier_depths_found_nearer(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                     uint32_t depth, uint32_t *at)
{
    uint32_t end = depths_capped(depth);
    *at = frontier->options.by_depth ? depths_first(frontier->seen, fingerprint, 0, end) : end;
    return *at < end;
}

void cw_frontier_depths_reach(crawl_frontier *frontier, uint32_t depth)
{
    depth = depths_capped(depth);
    frontier->deepest = depth > frontier->deepest ? depth : frontier->deepest;
}

bool cw_frontier_depths_found_deeper(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                     uint32_t depth)
{
    uint32_t end = frontier->deepest + 1;
    return depths_first(frontier->seen, fingerprint, depths_capped(depth) + 1, end) < end;
}

static bool depths_has_marks(const crawl_bloom *seen, const crawl_fingerprint *fingerprint, uint32_t depth)
{
    bool has = true;
    for (unsigned i = 0; i < CW_FRONTIER_MARKS && has; i++) {
        crawl_fingerprint mark = cw_frontier_depths_mark(fingerprint, depth, i);
        has = depths_has(seen, &mark);
    }
    return has;
}

bool cw_frontier_depths_is_marked_nearer(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint,
                                         uint32_t depth)
{
    uint32_t end = frontier->options.by_depth ? depths_capped(depth) : 0;
    for (uint32_t at = 0; at < end; at++) {
        at = depths_first(frontier->seen, fingerprint, at, end);
        if (at < end && depths_has_marks(frontier->seen, fingerprint, at))
            return true;
    }
    return false;
}

crawl_err cw_frontier_depths_find(const crawl_frontier_options *options, const crawl_bloom *seen,
                                  const crawl_fingerprint *fingerprint, crawl_bloom_found *where)
{
    crawl_err err = CRAWL_ABSENT;
    uint32_t end = options->by_depth ? CRAWL_DEPTHS_MAX + 1 : 1;
    for (uint32_t depth = 0; depth < end && err == CRAWL_ABSENT; depth++) {
        crawl_fingerprint key = key_at(fingerprint, depth);
        err = where ? crawl_bloom_find(seen, key.bytes, CRAWL_FINGERPRINT_SIZE, where)
                    : crawl_bloom_test(seen, key.bytes, CRAWL_FINGERPRINT_SIZE);
    }
    return err;
}
