/* Holds transfers whose bytes would exceed a rate: that of all (crawl_fetch_options.rate) or of their host
 * (crawl_fetch_request.rate). A held transfer is not read, so that its server must wait. Transfers continue in the
 * order in which they were held, each as soon as its rates allow. Single-threaded. */
#pragma once

#include <crawl/fetch.h>

#include <stdatomic.h>
#include <sys/queue.h>

struct event;

enum { CW_FETCH_RATES = 2 }; /* that of all, that of the host */

/* The state of one transfer. */
typedef struct cw_fetch_hold {
    TAILQ_ENTRY(cw_fetch_hold) link;
    crawl_fetch_rate *rates[CW_FETCH_RATES]; /* NULL: none */
    bool inside;                             /* it is held */
    size_t bytes;                            /* received when it was held; they will come again */
    size_t paid;                             /* bytes to come that are already charged to the rates */
    int64_t since_us;                        /* when it was held */
    int64_t held_us;                         /* total, up to when it last continued */
} cw_fetch_hold;

typedef struct cw_fetch_throttle {
    TAILQ_HEAD(cw_hold_list, cw_fetch_hold) holds; /* the first held is first */
    struct event *timer;                           /* when the next of them may continue, or sooner */
    int64_t due_us;                                /* the time of timer, if it is pending */
    atomic_uint_fast64_t held;                     /* number of holds; also read by other threads */
} cw_fetch_throttle;

/* Initialises a throttle. timer: borrowed; its callback must call cw_fetch_throttle_next until that returns NULL. */
void cw_fetch_throttle_init(cw_fetch_throttle *throttle, struct event *timer);

/* Initialises hold for a new transfer. */
void cw_fetch_hold_begin(cw_fetch_hold *hold, crawl_fetch_rate *of_all, crawl_fetch_rate *of_host);
/* Returns true if any rate limits it now. A crawl's own rate always exists, and may be set while it runs. */
static inline bool cw_fetch_hold_is_limited(const cw_fetch_hold *hold)
{
    return crawl_fetch_rate_get(hold->rates[0]) || crawl_fetch_rate_get(hold->rates[1]);
}

/* Charges bytes that cannot be held back, such as those of a header. */
void cw_fetch_hold_take(const cw_fetch_hold *hold, size_t bytes, int64_t now_us);

/* Handles received bytes of a body. True: they were charged to the rates; false: the transfer is held, and must not
 * read them before cw_fetch_throttle_next has returned it. */
bool cw_fetch_throttle_admits(cw_fetch_throttle *throttle, cw_fetch_hold *hold, size_t bytes, int64_t now_us);
/* Returns the first hold that may continue now, after releasing it and charging its bytes. NULL: none, and the timer is
 * set for the next. */
cw_fetch_hold *cw_fetch_throttle_next(cw_fetch_throttle *throttle, int64_t now_us);
/* Ends a transfer's hold. Does nothing if it is not held. */
void cw_fetch_throttle_leave(cw_fetch_throttle *throttle, cw_fetch_hold *hold);
