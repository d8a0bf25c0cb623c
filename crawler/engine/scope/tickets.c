#include "crawler/engine/scope/tickets.h"

#include "crawler/engine/scope/scope.h"

#include <crawl/shared.h>

crawl_err cw_scope_tickets_name(crawl_slice host, uint64_t host_limit, uint64_t domain_limit, cw_scope_tickets *out)
{
    crawl_buf scratch = {0};
    crawl_err err = CRAWL_OK;
    *out = (cw_scope_tickets){.host_limit = host_limit, .domain_limit = domain_limit};
    if (host_limit)
        err = crawl_buf_printf(&out->host, "host %.*s", (int)host.size, host.data);
    if (!err && domain_limit) {
        crawl_slice domain = cw_scope_domain(host, &scratch);
        err = crawl_buf_printf(&out->domain, "domain %.*s", (int)domain.size, domain.data);
    }
    crawl_buf_free(&scratch);
    return err;
}

void cw_scope_tickets_free(cw_scope_tickets *of)
{
    crawl_buf_free(&of->host);
    crawl_buf_free(&of->domain);
}

static crawl_err tickets_take(crawl_frontier *frontier, const crawl_buf *name, uint64_t limit)
{
    return limit ? crawl_frontier_shared_page(frontier, crawl_buf_slice(name), limit) : CRAWL_OK;
}

static void tickets_give_back(crawl_frontier *frontier, const crawl_buf *name, uint64_t limit)
{
    if (limit)
        crawl_frontier_shared_page_back(frontier, crawl_buf_slice(name));
}

static crawl_err take_both(const cw_scope_tickets *of, crawl_frontier *frontier, crawl_trap *full)
{
    *full = CRAWL_TRAP_HOST_PAGES;
    crawl_err err = tickets_take(frontier, &of->host, of->host_limit);
    if (err)
        return err;
    *full = CRAWL_TRAP_DOMAIN_PAGES;
    err = tickets_take(frontier, &of->domain, of->domain_limit);
    if (err)
        tickets_give_back(frontier, &of->host, of->host_limit);
    return err;
}

crawl_err cw_scope_tickets_take(const cw_scope_tickets *of, crawl_frontier *frontier, crawl_trap *full)
{
    crawl_err err = take_both(of, frontier, full);
    if (err == CRAWL_FULL)
        return CRAWL_OK;
    *full = CRAWL_TRAP_NONE;
    return err;
}

void cw_scope_tickets_return(const cw_scope_tickets *of, crawl_frontier *frontier)
{
    tickets_give_back(frontier, &of->host, of->host_limit);
    tickets_give_back(frontier, &of->domain, of->domain_limit);
}
