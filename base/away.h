/* Messages about a server that goes and comes back: not each time, where that is often. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CW_AWAY_TOLD_US INT64_C(10000000) /* least time between two times that it is told to be away */

typedef struct cw_away {
    bool is_told; /* it is away, as was told */
    bool was_told;
    int64_t told_us; /* that it was away, last */
} cw_away;

/* Is it to be told that the server is away now, or that it is back? Of an absence that was not told neither is its end.
 * To be asked at each attempt to reach it. */
static inline bool cw_away_tells(cw_away *away, bool is_away, int64_t now_us)
{
    bool is_soon = away->was_told && now_us - away->told_us < CW_AWAY_TOLD_US;
    if (is_away == away->is_told || (is_away && is_soon))
        return false;
    away->is_told = is_away;
    away->was_told = true;
    away->told_us = is_away ? now_us : away->told_us;
    return true;
}
