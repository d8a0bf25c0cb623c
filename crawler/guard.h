/* Which hosts may be asked at private addresses: those that a seed names. Whoever names a machine of a private network as a seed means it; a
 * page of the internet that links or redirects there does not decide that (server-side request forgery). Thread-safe. */
#ifndef CW_GUARD_H
#define CW_GUARD_H

#include <crawl/url.h>

typedef struct cw_guard cw_guard;

cw_guard *cw_guard_create(void); /* NULL: no memory */
void cw_guard_free(cw_guard *guard);

/* The host of this URL, any port of it, may be at a private address. CRAWL_ENOMEM. */
crawl_err cw_guard_name(cw_guard *guard, const crawl_url *url);
bool cw_guard_names(cw_guard *guard, const crawl_url *url);

#endif
