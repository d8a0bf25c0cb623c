/* Decides when to report that a server went away and came back, so that frequent changes are not all reported. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CW_AWAY_TOLD_US INT64_C(10000000) /* minimum time between two reports that it is away */

typedef struct cw_away {
    bool is_told; /* it was reported as away */
    bool was_told;
    int64_t told_us; /* when it was last reported as away */
} cw_away;

/* Returns true if the change to away or back must be reported now. The end of an absence that was not reported is not
 * reported either. Call at each attempt to reach the server. */
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
