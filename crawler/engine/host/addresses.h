/* The addresses whose requests are limited, as the gate enforces it: all of them with per_ip, and otherwise those that
 * may have at most per_address requests at once (pacer.h). Each host at such an address is given a moment there. A
 * [group NAME] counts as such an address instead of the addresses of its hosts: they share the pause and the limit of
 * the group. Processes that share a crawl take turns at a group and, with per_ip, at an address. Times are arguments.
 * The lock of the addresses guards them; it is taken after the lock of the host. */
#pragma once

#include "crawler/engine/host/pacer.h"

/* Time until the next check whether a request to a full host or address has ended. */
#define CW_HOST_LOOK_AGAIN_US ((int64_t)50 * 1000)

typedef struct cw_host_addresses cw_host_addresses;
typedef struct cw_host_address cw_host_address;

/* options is borrowed. asked_us: the time until which another process may have asked any address; CW_HOST_PACE_NEVER:
 * no other process did. NULL: out of memory. */
cw_host_addresses *cw_host_addresses_create(const cw_host_pacer_options *options, int64_t asked_us);
void cw_host_addresses_free(cw_host_addresses *addresses);

/* Returns true if the options limit the host's requests to this address. Needs no lock. */
bool cw_host_addresses_limit(const cw_host_addresses *addresses, const cw_host_record *host, crawl_slice ip);
/* Returns true if admitting a request of the host needs the lock. */
bool cw_host_addresses_concern(const cw_host_record *host);

void cw_host_addresses_lock(cw_host_addresses *addresses);
void cw_host_addresses_unlock(cw_host_addresses *addresses);

/* Sets the delay of all hosts, which the pause at an address without per_ip is a part of. */
void cw_host_addresses_set_delay(cw_host_addresses *addresses, int64_t delay_us);

/* Returns true if a request of this host may leave for its address now, as far as the address is known. False: not
 * before *free_us. own_limit: the host's own limit of requests at once. */
bool cw_host_addresses_admit(cw_host_addresses *addresses, cw_host_record *host, uint32_t own_limit, int64_t pause_us,
                             int64_t now, int64_t *free_us);
/* As cw_host_addresses_admit, for a standing connection, whose address is certain. True: the request counts at
 * pass->address, which the caller must leave. False: not before pass->wait_us from now. ip: empty if the address has no
 * limit. */
bool cw_host_addresses_start(cw_host_addresses *addresses, cw_host_record *host, uint32_t own_limit, crawl_slice ip,
                             int64_t now, cw_host_pass *pass);
/* Returns the end of the pause after a request that was let go at pass->address later than this one;
 * CW_HOST_PACE_NEVER: there was no such request. */
int64_t cw_host_addresses_overtaken(const cw_host_addresses *addresses, const cw_host_pass *pass);
/* Returns true if it is still this process's turn at pass->address among those that share the crawl. Their pause there
 * then runs from now. */
bool cw_host_addresses_keeps_turn(const cw_host_addresses *addresses, const cw_host_pass *pass);
/* The request that counts at pass->address has left: the pause there runs from now. */
void cw_host_addresses_left(const cw_host_addresses *addresses, const cw_host_pass *pass, int64_t now);
/* The request to this address is over. */
void cw_host_addresses_leave(const cw_host_addresses *addresses, cw_host_address *address);
