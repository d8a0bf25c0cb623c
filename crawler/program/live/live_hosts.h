/* The hosts of a crawl for a live view: of the matching hosts, those with most queued requests; or one host with its
 * robots.txt. Reads the engine, and writes JSON. */
#pragma once

#include <crawl/base.h>
#include <crawl/engine.h>

/* Maximum number of hosts in a list: as many as a person scrolls through, and 300 KiB of JSON. Others can be found by
 * name. */
#define CW_LIVE_HOSTS 1000u

typedef struct cw_live_hosts_query {
    crawl_slice part;     /* substring of the origin, ignoring case; empty: all */
    crawl_slice standing; /* as cw_live_standing names it; empty: all */
} cw_live_hosts_query;

/* Appends one JSON object. Walks over all hosts known to the queue. CRAWL_ENOMEM. */
crawl_err cw_live_hosts_write(crawl_engine *engine, const cw_live_hosts_query *query, crawl_buf *out);

/* Appends one JSON object for one host, with the known facts of its robots.txt. CRAWL_ABSENT: the queue does not know
 * it. */
crawl_err cw_live_host_write(crawl_engine *engine, crawl_slice origin, crawl_buf *out);

/* Decides by its Host header whether a request may be meant for the live view (RFC 9110, 7.2). A page of another site
 * whose name was made to resolve to this machine (DNS rebinding) has that name in its Host header. Pure. */

/* Returns true for an address, for localhost and names below it, and for listened, the host of --listen. host:
 * HOST[:PORT]; the port is ignored, because a forwarded port differs. */
bool cw_live_host_allowed(crawl_slice host, const char *listened);

/* Returns true if an Origin header (RFC 6454, 7) names the same server as the Host header. */
bool cw_live_origin_is_own(crawl_slice origin, crawl_slice host);
