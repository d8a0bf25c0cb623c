/* Connects the engine and the frontier to the pacer's gate. */
#pragma once

#include "crawler/engine/host/pacer.h"

#include <crawl/engine.h>
#include <crawl/frontier.h>

/* Creates engine->pacer and engine->walled from the configuration. CRAWL_ENOMEM. */
crawl_err cw_host_pacing_create(crawl_engine *engine);
/* Returns the rules of a host that is about to be asked. Call before anything else is asked of the gate: it tells the
 * frontier of the host's share. NULL: out of memory. */
const cw_host_rules *cw_host_pacing_rules(crawl_engine *engine, cw_host_record *host);
/* Tells whether the host may be asked. for_robots: for a robots.txt. has_room: there is a connection for a slow host.
 * CW_ADMIT_WAIT: not before cw_host_pacing_wait_ms. CW_ADMIT_REFUSE: pass->words says why. */
cw_host_admission cw_host_pacing_admit(crawl_engine *engine, cw_host_record *host, bool for_robots, bool has_room,
                                       cw_host_pass *pass);
/* Lets requests that go back to the frontier wait for as long as this. */
void cw_host_pacing_allow_wait(crawl_engine *engine, int64_t wait_ms);
/* Returns how long a request that the gate held back must wait from now, in milliseconds, rounded up. */
int64_t cw_host_pacing_wait_ms(const cw_host_pass *pass);
/* Returns how long the frontier keeps back the request itself rather than its host: less during a hold, which is not
 * the fault of the request. */
int64_t cw_host_pacing_back_ms(const cw_host_pass *pass, bool for_robots);
/* Blocks the host in the frontier for this long, so that nothing queued for it is leased. for_robots: does nothing,
 * since a host whose robots.txt is being asked for is blocked already. */
void cw_host_pacing_put_off(crawl_engine *engine, cw_host_record *host, bool for_robots, int64_t wait_ms);
/* The request is over. retry_after_us: the pause that its host asked for; negative: none. quota: the quota that the
 * host has stated. */
cw_host_pacer_effect cw_host_pacing_done(crawl_engine *engine, cw_host_record *host, bool for_robots,
                                         const crawl_response *response, int64_t retry_after_us,
                                         const cw_host_quota *quota, cw_host_pass *pass);
/* Returns the error class of a request that the gate has refused. */
crawl_error_class cw_host_pacing_class(const cw_host_pass *pass);
/* Returns true if the host is given up and its last answer was a wall. */
bool cw_host_pacing_is_walled(cw_host_record *host);
/* Returns true if the host has failed at least twice in a row, robots.txt included, or could not be reached and has
 * never been. */
bool cw_host_pacing_is_failing(cw_host_record *host);
/* Sets the pause that a robots.txt asks for, in seconds; negative: none. */
void cw_host_pacing_crawl_delay(crawl_engine *engine, cw_host_record *host, double seconds);
/* Sets a delay of the host that overrides all others; negative: back to the configured delay. CRAWL_FULL: the host is
 * beyond crawl.max_hosts. Other errors: see crawl_frontier_set_pause. */
crawl_err cw_host_pacing_set_delay(crawl_engine *engine, cw_host_record *host, int64_t delay_ms);
/* Returns until when the host is blocked for another reason than that its robots.txt is being asked for, as a time of
 * the frontier's clock; 0: it is not. */
int64_t cw_host_pacing_block(crawl_engine *engine, cw_host_record *host, int64_t now_ms);
