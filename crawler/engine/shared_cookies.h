/* The cookies of a crawl that processes share: connects the jar of this process to the frontier. Without cookies, or
 * without other processes, these functions do nothing. */
#pragma once

#include <crawl/engine.h>
#include <crawl/sys/shared.h>

/* Sets the options by which the frontier passes on cookies. Call before the frontier is joined. */
void cw_engine_shared_cookies_join(crawl_engine *engine, crawl_shared_options *options);

/* Makes the jar report its changes to the frontier, and gives the cookies of the user's file to the crawl, unless the
 * same file was given more than half an hour ago. Call when both exist. CRAWL_EPARSE: not a file of cookies, error says
 * where. CRAWL_EINVAL: it has a cookie for all hosts below a public suffix. CRAWL_EIO; CRAWL_ENOMEM. */
crawl_err cw_engine_shared_cookies_open(crawl_engine *engine, crawl_error *error);

/* Writes all cookies of the crawl to fetch.cookies_save. Call after the frontier was closed. Waits at most 10 s for
 * Redis. CRAWL_ENET: no answer; CRAWL_EIO: they cannot be written; CRAWL_ECORRUPT; CRAWL_ENOMEM. */
crawl_err cw_engine_shared_cookies_save(const crawl_engine *engine, crawl_error *error);
