/* See external_visit.h. */
#include "crawler/engine/visit/external_visit.h"

static bool needs_no_body(void *user, const crawl_response *response)
{
    (void)user;
    (void)response;
    return false;
}

void cw_visit_external_prepare(crawl_fetch_request *request)
{
    request->on_headers = needs_no_body;
}

/* 405 and 501 say that the server does not know HEAD. Servers that do not know it, or that keep robots away in this
 * way, also answer with the other statuses, or close the connection. */
bool cw_visit_external_wants_get(const cw_visit *visit, const crawl_response *response)
{
    static const int statuses[] = {400, 403, 404, 405, 406, 500, 501};
    if (!crawl_slice_equal(visit->lease.method, crawl_slice_from("HEAD")))
        return false;
    if (response->error == CRAWL_FETCH_RESET || response->error == CRAWL_FETCH_PROTOCOL)
        return true;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (response->status == statuses[i])
            return response->error == CRAWL_FETCH_OK;
    return false;
}

void cw_visit_external_count(crawl_engine *engine, int status)
{
    int group = status / 100;
    cw_engine_count(&engine->counters.external[group >= 1 && group <= 5 ? group : 0], 1);
}
