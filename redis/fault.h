/* What goes wrong with a Redis server, told apart by the first word of its errors. */
#ifndef CW_REDIS_FAULT_H
#define CW_REDIS_FAULT_H

#include <crawl/redis.h>

/* The fault that an error's text stands for: its first word, or REFUSED. */
crawl_redis_fault cw_redis_fault_of(crawl_slice text);

#endif
