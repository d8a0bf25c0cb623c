#include "crawler/engine/links/batch.h"

#include "base/bytes.h"
#include "config/config_values.h"
#include "crawler/engine/counters.h"
#include "crawler/engine/host/guard.h"
#include "crawler/engine/links/fate.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/scope/url_looks.h"

#include <stdlib.h>

cw_links_batch *cw_links_batch_create(cw_links_judge *judge)
{
    cw_links_batch *batch = calloc(1, sizeof *batch);
    if (batch)
        batch->judge = judge;
    return batch;
}

void cw_links_batch_free(cw_links_batch *batch)
{
    if (batch)
        crawl_buf_free(&batch->text);
    free(batch);
}

void cw_links_batch_begin(cw_links_batch *batch, const cw_links_source *source)
{
    const crawl_engine *engine = batch->judge->engine;
    batch->parent = source->lease->url;
    batch->at_seed_host = engine->config->order == CRAWL_ORDER_BEST && cw_host_guard_names(engine->guard, source->url);
    cw_links_batch_clear(batch);
}

void cw_links_batch_clear(cw_links_batch *batch)
{
    crawl_buf_clear(&batch->text);
    batch->size = 0;
}

int32_t cw_links_batch_worth(const cw_links_batch *batch, const crawl_url *url, uint32_t depth)
{
    bool best = batch->judge->engine->config->order == CRAWL_ORDER_BEST;
    return best ? cw_scope_score(url, depth, batch->at_seed_host) : 0;
}

/* The texts may move until the batch is pushed, so they get their addresses then. */
crawl_err cw_links_batch_put(cw_links_batch *batch, const crawl_url *url, const crawl_request *request)
{
    crawl_request *own = &batch->requests[batch->size];
    crawl_slice text = crawl_url_request(url);
    *own = *request;
    own->url.size = text.size;
    batch->at[batch->size] = batch->text.size;
    crawl_err err = cw_links_judge_fingerprint(batch->judge, request->method, request->body, &own->fingerprint);
    if (!err)
        err = crawl_buf_append(&batch->text, text.data, text.size);
    if (!err && request->memo.size)
        err = crawl_buf_append(&batch->text, request->memo.data, request->memo.size);
    batch->size += !err;
    return err;
}

static void batch_take_back(cw_links_batch *batch)
{
    batch->size--;
    batch->text.size = batch->at[batch->size];
}

/* Asks on_link about the last request. */
static crawl_err batch_ask(cw_links_batch *batch, const crawl_link *link, int64_t lastmod)
{
    crawl_engine *engine = batch->judge->engine;
    crawl_request *request = &batch->requests[batch->size - 1];
    if (!engine->hooks.on_link)
        return CRAWL_OK;
    crawl_found found = {
        .link = link,
        .parent = batch->parent,
        .url = crawl_slice_of(batch->text.data + batch->at[batch->size - 1], request->url.size),
        .canonical = crawl_buf_slice(&batch->judge->canonical),
        .fingerprint = request->fingerprint,
        .depth = request->depth,
        .lastmod = lastmod,
    };
    return engine->hooks.on_link(engine->hooks.user, engine, &found, &request->priority);
}

crawl_edge_verdict cw_links_batch_add(cw_links_batch *batch, const crawl_url *url, const crawl_request *request,
                                      const crawl_link *link, int64_t lastmod)
{
    crawl_engine *engine = batch->judge->engine;
    crawl_err err = cw_links_batch_put(batch, url, request);
    if (err) {
        cw_engine_fail(engine, err, "no memory for a link");
        return CRAWL_EDGE_REFUSED;
    }
    err = batch_ask(batch, link, lastmod);
    if (!err)
        return CRAWL_EDGE_NEW;
    batch_take_back(batch);
    if (err != CRAWL_REFUSED)
        cw_engine_fail(engine, err, "");
    return CRAWL_EDGE_REFUSED;
}

static void place_texts(cw_links_batch *batch)
{
    for (size_t i = 0; i < batch->size; i++) {
        crawl_request *request = &batch->requests[i];
        request->url.data = batch->text.data + batch->at[i];
        request->memo.data = request->url.data + request->url.size;
    }
}

crawl_err cw_links_batch_send(cw_links_batch *batch)
{
    crawl_engine *engine = batch->judge->engine;
    place_texts(batch);
    memset(batch->results, CRAWL_PUSHED_FULL, batch->size); /* for requests that a failing push does not reach */
    return crawl_frontier_push(engine->frontier, batch->requests, batch->size, batch->parent, batch->results, NULL,
                               cw_engine_now(engine));
}

void cw_links_batch_push(cw_links_batch *batch)
{
    crawl_engine *engine = batch->judge->engine;
    if (!batch->size)
        return;
    uint64_t queries = 0;
    int64_t began_us = cw_engine_disk_begin(engine);
    crawl_err err = cw_links_batch_send(batch);
    cw_engine_disk_end(engine, began_us);
    for (size_t i = 0; i < batch->size; i++)
        queries += batch->results[i] == CRAWL_PUSHED_NEW &&
                   cw_find_char(batch->requests[i].url, '?') < batch->requests[i].url.size;
    cw_engine_count(&engine->counters.queries, queries);
    if (err && err != CRAWL_FULL)
        cw_engine_fail(engine, err, "the frontier takes no more requests");
}

crawl_edge_verdict cw_links_batch_fate(const cw_links_batch *batch, size_t index)
{
    return cw_links_fate_of_push((crawl_pushed)batch->results[index]);
}
