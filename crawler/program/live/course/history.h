/* The number of pages at each of the last moments, which are about a second apart. The recent pace is computed from
 * them. Single-thread. */
#ifndef CW_LIVE_HISTORY_H
#define CW_LIVE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#define CW_LIVE_MOMENTS 301u /* five minutes: the past that interests a person */

typedef struct cw_live_moment {
    int64_t elapsed_ms; /* since the crawl began */
    uint64_t pages;
} cw_live_moment;

/* {0}: none yet. */
typedef struct cw_live_history {
    cw_live_moment moments[CW_LIVE_MOMENTS];
    size_t count; /* added so far; the last CW_LIVE_MOMENTS of them are there */
} cw_live_history;

/* Adds a moment, if it is later than the last one. */
void cw_live_history_add(cw_live_history *history, cw_live_moment moment);

/* Pages a second since the latest moment that lies over_ms or longer before now. If no moment is that old, since the
 * first one; if there is none at all, since the crawl began. */
double cw_live_history_pace(const cw_live_history *history, cw_live_moment now, int64_t over_ms);

/* Writes the pages a second between the moments, the oldest first, to paces, which has room for CW_LIVE_MOMENTS of
 * them. Returns how many there are. */
size_t cw_live_history_paces(const cw_live_history *history, double *paces);

#endif
