/* The engine hooks of a crawl with outputs: each calls the spider's hook first, and then writes. See
 * <crawl/output.h>. */
#include "base/sized.h"
#include "config/config_values.h"
#include "crawler/output/output.h"

static crawl_err on_response(void *user, crawl_engine *engine, const crawl_record *record,
                             const crawl_response *response, const crawl_page *page)
{
    const crawl_engine_hooks *own = &((crawl_output *)user)->own;
    return own->on_response(own->user, engine, record, response, page);
}

static crawl_err on_depart(void *user, crawl_engine *engine, const crawl_exchange *exchange)
{
    crawl_output *output = user;
    const crawl_engine_hooks *own = &output->own;
    crawl_err err = own->on_depart ? own->on_depart(own->user, engine, exchange) : CRAWL_OK;
    return err ? err : cw_output_depart(output, exchange);
}

static crawl_err on_exchange(void *user, crawl_engine *engine, const crawl_exchange *exchange)
{
    crawl_output *output = user;
    const crawl_engine_hooks *own = &output->own;
    crawl_err err = own->on_exchange ? own->on_exchange(own->user, engine, exchange) : CRAWL_OK;
    return err ? err : cw_output_exchange(output, exchange);
}

static crawl_err on_link(void *user, crawl_engine *engine, const crawl_found *found, int32_t *priority)
{
    const crawl_engine_hooks *own = &((crawl_output *)user)->own;
    return own->on_link(own->user, engine, found, priority);
}

static crawl_err hooks_on_edge(void *user, crawl_engine *engine, const crawl_edge *edge)
{
    crawl_output *output = user;
    const crawl_engine_hooks *own = &output->own;
    crawl_err err = own->on_edge ? own->on_edge(own->user, engine, edge) : CRAWL_OK;
    return err ? err : cw_output_edge(output, edge);
}

/* A record is kept once both the spider and the output keep it; CRAWL_AGAIN from either means later. */
static crawl_err hooks_on_record(void *user, const crawl_record *record)
{
    crawl_output *output = user;
    const crawl_engine_hooks *own = &output->own;
    crawl_err err = own->on_record ? own->on_record(own->user, record) : CRAWL_OK;
    if (err && err != CRAWL_AGAIN)
        return err;
    crawl_err ours = cw_output_record(output, record);
    return ours ? ours : err;
}

static crawl_err on_idle(void *user, crawl_engine *engine)
{
    const crawl_engine_hooks *own = &((crawl_output *)user)->own;
    return own->on_idle(own->user, engine);
}

static void hooks_on_notice(void *user, crawl_engine *engine, const char *words)
{
    const crawl_engine_hooks *own = &((crawl_output *)user)->own;
    own->on_notice(own->user, engine, words);
}

static crawl_err hooks_on_tick(void *user, crawl_engine *engine)
{
    crawl_output *output = user;
    const crawl_engine_hooks *own = &output->own;
    crawl_err err = own->on_tick ? own->on_tick(own->user, engine) : CRAWL_OK;
    return err ? err : crawl_output_flush(output);
}

/* Sets expensive hooks only if the spider or a setting needs them. */
crawl_err crawl_output_hooks(crawl_output *output, const crawl_engine_hooks *spider, crawl_engine_hooks *hooks)
{
    const crawl_config *config = output->config;
    crawl_engine_hooks *own = &output->own;
    *own = (crawl_engine_hooks){.size = sizeof *own};
    if (spider && !cw_sized_copy(own, sizeof *own, spider))
        return CRAWL_EINVAL;
    if (hooks->size <= sizeof hooks->size || hooks->size > sizeof *hooks)
        return CRAWL_EINVAL;
    const crawl_engine_hooks all = {
        .size = sizeof(crawl_engine_hooks),
        .on_response = own->on_response ? on_response : NULL,
        .on_depart = own->on_depart || config->requests ? on_depart : NULL,
        .on_exchange = own->on_exchange || config->warc || config->requests ? on_exchange : NULL,
        .on_link = own->on_link ? on_link : NULL,
        .on_edge = own->on_edge || config->links ? hooks_on_edge : NULL,
        .on_record = hooks_on_record,
        .on_idle = own->on_idle ? on_idle : NULL,
        .on_notice = own->on_notice ? hooks_on_notice : NULL,
        .on_tick = hooks_on_tick,
        .user = output,
        .capture = own->capture || config->warc,
        .screenshots = own->screenshots || config->screenshots,
        .contents = own->contents,
        .digests = own->digests || config->bodies || (config->output && config->digest == CRAWL_DIGEST_SHA1),
    };
    cw_sized_fill(hooks, hooks->size, &all, sizeof all);
    return CRAWL_OK;
}

crawl_err crawl_output_engine_create(crawl_output *output, const crawl_engine_hooks *own, crawl_engine **out,
                                     crawl_error *error)
{
    crawl_engine_hooks hooks = {.size = sizeof hooks};
    if (crawl_output_hooks(output, own, &hooks))
        return cw_sized_refused(own, sizeof hooks, "crawl_engine_hooks", error);
    crawl_err err = crawl_engine_create(&output->of_engine, &hooks, out, error);
    if (!err)
        output->engine = *out;
    return err;
}
