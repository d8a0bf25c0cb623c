/* Decides by its Host header whether a request may be meant for the live view (RFC 9110, 7.2). A page of another site
 * whose name was made to lead to this machine (DNS rebinding) has that name in its Host header. Pure. */
#ifndef CW_LIVE_HOST_H
#define CW_LIVE_HOST_H

#include <crawl/base.h>

/* host: HOST[:PORT]. True for an address, for localhost and the names below it, and for listened, the host that
 * --listen names. The port is not compared: behind a forwarded port it is another one. */
bool cw_live_host_allowed(crawl_slice host, const char *listened);

/* Does an Origin header (RFC 6454, 7) name the same server as the Host header? */
bool cw_live_origin_is_own(crawl_slice origin, crawl_slice host);

#endif
