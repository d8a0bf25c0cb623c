#include "crawler/engine/scope/tickets.h"

#include "crawler/engine/scope/scope.h"

#include <crawl/sys/shared.h>
#include <inttypes.h>

crawl_err cw_scope_tickets_name(crawl_slice host, uint64_t host_limit, uint64_t domain_limit, uint64_t path,
                                uint64_t path_limit, cw_scope_tickets *out)
{
    crawl_buf scratch = {0};
    crawl_err err = CRAWL_OK;
    *out = (cw_scope_tickets){{{.limit = host_limit, .trap = CRAWL_TRAP_HOST_PAGES},
                               {.limit = domain_limit, .trap = CRAWL_TRAP_DOMAIN_PAGES},
                               {.limit = path_limit, .trap = CRAWL_TRAP_QUERIES}}};
    if (host_limit)
        err = crawl_buf_printf(&out->of[0].name, "host %.*s", (int)host.size, host.data);
    if (!err && domain_limit) {
        crawl_slice domain = cw_scope_domain(host, &scratch);
        err = crawl_buf_printf(&out->of[1].name, "domain %.*s", (int)domain.size, domain.data);
    }
    if (!err && path_limit)
        err = crawl_buf_printf(&out->of[2].name, "path %016" PRIx64, path);
    crawl_buf_free(&scratch);
    return err;
}

void cw_scope_tickets_free(cw_scope_tickets *of)
{
    for (size_t i = 0; i < CW_SCOPE_TICKETS; i++)
        crawl_buf_free(&of->of[i].name);
}

static void tickets_give_back(const cw_scope_tickets *of, size_t count, crawl_frontier *frontier)
{
    for (size_t i = 0; i < count; i++)
        if (of->of[i].limit)
            crawl_frontier_shared_page_back(frontier, crawl_buf_slice(&of->of[i].name));
}

crawl_err cw_scope_tickets_take(const cw_scope_tickets *of, crawl_frontier *frontier, crawl_trap *full)
{
    *full = CRAWL_TRAP_NONE;
    for (size_t i = 0; i < CW_SCOPE_TICKETS; i++) {
        crawl_slice name = crawl_buf_slice(&of->of[i].name);
        crawl_err err = of->of[i].limit ? crawl_frontier_shared_page(frontier, name, of->of[i].limit) : CRAWL_OK;
        if (!err)
            continue;
        tickets_give_back(of, i, frontier);
        *full = err == CRAWL_FULL ? of->of[i].trap : CRAWL_TRAP_NONE;
        return err == CRAWL_FULL ? CRAWL_OK : err;
    }
    return CRAWL_OK;
}

void cw_scope_tickets_return(const cw_scope_tickets *of, crawl_frontier *frontier)
{
    tickets_give_back(of, CW_SCOPE_TICKETS, frontier);
}
