/* The addresses whose requests are limited, as the gate keeps to them: with per_ip all, without it those that have
 * per_address requests at once at most (pacer.h). Each host at such an address is given a moment there. A [group NAME]
 * is such an address too, in place of those at which its hosts are: they share the pause and the limit that each of
 * them has. Processes that share a crawl ask a group, and with per_ip an address, in turns. Times are arguments.
 * Addresses are read and changed under their lock, which is taken after the lock of the host. */
#pragma once

#include "crawler/engine/host/pacer.h"

/* Until the next look whether a request to a full host or address has ended. */
#define CW_HOST_LOOK_AGAIN_US ((int64_t)50 * 1000)

typedef struct cw_host_addresses cw_host_addresses;
typedef struct cw_host_address cw_host_address;

/* options are borrowed. asked_us: until when another process may have asked any address; CW_HOST_PACE_NEVER: none did.
 * NULL: no memory. */
cw_host_addresses *cw_host_addresses_create(const cw_host_pacer_options *options, int64_t asked_us);
void cw_host_addresses_free(cw_host_addresses *addresses);

/* Do the options limit requests of the host to this address? Needs no lock. */
bool cw_host_addresses_limit(const cw_host_addresses *addresses, const cw_host_record *host, crawl_slice ip);
/* Does a request of the host that is to be admitted need the lock? */
bool cw_host_addresses_concern(const cw_host_record *host);

void cw_host_addresses_lock(cw_host_addresses *addresses);
void cw_host_addresses_unlock(cw_host_addresses *addresses);

/* May a request of this host leave for its address now, as far as that is known? False: not before *free_us. own_limit:
 * requests to the host at once. */
bool cw_host_addresses_admit(cw_host_addresses *addresses, cw_host_record *host, uint32_t own_limit, int64_t pause_us,
                             int64_t now, int64_t *free_us);
/* The same when the connection stands, so that the address is known for sure; if so, the request counts there, and
 * pass->address must be left. False: not before pass->wait_us from now. ip: empty where the address has no limit. */
bool cw_host_addresses_start(cw_host_addresses *addresses, cw_host_record *host, uint32_t own_limit, crawl_slice ip,
                             int64_t now, cw_host_pass *pass);
/* When the pause is over since a request that was let go there after this one, which counts at pass->address; NEVER:
 * there is none. */
int64_t cw_host_addresses_overtaken(const cw_host_addresses *addresses, const cw_host_pass *pass);
/* Is the place pass->address still this process's to ask, among those that share the crawl? If so, their pause there
 * runs from now. */
bool cw_host_addresses_keeps_turn(const cw_host_addresses *addresses, const cw_host_pass *pass);
/* The request that counts at pass->address has left just now: the pause there runs from here. */
void cw_host_addresses_left(const cw_host_addresses *addresses, const cw_host_pass *pass, int64_t now);
/* A request to this address is over. */
void cw_host_addresses_leave(const cw_host_addresses *addresses, cw_host_address *address);
