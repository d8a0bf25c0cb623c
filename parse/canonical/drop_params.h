/* Which query parameters, and session ids in paths, are left out of a canonical form. */
#ifndef CW_DROP_PARAMS_H
#define CW_DROP_PARAMS_H

#include <crawl/url.h>

/* Is this parameter to be left out? name and value as a canonical query has them. */
bool cw_drop_params_has(const crawl_drop_params *params, crawl_slice name, crawl_slice value);

/* Does it ask for session ids in paths to be left out? */
bool cw_drop_params_sessions(const crawl_drop_params *params);

/* Removes ";jsessionid=VALUE", and the segment "(S(VALUE))" of ASP.NET, from a path in place. Returns its size then. */
size_t cw_session_strip_path(char *path, size_t size);

#endif
