/* Limits the total memory of all bodies in flight in a fetcher. When the budget is used up, a new part of a body must
 * wait, with two exceptions: the oldest body always continues, and so do small bodies, so that pages still arrive while
 * large files wait. A waiting body is not read: libcurl pauses its transfer, its server waits, and its timeout is
 * suspended until there is room. Single-threaded.
 *
 * The buffers of finished bodies are kept for others of their size: fresh memory costs a page fault per 4 KiB. Among
 * buffers of a size the one returned last is reused first: if pages arrive quickly, few buffers serve all connections
 * and stay in the processor's cache. */
#pragma once

#include <crawl/base.h>

#include <curl/curl.h>
#include <stdatomic.h>
#include <sys/queue.h>

/* A body up to this size never waits: larger than most pages. */
#define CW_FETCH_BODY_SMALL ((size_t)128 * 1024)

/* A body buffer larger than this is freed: one large file must not take memory forever. */
#define CW_FETCH_BODY_KEPT ((size_t)1024 * 1024)
/* Maximum number of buffers kept, which is that of busy connections in most crawls, and of their bytes. */
#define CW_FETCH_BODIES_KEPT 64
#define CW_FETCH_BODIES_KEPT_BYTES ((size_t)4 * 1024 * 1024)

/* A transfer, while it has a body. */
typedef struct cw_fetch_body_wait {
    TAILQ_ENTRY(cw_fetch_body_wait) link;
    CURL *easy;
    bool inside;
    bool paused;      /* until there is room */
    bool held;        /* until a rate allows it */
    bool timed;       /* it was paused or held once: libcurl no longer counts its time */
    int64_t left_ms;  /* its remaining time, counted from since_ms */
    int64_t since_ms; /* when it continued, or when it was paused */
    size_t bytes;
} cw_fetch_body_wait;

typedef struct cw_fetch_bodies {
    size_t budget;
    int64_t timeout_ms;                                /* for a transfer; 0: none */
    TAILQ_HEAD(cw_body_list, cw_fetch_body_wait) list; /* oldest first */
    atomic_uint_fast64_t bytes;                        /* also read by other threads */
    atomic_uint_fast64_t paused;
    crawl_buf kept[CW_FETCH_BODIES_KEPT]; /* empty buffers, the one returned last at the end */
    unsigned kept_count;
    size_t kept_bytes;
} cw_fetch_bodies;

/* Initialises the budget. budget: bytes; 0: no limit. timeout_ms: for a transfer; 0: none. */
void cw_fetch_bodies_init(cw_fetch_bodies *bodies, uint64_t budget, int64_t timeout_ms);
/* Frees the kept buffers. */
void cw_fetch_bodies_free(cw_fetch_bodies *bodies);

/* Returns an empty buffer with room for a body of this many bytes; {0}: out of memory. */
crawl_buf cw_fetch_bodies_take(cw_fetch_bodies *bodies, size_t expected);
/* Returns the memory of a buffer, leaving it empty. */
void cw_fetch_bodies_give_back(cw_fetch_bodies *bodies, crawl_buf *body);

/* Enters a transfer whose body begins. Does nothing if it has already entered. */
void cw_fetch_bodies_enter(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, CURL *easy);
/* Reports the present size of the body. */
void cw_fetch_bodies_count(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait, size_t bytes);
/* Returns how many bytes the body may have before it must wait. */
size_t cw_fetch_bodies_room(const cw_fetch_bodies *bodies, const cw_fetch_body_wait *wait);
/* Makes the body wait. Must be called from libcurl's write function. */
void cw_fetch_bodies_pause(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
/* Suspend its time while it is held (throttle.h), and resume it. */
void cw_fetch_bodies_hold(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
void cw_fetch_bodies_release(cw_fetch_body_wait *wait);
bool cw_fetch_bodies_wait(const cw_fetch_bodies *bodies);       /* true if any body waits */
bool cw_fetch_bodies_count_time(const cw_fetch_bodies *bodies); /* true if the time of any body is counted here */
/* Returns the next waiting body that has room now, and counts it as continuing. NULL: none. Must not be called from
 * libcurl's callbacks. */
cw_fetch_body_wait *cw_fetch_bodies_next(cw_fetch_bodies *bodies);
/* Returns the next body whose time, if counted here rather than by libcurl, is over; reports each once. NULL: none. */
cw_fetch_body_wait *cw_fetch_bodies_overdue(cw_fetch_bodies *bodies);
/* Ends the time of a finished transfer, which libcurl no longer knows. Its body stays: while it is the oldest and there
 * is no room, no large body continues. Does nothing for a transfer without a body. */
void cw_fetch_bodies_end(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
/* Also removes the body. Does nothing for a transfer without a body. */
void cw_fetch_bodies_leave(cw_fetch_bodies *bodies, cw_fetch_body_wait *wait);
