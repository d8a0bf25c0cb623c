/* The guard against sites without end: calendars, paths that grow by their own links, queries in all combinations,
 * hosts generated from a database.
 *
 * A URL is judged when it is found, by its shape (see url_looks.h) and by the number of queries of its path. If it is
 * beyond a limit, it is not queued. A page counts for its host and its domain when it is asked for, so links that were
 * seen or refused count for nothing. Once a limit is reached, links to the host are no longer queued, and queued
 * requests are refused. Each refusal has the name of its setting. A durable frontier keeps the counts of pages and
 * queries for all runs. In a crawl that processes share, pages and queries are counted for all processes, by tickets
 * (tickets.h), when they are asked for. */
#pragma once

#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>
#include <crawl/frontier.h>
#include <crawl/url.h>

/* The most paths whose queries are counted, at about 90 bytes each, and the most memory for queries, at 12 to 24 bytes
 * each. The queries of further paths are not limited. */
#define CW_SCOPE_TRAP_PATHS_MAX 1000000u
#define CW_SCOPE_TRAP_QUERY_BYTES_MAX ((uint64_t)256 << 20)
/* The most hosts, and the most domains, whose pages are counted, at about 120 bytes each. Further ones are not
 * limited. */
#define CW_SCOPE_TRAP_PLACES_MAX 10000000u

/* Thread-safe. */
typedef struct cw_scope_trap cw_scope_trap;

/* config is borrowed. CRAWL_ENOMEM. */
crawl_err cw_scope_trap_create(const crawl_config *config, cw_scope_trap **out);
void cw_scope_trap_free(cw_scope_trap *trap);

/* Takes the limits of hosts from their rules, if a section sets one. hosts is borrowed. */
void cw_scope_trap_set_hosts(cw_scope_trap *trap, cw_host_book *hosts);

/* Tells whether this newly found URL may be queued. Counts its query. canonical: its canonical form. */
crawl_trap cw_scope_trap_check(cw_scope_trap *trap, const crawl_url *url, crawl_slice canonical);

/* Returns the path that the query of a page with this canonical form counts for, in a crawl that processes share with a
 * limit of queries; otherwise 0. */
uint64_t cw_scope_trap_path(cw_scope_trap *trap, crawl_slice canonical);

/* Counts a page of this host for the host's name and domain, and for path unless that is 0, unless a limit is reached.
 * Call before the page is asked for. The record of the host then points to the counts, so the trap must outlive the
 * record's last use. CRAWL_AGAIN: Redis is being asked, and nothing was counted; otherwise CRAWL_OK, and *out says
 * which limit is reached. */
crawl_err cw_scope_trap_take(cw_scope_trap *trap, cw_host_record *host, uint64_t path, crawl_trap *out);
/* Takes back the count of a page that was not asked for after all. */
void cw_scope_trap_return(cw_scope_trap *trap, cw_host_record *host, uint64_t path);
/* Counts a page that was asked for and is over for later runs too, if counts are kept. Call before the frontier is
 * told, so that a process that ends in between has counted one page too many rather than one too few. Errors: see
 * crawl_frontier_note_set. */
crawl_err cw_scope_trap_settle(cw_scope_trap *trap, cw_host_record *host);

/* Returns a number that grows whenever a host or a domain, or in a shared crawl a path, has or may have reached its
 * limit. */
uint32_t cw_scope_trap_changes(cw_scope_trap *trap);

/* Counts pages from now on for all processes that share this frontier, which is borrowed. Call before the first
 * page. */
void cw_scope_trap_share(cw_scope_trap *trap, crawl_frontier *frontier);

/* The name of a note with a count of pages: this prefix, "host " or "domain ", and the name of the host or domain. The
 * note is the number in decimal digits. */
#define CW_SCOPE_PAGES_NOTE "#pages "
/* The notes with the counted queries (note_log.h). An entry has 32 bytes: the first 16 of the SHA-1 of the path, and
 * the first 16 of the SHA-1 of the whole canonical URL. */
#define CW_SCOPE_QUERIES_NOTE "#queries "
/* Takes over the counts in notes of the frontier, which is borrowed, and keeps counts there from now on; does nothing
 * if neither pages nor queries have a limit. Call before the first page. Errors: see crawl_frontier_notes;
 * CRAWL_ENOMEM. */
crawl_err cw_scope_trap_keep(cw_scope_trap *trap, crawl_frontier *frontier);
/* Writes the queries counted since the last call, if counts are kept. Call from time to time, and at the end. Errors:
 * see crawl_frontier_note_set. */
crawl_err cw_scope_trap_flush(cw_scope_trap *trap);
