/* The Redis of a world whose crawl is shared: its own redis-server, which uses the time of the world. The server
 * answers a connection at once, so that a run depends on its number alone; the dice decide when the answer arrives. Now
 * and then a connection breaks, before or after its commands are carried out. */
#pragma once

#include <stdint.h>

/* Returns the path of the socket. */
const char *sim_redis_socket(void);
/* Starts the server. world: the file that holds the world. */
void sim_redis_begin(int world);
void sim_redis_empty(void);

/* The next moment at which an answer arrives, and the action at that moment. */
int64_t sim_redis_next_us(void);
void sim_redis_fire(int64_t now_us);
/* Notes that the process has closed this descriptor. */
void sim_redis_closed(int descriptor);
