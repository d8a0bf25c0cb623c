/* The Redis of a world whose crawl processes share: a redis-server of its own that goes by the time of the world. A
 * connection to it answers at once, so that a run goes by its number alone, and the answer arrives later by the dice.
 * Now and then it breaks, before its commands were carried out or after. */
#pragma once

#include <stdint.h>

/* Where it listens. */
const char *sim_redis_socket(void);
/* Starts it. world: the file in which the world lies. */
void sim_redis_begin(int world);
void sim_redis_empty(void);

/* The next moment at which an answer arrives, and what happens then. */
int64_t sim_redis_next_us(void);
void sim_redis_fire(int64_t now_us);
/* The process has closed this descriptor. */
void sim_redis_closed(int descriptor);
