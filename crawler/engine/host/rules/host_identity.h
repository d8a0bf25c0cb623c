/* The key by which a crawl signs its requests, and whether the rest of the configuration goes with that. */
#ifndef CW_HOST_IDENTITY_H
#define CW_HOST_IDENTITY_H

#include <crawl/config.h>

/* Reads the key if any section has requests signed; otherwise *out is NULL. CRAWL_EINVAL: there is no key or no agent,
 * the agent is no https URL, or a User-Agent is empty or that of a browser: who signs says who it is. CRAWL_EIO,
 * CRAWL_REFUSED, CRAWL_EPARSE: as crawl_identity_read. CRAWL_ENOMEM. */
crawl_err cw_host_identity_open(const crawl_config *config, crawl_identity **out, crawl_error *error);

#endif
