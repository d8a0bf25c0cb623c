/* Which idle connections are still worth keeping once there are as many as may be kept. Hosts take turns, so nearly all
 * connections that are used again are so after about the same time, the time of one round. One that has been idle for
 * twice as long as others were belongs to a host from which nothing more is wanted, and makes room for a new one. As
 * long as there is none, new ones are closed: with more hosts in turn than connections, closing the oldest would close
 * each just before its turn comes. Few give way in a second, since libcurl looks through all its connections for each
 * one that has ended. Pure: times are microseconds of a clock that does not go back. */
#ifndef CW_FETCH_REUSE_H
#define CW_FETCH_REUSE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cw_fetch_reuse {
    int64_t round_us; /* the longest time after which one was used again, slowly forgotten */
    int64_t next_us;  /* none gives way before */
} cw_fetch_reuse;

void cw_fetch_reuse_init(cw_fetch_reuse *reuse);
/* A connection that was idle for so long was used again. */
void cw_fetch_reuse_note(cw_fetch_reuse *reuse, int64_t idle_us);
/* Does one that has been idle since then give way? It counts as having done so. */
bool cw_fetch_reuse_gives_way(cw_fetch_reuse *reuse, int64_t since_us, int64_t now_us);

#endif
