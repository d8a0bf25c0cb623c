/* The course of a crawl from its beginning until now, as points with equal distances. When there is no room for one
 * more, every second point is dropped and the distance doubles. So the line of a crawl of weeks has as many points as
 * that of a crawl of minutes. Single-thread. */
#ifndef CW_LIVE_TIMELINE_H
#define CW_LIVE_TIMELINE_H

#include "base/writer.h"

#include <crawl/engine.h>

/* As many points as a wide screen shows; an even number. */
#define CW_LIVE_POINTS 400u

typedef struct cw_live_point {
    int64_t elapsed_ms;
    uint64_t pages;
    uint64_t errors;
    uint64_t queued;
    uint64_t keys; /* of the filter */
    double fill;
    double lost; /* URLs expected to have been taken for seen by mistake */
} cw_live_point;

/* {0}: none yet. */
typedef struct cw_live_timeline {
    cw_live_point points[CW_LIVE_POINTS];
    size_t count;
    int64_t apart_ms; /* the least distance between two points */
} cw_live_timeline;

/* Adds a point for now, if one is due. */
void cw_live_timeline_add(cw_live_timeline *timeline, const crawl_engine_stats *stats);

/* Appends one JSON object, of arrays of the same length. */
void cw_live_timeline_write(const cw_live_timeline *timeline, cw_writer *out);

#endif
