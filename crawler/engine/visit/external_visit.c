#include "crawler/engine/visit/external_visit.h"

/* Only where the body may be that of a wall, which is not to be taken for a broken link. */
static bool external_needs_body(void *user, const crawl_response *response)
{
    static const int statuses[] = {403, 404, 405, 406, 428, 429, 503};
    (void)user;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (response->status == statuses[i])
            return true;
    return false;
}

void cw_visit_external_prepare(crawl_fetch_request *request)
{
    request->on_headers = external_needs_body;
}

/* Would the link be reported for this answer? Servers that do not know HEAD, or that keep robots away by it, answer it
 * with any status, redirect it, say nothing or close the connection. */
bool cw_visit_external_wants_get(const cw_visit *visit, const crawl_response *response)
{
    if (!crawl_slice_equal(visit->lease.method, crawl_slice_from("HEAD")))
        return false;
    bool is_there = response->status >= 200 && response->status < 300;
    return response->error == CRAWL_FETCH_OK
               ? !is_there
               : response->error == CRAWL_FETCH_RESET || response->error == CRAWL_FETCH_PROTOCOL ||
                     response->error == CRAWL_FETCH_TIMEOUT;
}

void cw_visit_external_count(crawl_engine *engine, int status)
{
    int group = status / 100;
    cw_engine_count(&engine->counters.external[group >= 1 && group <= 5 ? group : 0], 1);
}
