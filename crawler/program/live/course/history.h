/* How many pages there were at each of the last moments, a second or so apart, for the pace of late. Single-thread. */
#ifndef CW_LIVE_HISTORY_H
#define CW_LIVE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define CW_LIVE_MOMENTS 301u /* five minutes: what a person looks back on */

typedef struct cw_live_moment {
    int64_t elapsed_ms; /* since the crawl began */
    uint64_t pages;
} cw_live_moment;

/* {0}: none yet. */
typedef struct cw_live_history {
    cw_live_moment moments[CW_LIVE_MOMENTS];
    size_t count; /* added so far; the last CW_LIVE_MOMENTS of them are there */
} cw_live_history;

/* A moment no later than the last one is not taken. */
void cw_live_history_add(cw_live_history *history, cw_live_moment moment);

/* Pages a second from the latest moment that is over_ms or longer before now, or else the first one, until now; where
 * there is none, since the crawl began. */
double cw_live_history_pace(const cw_live_history *history, cw_live_moment now, int64_t over_ms);

/* Pages a second between the moments, oldest first, into paces, which has room for CW_LIVE_MOMENTS. How many. */
size_t cw_live_history_paces(const cw_live_history *history, double *paces);

#endif
