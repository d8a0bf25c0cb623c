/* The hosts of a running crawl, for whoever watches it and changes how they are treated: what the queue and the gate
 * say about them, blocks, and delays. The gate keeps each change, and the frontier is notified. */
#include "base/clock.h"
#include "config/config_values.h"
#include "crawler/engine/engine_state.h"
#include "crawler/engine/host/pacing.h"
#include "crawler/engine/host/steer.h"
#include "crawler/engine/parts.h"

crawl_err crawl_engine_hosts(crawl_engine *engine, size_t *cursor,
                             bool (*each)(const crawl_held_host *host, void *user), void *user)
{
    return crawl_frontier_hosts(engine->frontier, cw_engine_now(engine), cursor, each, user);
}

crawl_err crawl_engine_host_get(crawl_engine *engine, crawl_slice origin, crawl_held_host *out)
{
    return crawl_frontier_host_get(engine->frontier, origin, cw_engine_now(engine), out);
}

crawl_err crawl_engine_host_pace(crawl_engine *engine, crawl_slice origin, crawl_host_pace *out)
{
    cw_host_record *host = cw_host_table_find(engine->host_table, origin);
    crawl_err err = host ? cw_host_steer_look(engine->pacer, host, cw_now_us(), out) : CRAWL_ABSENT;
    cw_host_record_release(host);
    return err;
}

/* Finds the record of an origin that the queue knows. Callers from outside name no other, and a typing error must not
 * create one. The caller releases the record. */
static crawl_err engine_hosts_find(crawl_engine *engine, crawl_slice origin, cw_host_record **out)
{
    crawl_held_host known;
    crawl_err err = crawl_engine_host_get(engine, origin, &known);
    return err ? err : cw_host_table_get_named(engine->host_table, origin, out);
}

crawl_err crawl_engine_block_host(crawl_engine *engine, crawl_slice origin, bool is_blocked)
{
    cw_host_record *host;
    int64_t now = cw_engine_now(engine);
    crawl_err err = engine_hosts_find(engine, origin, &host);
    if (err)
        return err;
    err = cw_host_steer_block(host, is_blocked);
    if (!err && is_blocked)
        err = cw_engine_state_keep_block(engine, origin, true);
    if (!err)
        err = crawl_frontier_block(engine->frontier, origin, cw_host_pacing_block(engine, host, now), now);
    if (!err && !is_blocked)
        err = cw_engine_state_keep_block(engine, origin, false);
    cw_host_record_release(host);
    return err;
}

static bool is_delay(int64_t delay_ms)
{
    return delay_ms >= 0 && delay_ms <= CRAWL_DELAY_MAX_MS;
}

/* The frontier learns each host's pause with the host's next answer. */
crawl_err crawl_engine_set_delay(crawl_engine *engine, int64_t delay_ms)
{
    if (engine->config->shared)
        return CRAWL_ESTATE;
    if (!is_delay(delay_ms))
        return CRAWL_EINVAL;
    cw_host_pacing_allow_wait(engine, delay_ms);
    cw_host_pacer_set_delay(engine->pacer, delay_ms * 1000);
    return CRAWL_OK;
}

crawl_err crawl_engine_set_host_delay(crawl_engine *engine, crawl_slice origin, int64_t delay_ms)
{
    cw_host_record *host;
    if (engine->config->shared)
        return CRAWL_ESTATE;
    if (delay_ms >= 0 && !is_delay(delay_ms))
        return CRAWL_EINVAL;
    crawl_err err = engine_hosts_find(engine, origin, &host);
    if (err)
        return err;
    cw_host_pacing_allow_wait(engine, delay_ms);
    err = cw_host_pacing_set_delay(engine, host, delay_ms);
    cw_host_record_release(host);
    return err;
}
