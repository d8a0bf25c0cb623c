/* Whether a request may be meant for the live view, by its Host header (RFC 9110, 7.2): a page of somebody else, whose
 * name was made to lead to this machine (DNS rebinding), names itself there. Pure. */
#ifndef CW_LIVE_HOST_H
#define CW_LIVE_HOST_H

#include <crawl/base.h>

/* host: HOST[:PORT]. True of an address, of localhost and the names below it, and of listened, which --listen names.
 * The port is not looked at: behind a forwarded one it is another. */
bool cw_live_host_allowed(crawl_slice host, const char *listened);

/* Is an Origin header (RFC 6454, 7) that of the server which the Host header names? */
bool cw_live_origin_is_own(crawl_slice origin, crawl_slice host);

#endif
