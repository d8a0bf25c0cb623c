/* https instead of http, for hosts that have asked for it. */
#pragma once

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <crawl/url.h>

/* Call after the state is open. CRAWL_ENOMEM, or an error of crawl_frontier_notes. */
crawl_err cw_host_upgrade_open(crawl_engine *engine, crawl_error *error);
/* Reads the notes again, since other processes may have written some. */
crawl_err cw_host_upgrade_recall(crawl_engine *engine);
/* Returns true if the URL is http and its host wants https. */
bool cw_host_upgrade_wanted(const crawl_engine *engine, const crawl_url *url);
/* Changes the URL to https if its host wants that. CRAWL_ENOMEM: unchanged. */
crawl_err cw_host_upgrade(crawl_engine *engine, crawl_url *url);
/* Notes the Strict-Transport-Security of an answer from this URL. */
void cw_host_upgrade_note(crawl_engine *engine, const crawl_url *url, const crawl_response *response);
