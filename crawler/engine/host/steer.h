/* Treatment of a host by the person who runs the crawl: it is blocked or not, it has a delay of its own or not. Both
 * stand in the host's record, where the gate reads them (pacer.h). Thread-safe. */
#ifndef CW_STEER_H
#define CW_STEER_H

#include "crawler/engine/host/pacer.h"

#include <crawl/engine.h>

/* Nothing is let through to it any more. CRAWL_FULL: the host is beyond max_hosts, and has no gate. */
crawl_err cw_host_steer_block(cw_host_record *host, bool is_blocked);
bool cw_host_steer_is_blocked(cw_host_record *host);

/* negative: as configured. CRAWL_FULL: as above. */
crawl_err cw_host_steer_delay(cw_host_record *host, int64_t delay_us);

/* CRAWL_ABSENT: the host is beyond max_hosts, or was not asked yet. */
crawl_err cw_host_steer_look(const cw_host_pacer *pacer, cw_host_record *host, int64_t now_us, crawl_host_pace *out);

/* Under the host's lock. True: another process would find out all that is known of the host's pace, and the user has
 * set nothing for it. */
bool cw_host_steer_is_plain(const cw_host_record *host);

#endif
