/* Limits the memory that all bodies under way in a fetcher take together. When the budget is used up, a new part of a
 * body has to wait, with two exceptions: the body that began first always goes on, and so do small bodies, so that
 * pages still arrive while large files wait. A body that waits is not read any further: libcurl pauses its transfer,
 * its server waits, and its timeout stands still until there is room. For one thread only.
 *
 * The buffers of bodies that are over are kept for others of their size: memory that is fresh costs a page fault for
 * each 4 KiB. Of those of a size the one that came back last is given out first: where pages come quickly, few buffers
 * serve all connections and stay in the processor's cache. */
#pragma once

#include <crawl/base.h>

#include <curl/curl.h>
#include <stdatomic.h>
#include <sys/queue.h>

struct event_base;

/* A body up to this size never waits: larger than most pages. */
#define CW_FETCH_BODY_SMALL ((size_t)128 * 1024)

/* A larger buffer of a body is freed: one large file should not take memory for ever. */
#define CW_FETCH_BODY_KEPT ((size_t)1024 * 1024)
/* Buffers that are kept: as many as connections that are busy at once in most crawls, and what all of them take. */
#define CW_FETCH_BODIES_KEPT 64
#define CW_FETCH_BODIES_KEPT_BYTES ((size_t)4 * 1024 * 1024)

/* A transfer, as long as it has a body. */
typedef struct cw_fetch_body_wait {
    TAILQ_ENTRY(cw_fetch_body_wait) link;
    CURL *easy;
    bool inside;
    bool paused;      /* until there is room */
    bool held;        /* until a rate allows it */
    bool timed;       /* it was paused or held once: libcurl does not count its time any more */
    int64_t left_ms;  /* time that is left to it, counted from since_ms */
    int64_t since_ms; /* when it went on, or when it was paused */
    size_t bytes;
} cw_fetch_body_wait;

typedef struct cw_fetch_bodies {
    struct event_base *base;
    size_t budget;
    int64_t timeout_ms;                                /* of a transfer; 0: none */
    TAILQ_HEAD(cw_body_list, cw_fetch_body_wait) list; /* the one that began first is first */
    atomic_uint_fast64_t bytes;                        /* read from other threads too */
    atomic_uint_fast64_t paused;
    crawl_buf kept[CW_FETCH_BODIES_KEPT]; /* empty buffers, the one that came back last at the end */
    unsigned kept_count;
    size_t kept_bytes;
} cw_fetch_bodies;

/* budget: in bytes; 0: no limit. timeout_ms: of a transfer; 0: none. */
void cw_fetch_bodies_init(cw_fetch_bodies *bodies, struct event_base *base, uint64_t budget, int64_t timeout_ms);
/* Frees the buffers that are kept. */
void cw_fetch_bodies_free(cw_fetch_bodies *bodies);

/* An empty buffer with room for a body of so many bytes; {0}: no memory. */
crawl_buf cw_fetch_bodies_take(cw_fetch_bodies *bodies, size_t expected);
/* Takes the memory of a buffer back, and leaves it empty. */
void cw_fetch_bodies_give_back(cw_fetch_bodies *bodies, crawl_buf *body);

/* Enters a transfer whose body begins. Does nothing if it has entered before. */
void cw_fetch_bodies_enter(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, CURL *easy);
/* Tells how many bytes the body has now. */
void cw_fetch_bodies_count(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, size_t bytes);
/* How many bytes the body may have before it has to wait. */
size_t cw_fetch_bodies_room(const cw_fetch_bodies *bodies, const cw_fetch_body_wait *wait);
/* Makes the body wait. To be called from libcurl's write function. */
void cw_fetch_bodies_pause(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
/* Its time stands still while it is held (throttle.h), and runs on. */
void cw_fetch_bodies_hold(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
void cw_fetch_bodies_release(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
bool cw_fetch_bodies_wait(const cw_fetch_bodies *bodies);       /* does any body wait? */
bool cw_fetch_bodies_count_time(const cw_fetch_bodies *bodies); /* is the time of any body counted here? */
/* The next body that waited and has room now; it counts as going on. NULL: none. To be called outside of libcurl. */
cw_fetch_body_wait *cw_fetch_bodies_next(cw_fetch_bodies *bodies);
/* The next body whose time, which is counted here and not by libcurl, is over; each is told once. NULL: none. */
cw_fetch_body_wait *cw_fetch_bodies_overdue(cw_fetch_bodies *bodies);
/* The transfer is over, and libcurl does not know it any more. Its time does not count any more, but its body stays:
 * while it is the first one and there is no room, no large body goes on. Does nothing for a transfer without a body. */
void cw_fetch_bodies_end(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
/* The body goes away too. Does nothing for a transfer without a body. */
void cw_fetch_bodies_leave(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
