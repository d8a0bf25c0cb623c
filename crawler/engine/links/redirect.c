#include "crawler/engine/links/redirect.h"

#include "base/bytes.h"
#include "base/header.h"
#include "config/config_values.h"
#include "crawler/engine/engine_state.h"
#include "crawler/engine/links/edges.h"
#include "crawler/engine/links/follow.h"
#include "crawler/engine/links/link_kinds.h"
#include "crawler/engine/links/redirect_row.h"
#include "crawler/engine/parts.h"
#include "crawler/engine/tags.h"

static bool describes_body(crawl_slice name)
{
    static const char *const names[] = {"Content-Encoding", "Content-Language", "Content-Location", "Content-Type"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (cw_equal_nocase(name, crawl_slice_from(names[i])))
            return true;
    return false;
}

crawl_err cw_links_redirect_headers(crawl_slice headers, bool same_origin, bool becomes_get, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice name, value;
    while (headers.size && !err) {
        crawl_slice line = cw_cut_line(&headers);
        if (!cw_header_split(line, &name, &value))
            continue;
        bool goes_on = describes_body(name) ? !becomes_get : same_origin;
        if (goes_on)
            err = crawl_buf_printf(out, "%.*s\n", (int)line.size, line.data);
    }
    return err;
}

/* RFC 9110, 15.4: 303 turns everything except HEAD into GET; 301 and 302 turn POST into GET, as browsers do. */
static bool becomes_get(int status, crawl_slice method)
{
    if (status == 303)
        return !crawl_slice_equal(method, crawl_slice_from("HEAD"));
    return status <= 302 && crawl_slice_equal(method, crawl_slice_from("POST"));
}

/* Widens the scope by the target of a seed's redirect, which belongs to the crawl. */
static crawl_err redirect_widen(crawl_engine *engine, const crawl_url *target)
{
    crawl_err err = cw_scope_add(engine->scope, target);
    if (!err)
        err = cw_engine_state_keep_place(engine, target, false);
    if (err)
        cw_engine_fail(engine, err, "the scope cannot be widened");
    return err;
}

static crawl_edge_verdict redirect_push(cw_links_batch *batch, const cw_links_source *source,
                                        const cw_links_redirect *redirect, uint32_t tag)
{
    crawl_engine *engine = batch->judge->engine;
    const crawl_url *target = batch->judge->url;
    const crawl_lease *lease = source->lease;
    bool get = becomes_get(redirect->status, lease->method);
    crawl_request request = {
        .method = get ? (crawl_slice){0} : lease->method,
        .body = get ? (crawl_slice){0} : lease->body,
        .depth = lease->depth,
        .priority = lease->priority,
        .tag = tag | (lease->tag & CW_ENGINE_TAG_SEED),
        .any_depth = cw_links_requisites_is_part(tag),
    };
    crawl_buf headers = {0}, row = {0};
    /* Headers that identify the asker never leave their origin. */
    crawl_err err =
        cw_links_redirect_headers(lease->headers, cw_links_judge_is_origin(target, lease->origin), get, &headers);
    request.headers = crawl_buf_slice(&headers);
    if (!err)
        err = cw_links_redirect_row_trace(batch->judge, lease, target, request.method, redirect->sets_cookie, &request,
                                          &row);
    crawl_edge_verdict verdict = CRAWL_EDGE_REFUSED;
    if (err)
        cw_engine_fail(engine, err, "no memory for a redirect");
    else
        verdict = cw_links_batch_add(batch, target, &request, NULL, CRAWL_SITEMAP_NO_DATE);
    if (verdict == CRAWL_EDGE_NEW) {
        cw_links_batch_push(batch);
        verdict = cw_links_batch_fate(batch, 0);
    }
    crawl_buf_free(&headers);
    crawl_buf_free(&row);
    return verdict;
}

void cw_links_redirect_to_itself(cw_links_batch *batch, const cw_links_source *source)
{
    enum { SEE_OTHER = 303 };
    const crawl_lease *lease = source->lease;
    const cw_links_redirect redirect = {.status = SEE_OTHER, .location = lease->url, .sets_cookie = true};
    uint32_t redirects = (lease->tag & CW_ENGINE_TAG_REDIRECTS) + 1;
    if (redirects > batch->judge->engine->config->max_redirects ||
        crawl_url_parse(batch->judge->url, lease->url, NULL, NULL) ||
        cw_links_judge_canonical(batch->judge, batch->judge->url))
        return;
    cw_links_batch_begin(batch, source);
    (void)redirect_push(batch, source, &redirect, redirects | cw_links_requisites_inherited(lease->tag));
}

static crawl_edge_verdict redirect_follow(cw_links_batch *batch, const cw_links_source *source,
                                          const cw_links_redirect *redirect, crawl_slice *to)
{
    crawl_engine *engine = batch->judge->engine;
    crawl_url *target = batch->judge->url;
    const crawl_lease *lease = source->lease;
    crawl_err err = cw_links_judge_resolve(batch->judge, redirect->location, source->url, NULL, target);
    if (err)
        return err == CRAWL_REFUSED ? CRAWL_EDGE_NOT_HTTP : CRAWL_EDGE_NO_URL;
    *to = crawl_url_href(target);
    uint32_t redirects = (lease->tag & CW_ENGINE_TAG_REDIRECTS) + 1;
    if (redirects > engine->config->max_redirects)
        return CRAWL_EDGE_REDIRECTS;
    if (redirect->is_asked)
        return CRAWL_EDGE_SEEN;
    if (cw_links_external_is(lease->tag))
        return cw_links_external_ask(batch->judge, target, source, lease->depth, redirects, redirect->sets_cookie);
    bool is_seed = (lease->tag & CW_ENGINE_TAG_SEED) && !redirect->is_detour;
    uint32_t tag = cw_links_requisites_inherited(lease->tag);
    crawl_edge_verdict verdict = cw_links_requisites_is_part(tag)
                                     ? cw_links_judge_part(batch->judge, target)
                                     : cw_links_judge_verdict(batch->judge, target, is_seed);
    if (verdict == CRAWL_EDGE_SCOPE && cw_links_requisites_may_become_part(tag)) {
        tag = cw_links_requisites_tag_of(true, 1);
        verdict = cw_links_judge_part(batch->judge, target);
    }
    if (verdict == CRAWL_EDGE_SCOPE)
        cw_links_external_ask(batch->judge, target, source, lease->depth, redirects, redirect->sets_cookie);
    if (verdict != CRAWL_EDGE_NEW)
        return verdict;
    if (is_seed && redirect_widen(engine, target))
        return CRAWL_EDGE_REFUSED;
    cw_links_batch_begin(batch, source);
    return redirect_push(batch, source, redirect, redirects | tag);
}

crawl_edge_verdict cw_links_redirect_follow(cw_links_batch *batch, const cw_links_source *source,
                                            const cw_links_redirect *redirect, crawl_slice *to)
{
    *to = redirect->location;
    crawl_edge_verdict verdict = redirect_follow(batch, source, redirect, to);
    cw_links_edges_redirect(batch->judge->engine, source, *to, verdict);
    return verdict;
}
