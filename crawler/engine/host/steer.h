/* How the person who runs the crawl treats a host: whether it is blocked, and whether it has its own delay. Both are in
 * the host's record, where the gate reads them (pacer.h). Thread-safe. */
#pragma once

#include "crawler/engine/host/pacer.h"

#include <crawl/engine.h>

/* Blocks or unblocks the host; the gate lets nothing through to a blocked host. CRAWL_FULL: the host is beyond
 * max_hosts, and has no gate. */
crawl_err cw_host_steer_block(cw_host_record *host, bool is_blocked);
bool cw_host_steer_is_blocked(cw_host_record *host);

/* Sets a delay for the host; negative: the configured one. CRAWL_FULL: as above. */
crawl_err cw_host_steer_delay(cw_host_record *host, int64_t delay_us);

/* Describes the pace of the host. CRAWL_ABSENT: the host is beyond max_hosts, or was not asked yet. */
crawl_err cw_host_steer_look(const cw_host_pacer *pacer, cw_host_record *host, int64_t now_us, crawl_host_pace *out);

/* Returns true if no request to the host is under way and nothing was set for it by hand, so that a handover says
 * everything. Call with the host locked. */
bool cw_host_steer_is_plain(const cw_host_record *host);
