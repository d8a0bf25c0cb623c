#include "crawler/engine/visit/site_file.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/host/sites.h"
#include "crawler/engine/scope/url_looks.h"
#include "crawler/engine/tags.h"
#include "crawler/engine/visit/visit.h"

/* site: the origin that the file is about; empty: the URL's. */
static crawl_err site_file_push(crawl_engine *engine, const cw_visit_site_file *file, crawl_slice url, crawl_slice site,
                                uint32_t redirects)
{
    crawl_request request = {.url = url, .body = site, .tag = file->tag | redirects};
    return crawl_frontier_push_urgent(engine->frontier, &request, cw_engine_now(engine));
}

/* The request comes before the block, which only its answer lifts. */
void cw_visit_site_file_ask(cw_visit *visit, const cw_visit_site_file *file)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_slice origin = visit->lease.origin;
    crawl_buf url = {0};
    int64_t now = cw_engine_now(engine);
    crawl_err err = crawl_buf_append(&url, origin.data, origin.size);
    if (!err)
        err = crawl_buf_append_text(&url, file->path);
    if (!err)
        err = site_file_push(engine, file, crawl_buf_slice(&url), (crawl_slice){0}, 0);
    if (!err)
        err = crawl_frontier_block(engine->frontier, origin, CRAWL_FOREVER, now);
    if (err)
        cw_engine_fail(engine, err, file->cannot_ask);
    crawl_buf_free(&url);
    cw_visit_end(visit, CRAWL_DONE_RETURN, now);
}

/* An earlier process may have left the request and ended before it blocked the host; the host is then blocked here. */
crawl_err cw_visit_site_file_take_over(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_slice named = visit->lease.body;
    bool is_own = !named.size || crawl_slice_equal(named, cw_host_record_origin(visit->host));
    bool first;
    visit->site = is_own ? visit->host : cw_host_table_get(engine->host_table, named);
    if (!visit->site)
        return CRAWL_ENOMEM;
    crawl_err err = cw_host_sites_asking(engine->sites, visit->site, &first);
    if (!err && first)
        err = crawl_frontier_block(engine->frontier, cw_host_record_origin(visit->site), CRAWL_FOREVER,
                                   cw_engine_now(engine));
    return err ? err : crawl_url_parse(visit->url, visit->lease.url, NULL, NULL);
}

/* Parses the target of a redirect. CRAWL_ABSENT: it leads nowhere. */
static crawl_err site_file_target(cw_visit *visit, const crawl_response *response, crawl_url *target)
{
    crawl_slice location = crawl_response_header(response, "Location");
    crawl_err err = location.data ? crawl_url_parse(target, location, visit->url, NULL) : CRAWL_ABSENT;
    if (!err)
        err = crawl_url_is_http(target) ? cw_scope_userinfo_take(target, NULL, NULL) : CRAWL_ABSENT;
    return err && err != CRAWL_ENOMEM ? CRAWL_ABSENT : err;
}

bool cw_visit_site_file_follow(cw_visit *visit, const crawl_response *response, const cw_visit_site_file *file)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_url *target = visit->maker->judge.url;
    uint32_t redirects = (visit->lease.tag & CW_ENGINE_TAG_REDIRECTS) + 1;
    crawl_err err = redirects > CW_HOST_ROBOTS_MAX_REDIRECTS ? CRAWL_ABSENT : site_file_target(visit, response, target);
    if (err == CRAWL_ABSENT)
        return false;
    if (!err)
        err = site_file_push(engine, file, crawl_url_request(target), cw_host_record_origin(visit->site), redirects);
    if (err)
        cw_engine_fail(engine, err, file->cannot_ask);
    return true;
}

void cw_visit_site_file_fail(cw_visit *visit, const cw_visit_site_file *file, crawl_err err)
{
    crawl_engine *engine = cw_visit_engine(visit);
    cw_engine_fail(engine, err, file->cannot_ask);
    cw_visit_end(visit, CRAWL_DONE_RETURN, cw_engine_now(engine));
}
