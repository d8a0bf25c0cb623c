/* The guard against sites without end: calendars, paths that grow by their own links, queries in all combinations,
 * hosts made of one database.
 *
 * What a URL looks like is judged when it is found (length, depth, repetition, queries of its path): it is not queued
 * then. How many pages a host or a domain has given is counted when one is asked for, so that links seen before and
 * refused ones take no room; once the limit is reached further links are not queued either, and what is queued is
 * refused. Each refusal has the name of the setting that it is by. With a frontier that is durable pages and queries
 * are those of all runs; with one that processes share, pages are those of all processes, for each of which one has a
 * ticket. */
#ifndef CW_SCOPE_TRAP_H
#define CW_SCOPE_TRAP_H

#include "crawler/engine/host/host_table.h"

#include <crawl/engine.h>
#include <crawl/frontier.h>
#include <crawl/url.h>

/* Periods of a repetition that are looked for, and segments of a path that are looked at: a look takes their
 * product. */
#define CW_SCOPE_TRAP_PERIOD_MAX 16u
#define CW_SCOPE_TRAP_SEGMENTS_MAX 1024u
/* The most paths whose queries are counted, at some 90 bytes each, and the most memory for queries, at 12 to 24 bytes
 * each. The queries of further paths are not limited. */
#define CW_SCOPE_TRAP_PATHS_MAX 1000000u
#define CW_SCOPE_TRAP_QUERY_BYTES_MAX ((uint64_t)256 << 20)
/* Hosts and domains whose pages are counted, some 120 bytes each. Further ones are not limited. */
#define CW_SCOPE_TRAP_PLACES_MAX 10000000u

/* Thread-safe. */
typedef struct cw_scope_trap cw_scope_trap;

/* config is borrowed. CRAWL_ENOMEM. */
crawl_err cw_scope_trap_create(const crawl_config *config, cw_scope_trap **out);
void cw_scope_trap_free(cw_scope_trap *trap);

/* Hosts have limits of their own, that of the configuration included. Borrowed. */
void cw_scope_trap_set_hosts(cw_scope_trap *trap, cw_host_book *hosts);

/* Judges by the URL alone: crawl.max_url, max_path_depth, max_repeats. Pure. */
crawl_trap cw_scope_trap_shape(const crawl_config *config, const crawl_url *url);

/* May this URL, just found, be queued? Counts its query. canonical: its canonical form. */
crawl_trap cw_scope_trap_check(cw_scope_trap *trap, const crawl_url *url, crawl_slice canonical);

/* A page of this host is about to be asked for: counts it for the host's name and domain, unless their limit is
 * reached. The record of the host has the counts from then on, so that the trap guard must be freed after all calls.
 * CRAWL_AGAIN: the other processes are asked, and nothing was counted; otherwise CRAWL_OK, and *out says whether a
 * limit is reached. */
crawl_err cw_scope_trap_take(cw_scope_trap *trap, cw_host_record *host, crawl_trap *out);
/* The page was not asked after all. */
void cw_scope_trap_return(cw_scope_trap *trap, cw_host_record *host);
/* It was, and no other visit is to count it: from now on it is counted in the runs to come, where counts are kept. Call
 * it before the frontier is told, so that a process that ends in between has counted a page too many, not too few. As
 * crawl_frontier_note_set. */
crawl_err cw_scope_trap_settle(cw_scope_trap *trap, cw_host_record *host);

/* Grows whenever a host or a domain reaches its limit of pages, or may have. */
uint32_t cw_scope_trap_changes(cw_scope_trap *trap);

/* Pages are those of all processes that share this frontier, which is borrowed. Before the first page. */
void cw_scope_trap_share(cw_scope_trap *trap, crawl_frontier *frontier);

/* Notes of a count of pages: this, "host " or "domain ", and the name. The note is the number in decimal digits. */
#define CW_SCOPE_PAGES_NOTE "#pages "
/* Notes of queries that were counted (note_log.h). An entry is 32 bytes: the first 16 of the SHA-1 of its path, and of
 * the whole canonical URL. */
#define CW_SCOPE_QUERIES_NOTE "#queries "
/* Takes over the counts that stand in notes of the frontier, which is borrowed, and keeps counts there from now on;
 * does nothing where neither pages nor queries have a limit. Before the first page. As crawl_frontier_notes;
 * CRAWL_ENOMEM. */
crawl_err cw_scope_trap_keep(cw_scope_trap *trap, crawl_frontier *frontier);
/* Writes down the queries that were counted since the last time, for the runs to come, where counts are kept: now and
 * then, and at the end. As crawl_frontier_note_set. */
crawl_err cw_scope_trap_flush(cw_scope_trap *trap);

#endif
