/* https in place of http, for hosts that have asked for it. */
#pragma once

#include <crawl/engine.h>
#include <crawl/fetch.h>
#include <crawl/url.h>

/* To be called after the state is open. CRAWL_ENOMEM, or an error of crawl_frontier_notes. */
crawl_err cw_host_upgrade_open(crawl_engine *engine, crawl_error *error);
/* Reads the notes again, because other processes may have written some. */
crawl_err cw_host_upgrade_recall(crawl_engine *engine);
/* Is the URL http, and does its host want https? */
bool cw_host_upgrade_wanted(const crawl_engine *engine, const crawl_url *url);
/* Makes https of the URL, if its host wants https. CRAWL_ENOMEM: the URL is as it was. */
crawl_err cw_host_upgrade(crawl_engine *engine, crawl_url *url);
/* Notes what an answer from this URL asks for by Strict-Transport-Security. */
void cw_host_upgrade_note(crawl_engine *engine, const crawl_url *url, const crawl_response *response);
