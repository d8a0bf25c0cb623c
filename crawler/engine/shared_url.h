/* Where the Redis server of a shared crawl is, and who asks it. */
#ifndef CW_SHARED_URL_H
#define CW_SHARED_URL_H

#include <crawl/config.h>
#include <crawl/redis.h>

/* Reads state.shared, with the name of the crawl as its first value, and the password (NULL: none); both are to be
 * freed. CRAWL_EINVAL: it is no such URL, or the password cannot be read. CRAWL_ENOMEM. */
crawl_err cw_engine_shared_url_read(const crawl_config *config, crawl_redis_url *url, char **password,
                                    crawl_error *error);

#endif
