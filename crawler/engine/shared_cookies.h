/* The cookies of a crawl that processes share: the jar of this process and what the frontier says of them are brought
 * together here. Without cookies, or without others, these do nothing. */
#pragma once

#include <crawl/engine.h>
#include <crawl/sys/shared.h>

/* Has the frontier tell the engine's cookies; before it is joined. */
void cw_engine_shared_cookies_join(crawl_engine *engine, crawl_shared_options *options);

/* Has the engine's jar tell the frontier what changes, after both were made; and gives the cookies of the user's file
 * to the crawl, unless somebody has done so half an hour ago or before with the same file. CRAWL_EPARSE: it is no file
 * of cookies, error says where. CRAWL_EINVAL: it has a cookie for all hosts below a public suffix. CRAWL_EIO;
 * CRAWL_ENOMEM.
 */
crawl_err cw_engine_shared_cookies_open(crawl_engine *engine, crawl_error *error);

/* Writes all cookies that the crawl has to fetch.cookies_save; after the frontier was closed. Waits for Redis, for 10 s
 * at most. CRAWL_ENET: it does not answer; CRAWL_EIO: they cannot be written; CRAWL_ECORRUPT; CRAWL_ENOMEM. */
crawl_err cw_engine_shared_cookies_save(const crawl_engine *engine, crawl_error *error);
