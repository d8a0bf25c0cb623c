/* See explain.h. The world of a crawl that does not run: its keys, its scope, its seeds. */
#include "crawler/program/tools/explain/explain.h"

#include "crawler/program/seeds.h"

#include <stdlib.h>

static crawl_err no_memory(crawl_error *error)
{
    return crawl_error_set(error, CRAWL_ENOMEM, "%s", crawl_strerror(CRAWL_ENOMEM));
}

crawl_err cw_explain_open(cw_explain_world *world, const crawl_config *config, crawl_error *error)
{
    *world = (cw_explain_world){.config = config, .at_depth = -1};
    world->last = &world->first;
    crawl_err err = cw_key_open(config, &world->key, error);
    if (!err)
        err = cw_scope_create(config, &world->scope, error);
    if (err)
        return err;
    world->reader = cw_scope_reader_create(world->scope);
    err = cw_guard_create(config, &world->guard, error);
    if (err)
        return err;
    world->fingerprinter = crawl_fingerprinter_create();
    world->seeds = cw_map_create((uintptr_t)world);
    world->url = crawl_url_create();
    bool whole = world->reader && world->fingerprinter && world->seeds && world->url;
    return whole ? CRAWL_OK : no_memory(error);
}

void cw_explain_close(cw_explain_world *world)
{
    cw_explain_close_state(world);
    for (cw_explain_seed *seed; (seed = world->first);) {
        world->first = seed->next;
        free(seed);
    }
    cw_map_free(world->seeds);
    cw_scope_reader_free(world->reader);
    cw_scope_free(world->scope);
    cw_guard_free(world->guard);
    cw_key_close(&world->key);
    crawl_fingerprinter_free(world->fingerprinter);
    crawl_robots_free(world->robots);
    crawl_url_free(world->url);
    crawl_buf_free(&world->canonical);
}

/* --- seeds --- */

static crawl_slice fingerprint_slice(const crawl_fingerprint *fingerprint)
{
    return crawl_slice_of((const char *)fingerprint->bytes, sizeof fingerprint->bytes);
}

static crawl_err fingerprint_of(cw_explain_world *world, const crawl_seed *seed, crawl_fingerprint *out)
{
    crawl_err err = cw_key_canonical(&world->key, world->url, &world->canonical);
    return err ? err
               : cw_key_fingerprint(&world->key, world->fingerprinter, seed->method, crawl_buf_slice(&world->canonical),
                                    seed->body, out);
}

/* Of world->url. */
static cw_explain_seed *make_seed(const cw_explain_world *world, uint32_t depth, const crawl_fingerprint *fingerprint)
{
    crawl_slice place = cw_scope_place(world->reader, world->url);
    crawl_slice href = crawl_url_request(world->url);
    cw_explain_seed *seed = malloc(sizeof *seed + place.size + href.size);
    if (!seed)
        return NULL;
    *seed =
        (cw_explain_seed){.fingerprint = *fingerprint, .depth = depth, .place_size = place.size, .url_size = href.size};
    if (place.size)
        memcpy(seed->text, place.data, place.size);
    memcpy(seed->text + place.size, href.data, href.size);
    return seed;
}

static void append_seed(cw_explain_world *world, cw_explain_seed *seed)
{
    *world->last = seed;
    world->last = &seed->next;
}

static crawl_err keep(cw_explain_world *world, const crawl_seed *seed, const crawl_fingerprint *fingerprint)
{
    cw_explain_seed *kept = make_seed(world, seed->depth, fingerprint);
    if (!kept)
        return CRAWL_ENOMEM;
    crawl_err err = cw_map_put(world->seeds, fingerprint_slice(&kept->fingerprint), kept);
    if (err)
        free(kept);
    else
        append_seed(world, kept);
    return err;
}

crawl_err cw_explain_take_place(cw_explain_world *world, crawl_slice url, bool is_seed)
{
    crawl_err err = crawl_url_parse(world->url, url, NULL, NULL);
    if (!err)
        err = cw_scope_add(world->scope, world->url);
    if (!err && is_seed)
        err = cw_guard_name(world->guard, world->url);
    cw_explain_seed *place = err ? NULL : make_seed(world, 0, &(crawl_fingerprint){0});
    if (!err && !place)
        return CRAWL_ENOMEM;
    if (place)
        append_seed(world, place);
    return err == CRAWL_EPARSE ? CRAWL_ECORRUPT : err;
}

/* As crawl_engine_seed. */
crawl_err cw_explain_take_seed(void *user, const crawl_seed *seed, crawl_error *error)
{
    cw_explain_world *world = user;
    int shown = seed->url.size < 200 ? (int)seed->url.size : 200;
    if (seed->depth > world->config->depth)
        return crawl_error_set(error, CRAWL_EINVAL, "depth %u is beyond the crawl's depth of %u", seed->depth,
                               world->config->depth);
    crawl_err err = crawl_url_parse(world->url, seed->url, NULL, NULL);
    if (err == CRAWL_EPARSE)
        return crawl_error_set(error, err, "no absolute URL: %.*s", shown, seed->url.data);
    if (!err && !crawl_url_is_http(world->url))
        return crawl_error_set(error, CRAWL_EINVAL, "not http or https: %.*s", shown, seed->url.data);
    crawl_fingerprint fingerprint;
    if (!err)
        err = fingerprint_of(world, seed, &fingerprint);
    if (!err)
        err = cw_guard_name(world->guard, world->url);
    if (!err)
        err = cw_scope_add(world->scope, world->url);
    if (!err)
        err = keep(world, seed, &fingerprint);
    return err && err != CRAWL_EXISTS ? crawl_error_set(error, err, "%s", crawl_strerror(err)) : err;
}

/* --- a URL --- */

crawl_err cw_explain_look_up(cw_explain_world *world, cw_explain_url *url)
{
    crawl_err err = cw_key_canonical(&world->key, url->url, &url->canonical);
    if (!err)
        err = cw_key_fingerprint(&world->key, world->fingerprinter, (crawl_slice){0}, crawl_buf_slice(&url->canonical),
                                 (crawl_slice){0}, &url->fingerprint);
    if (!err)
        url->seed = cw_map_get(world->seeds, fingerprint_slice(&url->fingerprint));
    return err;
}
