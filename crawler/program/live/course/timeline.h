/* The course of a crawl since its beginning, as points at equal distances. When there is no room for another, every
 * second point is dropped and the distance doubles. So a crawl of weeks has as many points as a crawl of minutes.
 * Single-threaded. */
#pragma once

#include "base/writer.h"

#include <crawl/engine.h>
#include <pthread.h>

/* As many points as a wide screen shows; must be even. */
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

/* {0}: empty. */
typedef struct cw_live_timeline {
    cw_live_point points[CW_LIVE_POINTS];
    size_t count;
    int64_t apart_ms; /* least distance between two points */
} cw_live_timeline;

/* Adds a point, if one is due. */
void cw_live_timeline_add(cw_live_timeline *timeline, const crawl_engine_stats *stats);

/* Appends one JSON object of arrays of equal length. */
void cw_live_timeline_write(const cw_live_timeline *timeline, cw_writer *out);

/* The number of pages at each of the last moments, about a second apart, from which the recent pace is computed.
 * Single-threaded. */

#define CW_LIVE_MOMENTS 301u /* five minutes: the past that interests a person */

typedef struct cw_live_moment {
    int64_t elapsed_ms; /* since the crawl began */
    uint64_t pages;
} cw_live_moment;

/* {0}: empty. */
typedef struct cw_live_history {
    cw_live_moment moments[CW_LIVE_MOMENTS];
    size_t count; /* added so far; the last CW_LIVE_MOMENTS are kept */
} cw_live_history;

/* Adds a moment, if it is later than the last one. */
void cw_live_history_add(cw_live_history *history, cw_live_moment moment);

/* Returns the pages per second since the latest moment at least over_ms before now. If no moment is that old, since the
 * first one; if there is none, since the crawl began. */
double cw_live_history_pace(const cw_live_history *history, cw_live_moment now, int64_t over_ms);

/* Writes the pages per second between the moments, oldest first, to paces, which has room for CW_LIVE_MOMENTS. Returns
 * their number. */
size_t cw_live_history_paces(const cw_live_history *history, double *paces);

/* The last finished requests, for a page that shows them as they come. They are in a ring that the crawl's threads fill
 * and the live view's thread reads. Adding one copies a few hundred bytes under a lock, without formatting or
 * allocation, so that a live view costs a crawl hardly anything. */

/* Requests in the ring: more than finish between two reads at a few hundred per second, and as many as the page
 * shows. */
#define CW_LIVE_REQUESTS 256u

/* Bytes kept of each text; longer texts are cut. */
enum { CW_LIVE_URL = 400, CW_LIVE_WORDS = 160, CW_LIVE_TYPE = 48 };

typedef struct cw_live_request {
    uint64_t number; /* from 1, in the order of finishing */
    int64_t at_ms;   /* when it was requested, since 1970, UTC */
    double elapsed_ms;
    uint64_t bytes;
    int status; /* 0: no answer */
    uint32_t depth;
    char url[CW_LIVE_URL];
    char error[CW_LIVE_TYPE]; /* error class; "": none */
    char words[CW_LIVE_WORDS];
    char type[CW_LIVE_TYPE]; /* without parameters */
    bool is_cut;             /* the URL is longer */
} cw_live_request;

typedef struct cw_live_journal {
    pthread_mutex_t lock;
    uint64_t count; /* added so far; the last CW_LIVE_REQUESTS are kept */
    cw_live_request ring[CW_LIVE_REQUESTS];
} cw_live_journal;

void cw_live_journal_init(cw_live_journal *journal);
void cw_live_journal_free(cw_live_journal *journal);

/* Any thread may call it. */
void cw_live_journal_add(cw_live_journal *journal, const crawl_record *record);

/* Writes a JSON array of the requests after number `after` that are still in the ring: at most the last `most`, oldest
 * first. Returns the number of the latest request. A late reader misses some requests, which it sees by their
 * numbers. */
uint64_t cw_live_journal_write(cw_live_journal *journal, uint64_t after, size_t most, cw_writer *out);

/* Copies as much of a text as fits into a field of `room` bytes, and terminates it with NUL. Returns true if the text
 * was cut. */
bool cw_live_copy(char *field, size_t room, crawl_slice text);
