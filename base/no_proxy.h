/* Which hosts are asked without the proxy. */
#ifndef CW_NO_PROXY_H
#define CW_NO_PROXY_H

#include <crawl/base.h>

/* Is host, as a URL has it, named by list (NULL: nothing is)? Its entries stand apart by commas or white space: a name
 * stands for itself and all below it, also with a dot or "*." before; an address for itself, of IPv6 with brackets or
 * without; "*" for all. */
bool cw_no_proxy_names(const char *list, crawl_slice host);

#endif
