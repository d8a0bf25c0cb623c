/* Limits of pages in a crawl that processes share. All processes together may ask for a limited number of pages per
 * host name and per domain, and of queries per path. For each page a process takes one ticket from every counter with a
 * limit. */
#pragma once

#include <crawl/engine.h>
#include <crawl/frontier.h>

/* The counters that a page belongs to: its host, its domain and, for its query, its path. */
enum { CW_SCOPE_TICKETS = 3 };
typedef struct cw_scope_tickets {
    struct {
        uint64_t limit; /* 0: none */
        crawl_trap trap;
        crawl_buf name; /* its name in Redis; empty without a limit */
    } of[CW_SCOPE_TICKETS];
} cw_scope_tickets;

/* Fills in *out for a page of this host. path: its hash, the same in all processes. CRAWL_ENOMEM: *out must still be
 * freed. */
crawl_err cw_scope_tickets_name(crawl_slice host, uint64_t host_limit, uint64_t domain_limit, uint64_t path,
                                uint64_t path_limit, cw_scope_tickets *out);
void cw_scope_tickets_free(cw_scope_tickets *of);

/* Takes the tickets of a page, all or none. *full: the limit that is reached; CRAWL_TRAP_NONE: the tickets are taken.
 * CRAWL_AGAIN: Redis is being asked, and no ticket is taken yet. CRAWL_ENOMEM. */
crawl_err cw_scope_tickets_take(const cw_scope_tickets *of, crawl_frontier *frontier, crawl_trap *full);
/* Gives back the tickets of a page that is not asked for after all. */
void cw_scope_tickets_return(const cw_scope_tickets *of, crawl_frontier *frontier);
