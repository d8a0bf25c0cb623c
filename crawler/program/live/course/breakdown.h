/* Counts the requests of a crawl by depth and by content type, and errors by kind. Each kind has its last few examples,
 * with the pages that led to them. The crawl's threads add to the counts, and the live view's thread reads them. */
#pragma once

#include "crawler/program/live/course/timeline.h"

/* Depths counted one by one; deeper ones are counted together. No sensible crawl goes deeper. */
#define CW_LIVE_DEPTHS 32u
/* Content types counted one by one, in the order of their arrival. Strangers name them, so all others are counted
 * together. */
#define CW_LIVE_TYPES 24u
/* Kinds of errors: the engine's classes, and the statuses from 400 on that servers really send. */
#define CW_LIVE_KINDS 40u
#define CW_LIVE_EXAMPLES 5u

typedef struct cw_live_example {
    int64_t at_ms;
    char url[CW_LIVE_URL];
    char parent[CW_LIVE_URL];
    char words[CW_LIVE_WORDS];
} cw_live_example;

typedef struct cw_live_kind {
    char name[CW_LIVE_TYPE]; /* "404", "timeout" */
    uint64_t count;
    cw_live_example examples[CW_LIVE_EXAMPLES]; /* a ring of the last ones */
} cw_live_kind;

typedef struct cw_live_type {
    char name[CW_LIVE_TYPE];
    uint64_t count;
} cw_live_type;

/* Initialise with zeros and cw_live_breakdown_init. */
typedef struct cw_live_breakdown {
    pthread_mutex_t lock;
    uint64_t depths[CW_LIVE_DEPTHS + 1]; /* of answers; the last entry counts all deeper ones */
    cw_live_type types[CW_LIVE_TYPES];
    unsigned type_count;
    uint64_t other_types;
    uint64_t untyped; /* answers without a content type */
    cw_live_kind kinds[CW_LIVE_KINDS];
    unsigned kind_count;
    uint64_t other_kinds;
} cw_live_breakdown;

void cw_live_breakdown_init(cw_live_breakdown *breakdown);
void cw_live_breakdown_free(cw_live_breakdown *breakdown);
void cw_live_breakdown_add(cw_live_breakdown *breakdown, const crawl_record *record);

/* Appends one JSON object. */
void cw_live_breakdown_write(cw_live_breakdown *breakdown, cw_writer *out);
