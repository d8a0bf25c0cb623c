/* A stand-in for the connection of a shared crawl, whose server answers whatever it is told to: the functions of
 * <crawl/sys/redis.h> that send are those of shared_server.c. */
#pragma once

#include <crawl/sys/redis.h>

/* Reads the replies, one behind the other in RESP: the first question is answered by the first, and so on, from the
 * beginning again when all were said, or anew. */
void shared_server_read(const uint8_t *data, size_t size);
void shared_server_again(void);
void shared_server_free(void);

/* A server is good at first, as one that has no crawl yet; from now on it answers by the replies. */
void shared_server_turns(crawl_redis *redis);

/* Answers all that was asked; are there questions left, which the answers have brought? */
void shared_server_answer(crawl_redis *redis);
bool shared_server_is_asked(const crawl_redis *redis);
