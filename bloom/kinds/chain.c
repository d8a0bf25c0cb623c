/* A chain of filters after Almeida, Baquero, Preguica and Hutchison, "Scalable Bloom Filters" (2007): when a filter is
 * full the next one is made, larger and with a smaller rate, so that the rates of all of them together stay below the
 * rate that was asked for. See chain.h; chain_grow.c for how it grows, sizing.c for the series, scan_loops.h for the
 * search.
 *
 * What holds at any time:
 * 1. filters >= 1 and target < filters; the filters before `filters` never move and never vanish, so that an index once
 *    given out by add stays right.
 * 2. A key is in one filter only: it was found in none when it was added.
 * 3. No filter holds more keys than its capacity, but for the newest of a chain that may not grow (max_bytes, or
 *    CW_CHAIN_MAX filters).
 * 4. While `quiet` is not 0 the target takes the next new key and nothing else has to be done for it. */
#include "bloom/kinds/chain.h"

#include <stdlib.h>

#include "bloom/kinds/scan.h"

static cw_chain *chain_of(crawl_bloom *bloom)
{
    return (cw_chain *)bloom;
}

crawl_err cw_chain_create(cw_cells cells, const crawl_bloom_options *options, crawl_bloom **out, crawl_error *error)
{
    cw_chain *chain;
    crawl_err err = cw_chain_start(cells, options, &chain);
    if (err)
        return crawl_error_set(error, err, "filter: no memory");
    err = cw_chain_first(chain, error);
    if (err) {
        cw_chain_destroy(&chain->bloom);
        return err;
    }
    *out = &chain->bloom;
    return CRAWL_OK;
}

void cw_chain_destroy(crawl_bloom *bloom)
{
    cw_chain *chain = chain_of(bloom);
    for (uint32_t f = 0; f < chain->filters; f++)
        cw_pages_free(&chain->filter[f].pages);
    cw_pages_free(&chain->next.pages);
    free(chain);
}

crawl_err cw_chain_add(crawl_bloom *bloom, cw_hash hash, uint32_t *where)
{
    cw_chain *chain = chain_of(bloom);
    if (chain->quiet == 0) {
        if (chain->scan->find(chain, hash))
            return CRAWL_EXISTS;
        crawl_err err = cw_chain_turn(chain);
        if (err)
            return err;
    }
    uint32_t unwanted;
    bool fresh = chain->scan->add(chain, hash);
    *(uint32_t *)cw_choose(fresh, where, &unwanted) = chain->target;
    return fresh ? CRAWL_OK : CRAWL_EXISTS;
}

/* After a change of the target: searches the rest of a batch anew, for keys that came earlier in it and went
 * elsewhere. */
static void search_rest(const cw_chain *chain, cw_batch *batch)
{
    cw_hash rest[CW_BATCH];
    uint8_t still[CW_BATCH];
    uint8_t *absent = batch->absent + batch->done;
    size_t count = batch->left - batch->done;
    for (size_t n = 0; n < count; n++)
        rest[n] = batch->hashes[absent[n]];
    size_t left = chain->scan->find_absent(chain, rest, count, still);
    for (size_t n = 0; n < left; n++)
        absent[n] = absent[still[n]]; /* still[n] >= n */
    batch->left = batch->done + left;
}

crawl_err cw_chain_add_many(crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *fresh, uint32_t *where)
{
    cw_chain *chain = chain_of(bloom);
    cw_batch batch;
    batch.hashes = hashes;
    batch.fresh = fresh;
    batch.where = where;
    batch.done = 0;
    memset(fresh, 0, count);
    batch.left = chain->scan->find_absent(chain, hashes, count, batch.absent);
    while (batch.done < batch.left) {
        uint32_t target = chain->target;
        crawl_err err = chain->quiet == 0 ? cw_chain_turn(chain) : CRAWL_OK;
        if (err)
            return err;
        if (chain->target != target && batch.done > 0)
            search_rest(chain, &batch);
        chain->scan->put_absent(chain, &batch);
    }
    return CRAWL_OK;
}

bool cw_chain_test(const crawl_bloom *bloom, cw_hash hash)
{
    const cw_chain *chain = (const cw_chain *)bloom;
    return chain->scan->find(chain, hash);
}

void cw_chain_test_many(const crawl_bloom *bloom, const cw_hash *hashes, size_t count, uint8_t *present)
{
    const cw_chain *chain = (const cw_chain *)bloom;
    uint8_t absent[CW_BATCH];
    size_t left = chain->scan->find_absent(chain, hashes, count, absent);
    memset(present, 1, count);
    for (size_t n = 0; n < left; n++)
        present[absent[n]] = 0;
}

uint32_t cw_chain_find(const crawl_bloom *bloom, cw_hash hash)
{
    const cw_chain *chain = (const cw_chain *)bloom;
    uint32_t f = chain->filters - 1;
    while (f && !cw_key_in(chain->cells, chain->filter[f].twice, cw_filter_block(chain->cells, &chain->filter[f], hash),
                           hash))
        f--;
    return f;
}

uint32_t cw_chain_filters(const crawl_bloom *bloom)
{
    return ((const cw_chain *)bloom)->filters;
}
