/* The guard against sites without end: calendars, paths that grow by their own links, queries in all combinations,
 * hosts made of one database.
 *
 * A URL is judged by its look when it is found (its shape, see url_looks.h, and the queries of its path), and is not
 * queued if it is beyond a limit. A page counts for its host and its domain when it is asked for, so that links which
 * were seen or refused count for nothing; once a limit is reached, links to the host are not queued any more, and what
 * is queued is refused. Each refusal has the name of the setting that it is by. A durable frontier keeps the counts of
 * pages and queries for all runs. In a crawl that processes share, pages and queries are counted for
 * all of them, by tickets (tickets.h), when they are asked for. */
#pragma once

#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>
#include <crawl/frontier.h>
#include <crawl/url.h>

/* The most paths whose queries are counted, at some 90 bytes each, and the most memory for queries, at 12 to 24 bytes
 * each. The queries of further paths are not limited. */
#define CW_SCOPE_TRAP_PATHS_MAX 1000000u
#define CW_SCOPE_TRAP_QUERY_BYTES_MAX ((uint64_t)256 << 20)
/* The most hosts, and the most domains, whose pages are counted, at some 120 bytes each. Further ones are not limited.
 */
#define CW_SCOPE_TRAP_PLACES_MAX 10000000u

/* Thread-safe. */
typedef struct cw_scope_trap cw_scope_trap;

/* config is borrowed. CRAWL_ENOMEM. */
crawl_err cw_scope_trap_create(const crawl_config *config, cw_scope_trap **out);
void cw_scope_trap_free(cw_scope_trap *trap);

/* Takes the limits of hosts from their rules, where a section has one. hosts is borrowed. */
void cw_scope_trap_set_hosts(cw_scope_trap *trap, cw_host_book *hosts);

/* May this URL, which was just found, be queued? Counts its query. canonical: its canonical form. */
crawl_trap cw_scope_trap_check(cw_scope_trap *trap, const crawl_url *url, crawl_slice canonical);

/* In a crawl that processes share, where queries have a limit: what the page with this canonical form counts for by its
 * query; otherwise 0. */
uint64_t cw_scope_trap_path(cw_scope_trap *trap, crawl_slice canonical);

/* To be called before a page of this host is asked for: counts it for the host's name and domain, and for its path
 * unless that is 0, unless a limit is reached. The record of the host points to the counts from then on, so the trap
 * guard must be freed after its last use. CRAWL_AGAIN: Redis is being asked, and nothing was counted; otherwise
 * CRAWL_OK, and *out says which limit is reached. */
crawl_err cw_scope_trap_take(cw_scope_trap *trap, cw_host_record *host, uint64_t path, crawl_trap *out);
/* Takes the count of a page back that was not asked for after all. */
void cw_scope_trap_return(cw_scope_trap *trap, cw_host_record *host, uint64_t path);
/* To be called when a page was asked for and is over: where counts are kept, it counts in the runs to come. This must
 * be done before the frontier is told, so that a process that ends in between has counted a page too many, not too few.
 * Errors as those of crawl_frontier_note_set. */
crawl_err cw_scope_trap_settle(cw_scope_trap *trap, cw_host_record *host);

/* A number that grows whenever a host or a domain has reached its limit of pages, or may have. */
uint32_t cw_scope_trap_changes(cw_scope_trap *trap);

/* From now on pages are counted for all processes that share this frontier, which is borrowed. To be called before the
 * first page. */
void cw_scope_trap_share(cw_scope_trap *trap, crawl_frontier *frontier);

/* The name of a note with a count of pages is this, "host " or "domain ", and the name of the two. The note is the
 * number in decimal digits. */
#define CW_SCOPE_PAGES_NOTE "#pages "
/* The notes with the queries that were counted (note_log.h). An entry has 32 bytes: the first 16 of the SHA-1 of the
 * path, and the first 16 of that of the whole canonical URL. */
#define CW_SCOPE_QUERIES_NOTE "#queries "
/* Takes over the counts that stand in notes of the frontier, which is borrowed, and keeps counts there from now on;
 * does nothing where neither pages nor queries have a limit. To be called before the first page. Errors as those of
 * crawl_frontier_notes; CRAWL_ENOMEM. */
crawl_err cw_scope_trap_keep(cw_scope_trap *trap, crawl_frontier *frontier);
/* Where counts are kept, writes down the queries that were counted since the last time. To be called now and then, and
 * at the end. Errors as those of crawl_frontier_note_set. */
crawl_err cw_scope_trap_flush(cw_scope_trap *trap);
