/* The hosts of a crawl as a live view lists them: of the hosts that are asked for, those with most requests queued;
 * or one host with its robots.txt. Reads the engine, and writes JSON. */
#pragma once

#include <crawl/base.h>
#include <crawl/engine.h>

/* The most hosts in one list: as many as a person scrolls through, and 300 KiB of JSON. Others are found by their
 * name. */
#define CW_LIVE_HOSTS 1000u

typedef struct cw_live_hosts_query {
    crawl_slice part;     /* of the origin, without case; empty: all */
    crawl_slice standing; /* as cw_live_standing names it; empty: all */
} cw_live_hosts_query;

/* Appends one JSON object. Walks over all hosts that the queue knows. CRAWL_ENOMEM. */
crawl_err cw_live_hosts_write(crawl_engine *engine, const cw_live_hosts_query *query, crawl_buf *out);

/* The same for one host, with what is known of its robots.txt. CRAWL_ABSENT: the queue does not know it. */
crawl_err cw_live_host_write(crawl_engine *engine, crawl_slice origin, crawl_buf *out);

/* Decides by its Host header whether a request may be meant for the live view (RFC 9110, 7.2). A page of another site
 * whose name was made to lead to this machine (DNS rebinding) has that name in its Host header. Pure. */

/* host: HOST[:PORT]. True for an address, for localhost and the names below it, and for listened, the host that
 * --listen names. The port is not compared: behind a forwarded port it is another one. */
bool cw_live_host_allowed(crawl_slice host, const char *listened);

/* Does an Origin header (RFC 6454, 7) name the same server as the Host header? */
bool cw_live_origin_is_own(crawl_slice origin, crawl_slice host);
