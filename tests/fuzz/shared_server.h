/* A stand-in for the connection of a shared crawl, whose server answers with given replies. shared_server.c defines the
 * sending functions of <crawl/sys/redis.h>. */
#pragma once

#include <crawl/sys/redis.h>

/* Reads replies in RESP, one after the other. Each question gets the next one; after the last, or shared_server_again,
 * they start from the beginning. */
void shared_server_read(const uint8_t *data, size_t size);
void shared_server_again(void);
void shared_server_free(void);

/* From now on the server answers with the replies. Before, it answers like a server that has no crawl yet. */
void shared_server_turns(crawl_redis *redis);

/* Answers all questions, and those that the answers cause, up to a limit. shared_server_is_asked returns true if
 * questions are left. */
void shared_server_answer(crawl_redis *redis);
bool shared_server_is_asked(const crawl_redis *redis);
