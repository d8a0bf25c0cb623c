/* Holds transfers whose bytes would go beyond a rate: of all (crawl_fetch_options.rate) or of their host
 * (crawl_fetch_request.rate). A transfer that is held is not read, so that its server has to wait; they go on in the
 * order in which they were held, each as soon as its rates allow. For one thread only. */
#pragma once

#include <crawl/fetch.h>

#include <stdatomic.h>
#include <sys/queue.h>

struct event;

enum { CW_FETCH_RATES = 2 }; /* of all, of the host */

/* A transfer's part. */
typedef struct cw_fetch_hold {
    TAILQ_ENTRY(cw_fetch_hold) link;
    crawl_fetch_rate *rates[CW_FETCH_RATES]; /* NULL: none */
    bool inside;                             /* it is held */
    size_t bytes;                            /* that came when it was held, and will come again */
    size_t paid;                             /* of what is to come, already taken from the rates */
    int64_t since_us;                        /* when it was held */
    int64_t held_us;                         /* in all, up to when it last went on */
} cw_fetch_hold;

typedef struct cw_fetch_throttle {
    TAILQ_HEAD(cw_hold_list, cw_fetch_hold) holds; /* the one that was held first is first */
    struct event *timer;                           /* when the next of them may go on */
    atomic_uint_fast64_t held;                     /* how many; read from other threads too */
} cw_fetch_throttle;

/* timer: borrowed; its callback asks for cw_fetch_throttle_next until there is none. */
void cw_fetch_throttle_init(cw_fetch_throttle *throttle, struct event *timer);

/* Makes hold that of a new transfer. */
void cw_fetch_hold_begin(cw_fetch_hold *hold, crawl_fetch_rate *of_all, crawl_fetch_rate *of_host);
/* Has it any rate that limits it now? A crawl's own rate is always there, and may be set while it runs. */
static inline bool cw_fetch_hold_is_limited(const cw_fetch_hold *hold)
{
    return crawl_fetch_rate_get(hold->rates[0]) || crawl_fetch_rate_get(hold->rates[1]);
}

/* Takes bytes that cannot be held back, such as those of a header. */
void cw_fetch_hold_take(const cw_fetch_hold *hold, size_t bytes, int64_t now_us);

/* Bytes of a body have come: true: they are taken from the rates; false: the transfer is held, and must not read them
 * before cw_fetch_throttle_next has given it. */
bool cw_fetch_throttle_admits(cw_fetch_throttle *throttle, cw_fetch_hold *hold, size_t bytes, int64_t now_us);
/* The first that may go on now; it is held no longer, and the bytes that it was held with are taken. NULL: none, and
 * the timer is set for the next. */
cw_fetch_hold *cw_fetch_throttle_next(cw_fetch_throttle *throttle, int64_t now_us);
/* The transfer ends. Does nothing if it is not held. */
void cw_fetch_throttle_leave(cw_fetch_throttle *throttle, cw_fetch_hold *hold);
