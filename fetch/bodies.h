/* The memory that the bodies under way in a fetcher take together. Beyond its budget they wait: the one that began
 * first always goes on, and others as long as they are small, so that pages come though large bodies stand still; all
 * others are read no further (libcurl pauses them, and their servers wait) until there is room. Whoever waits has their
 * time stand still too. Single-thread. */
#ifndef CW_FETCH_BODIES_H
#define CW_FETCH_BODIES_H

#include <crawl/base.h>

#include <curl/curl.h>
#include <stdatomic.h>
#include <sys/queue.h>

struct event_base;

/* A body up to this size never waits: larger than most pages. */
#define CW_FETCH_BODY_SMALL ((size_t)128 * 1024)

/* A transfer, as long as it has a body. */
typedef struct cw_fetch_body_wait {
    TAILQ_ENTRY(cw_fetch_body_wait) link;
    CURL *easy;
    bool inside;
    bool paused;
    bool timed;       /* it was paused: libcurl does not count its time any more */
    int64_t left_ms;  /* of its time, since */
    int64_t since_ms; /* when it went on, or when it was paused */
    size_t bytes;
} cw_fetch_body_wait;

typedef struct cw_fetch_bodies {
    struct event_base *base;
    size_t budget;
    int64_t timeout_ms;                                /* of a transfer; 0: none */
    TAILQ_HEAD(cw_body_list, cw_fetch_body_wait) list; /* first begun first */
    atomic_uint_fast64_t bytes;                        /* read from other threads too */
    atomic_uint_fast64_t paused;
} cw_fetch_bodies;

/* budget 0: none. */
void cw_fetch_bodies_init(cw_fetch_bodies *bodies, struct event_base *base, uint64_t budget, int64_t timeout_ms);

/* A body begins, if it has not. */
void cw_fetch_bodies_enter(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, CURL *easy);
/* It has so many bytes now. */
void cw_fetch_bodies_count(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, size_t bytes);
/* And may have so many before it has to wait. */
size_t cw_fetch_bodies_room(const cw_fetch_bodies *bodies, const cw_fetch_body_wait *wait);
/* From within libcurl's write function: it waits. */
void cw_fetch_bodies_pause(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
bool cw_fetch_bodies_wait(const cw_fetch_bodies *bodies);       /* does one? */
bool cw_fetch_bodies_count_time(const cw_fetch_bodies *bodies); /* of one at least */
/* Outside of libcurl: the next that goes on, for which there is room now; NULL: none. */
cw_fetch_body_wait *cw_fetch_bodies_next(cw_fetch_bodies *bodies);
/* The next whose time is over, though not that of libcurl; NULL: none. */
cw_fetch_body_wait *cw_fetch_bodies_overdue(cw_fetch_bodies *bodies);
/* The transfer is over, and libcurl does not know it any more: its time does not count, but its body stays. While it is
 * the first, and there is no room, no large body goes on. Nothing where it has no body. */
void cw_fetch_bodies_end(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
/* The body goes away too. Nothing where there is none. */
void cw_fetch_bodies_leave(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);

#endif
