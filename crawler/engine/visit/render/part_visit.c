#include "crawler/engine/visit/render/part_visit.h"

#include "crawler/engine/ending.h"
#include "crawler/engine/render/renders.h"
#include "crawler/engine/visit/visit.h"
#include "crawler/engine/visit/visit_lease.h"

static void part_visit_end(cw_visit *visit, const crawl_response *response, crawl_render_refusal refusal)
{
    if (cw_visit_engine(visit)->renders)
        cw_renders_part_end(cw_visit_engine(visit)->renders, visit->lease.memo, response, refusal);
    cw_visit_end(visit, CRAWL_DONE_FINISHED, 0);
}

bool cw_visit_part_is_wanted(const cw_visit *visit)
{
    const crawl_engine *engine = cw_visit_engine(visit);
    return engine->renders && cw_renders_part_is_wanted(engine->renders, visit->lease.memo);
}

static bool part_visit_finish(cw_visit *visit, const crawl_response *response, const cw_visit_retry_verdict *verdict)
{
    bool is_answer = !response->error && response->status;
    cw_visit_stay_away(visit, visit->host, verdict);
    part_visit_end(visit, is_answer ? response : NULL, crawl_render_refusal_of(response->error));
    return true;
}

static void part_visit_on_done(void *user, const crawl_response *response)
{
    cw_visit_done(user, response, part_visit_finish);
}

void cw_visit_part_ask(cw_visit *visit)
{
    crawl_engine *engine = cw_visit_engine(visit);
    crawl_fetch_request request = {.size = sizeof request,
                                   .method = visit->lease.method,
                                   .headers = visit->lease.headers,
                                   .body = visit->lease.body,
                                   .on_done = part_visit_on_done};
    crawl_buf_clear(&visit->part_of);
    crawl_err err =
        engine->renders ? cw_renders_part_begin(engine->renders, visit->lease.memo, &visit->part_of) : CRAWL_ABSENT;
    if (!err)
        err = cw_visit_send(visit, &request);
    if (err)
        part_visit_end(visit, NULL, CRAWL_RENDER_REFUSE_BLOCKED);
}

void cw_visit_part_refuse(cw_visit *visit)
{
    part_visit_end(visit, NULL, CRAWL_RENDER_REFUSE_BLOCKED);
}

void cw_visit_part_upgrade(cw_visit *visit)
{
    enum { TEMPORARY = 307 };
    crawl_buf target = {0};
    crawl_err err = crawl_buf_printf(&target, "https%.*s", (int)visit->lease.url.size - 4, visit->lease.url.data + 4);
    const crawl_header location = {.name = crawl_slice_from("Location"), .value = crawl_buf_slice(&target)};
    const crawl_response response = {
        .size = sizeof response, .status = TEMPORARY, .headers = &location, .header_count = 1};
    part_visit_end(visit, err ? NULL : &response, CRAWL_RENDER_REFUSE_BLOCKED);
    crawl_buf_free(&target);
}
