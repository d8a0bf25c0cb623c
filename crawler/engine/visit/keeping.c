#include "crawler/engine/visit/keeping.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/scope/keep.h"
#include "crawler/engine/visit/answer/headers.h"

/* Counts a URL on which a pattern took too many steps, and tells the user of the first. */
static void count_stopped(crawl_engine *engine, const char *pattern, crawl_slice url)
{
    crawl_buf words = {0};
    if (atomic_fetch_add(&engine->counters.keeps_stopped, 1) > 0)
        return;
    if (!crawl_buf_printf(&words,
                          "output.keep = %s: a match takes too many steps and is stopped; such URLs are kept, the "
                          "first is %.*s",
                          pattern, (int)url.size, url.data))
        cw_engine_notice(engine, &words);
    crawl_buf_free(&words);
}

static bool has_url(cw_visit *visit, const cw_scope_keep *keep)
{
    cw_visit_maker *maker = visit->maker;
    const char *stopped;
    if (cw_links_judge_canonical(&maker->judge, visit->url))
        return true; /* there is no memory: whatever needs some next ends the crawl */
    crawl_slice canonical = crawl_buf_slice(&maker->judge.canonical);
    bool has = cw_scope_keep_has_url(keep, maker->matcher, canonical, &stopped);
    if (stopped)
        count_stopped(maker->engine, stopped, canonical);
    return has;
}

void cw_visit_keeping_judge(cw_visit *visit, const crawl_response *response)
{
    const cw_scope_keep *keep = cw_visit_engine(visit)->keep;
    if (!keep) {
        visit->is_kept = true;
    } else if (response && response->status == 304 && visit->is_conditional) {
        visit->is_kept = cw_visit_revisit_read(visit->lease.memo).is_kept;
    } else {
        crawl_slice type = response ? cw_visit_headers_content_type(response) : (crawl_slice){0};
        visit->is_kept = cw_scope_keep_has_type(keep, type) && has_url(visit, keep);
    }
}
