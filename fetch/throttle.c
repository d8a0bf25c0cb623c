#include "fetch/throttle.h"

#include "base/bytes.h"

#include <event2/event.h>
#include <stdlib.h>

/* Held transfers are looked at this often, since their rates may be changed meanwhile. */
static const int64_t LOOK_US = 250000;

void cw_fetch_throttle_init(cw_fetch_throttle *throttle, struct event *timer)
{
    *throttle = (cw_fetch_throttle){.timer = timer};
    TAILQ_INIT(&throttle->holds);
}

void cw_fetch_hold_begin(cw_fetch_hold *hold, crawl_fetch_rate *of_all, crawl_fetch_rate *of_host)
{
    *hold = (cw_fetch_hold){.rates = {of_all, of_host}};
}

static int64_t owed_us(const cw_fetch_hold *hold, int64_t now_us)
{
    int64_t longest = 0;
    for (int i = 0; i < CW_FETCH_RATES; i++) {
        int64_t owed = crawl_fetch_rate_owed_us(hold->rates[i], now_us);
        longest = owed > longest ? owed : longest;
    }
    return longest;
}

void cw_fetch_hold_take(const cw_fetch_hold *hold, size_t bytes, int64_t now_us)
{
    for (int i = 0; i < CW_FETCH_RATES; i++)
        crawl_fetch_rate_take(hold->rates[i], bytes, now_us);
}

static void throttle_set_timer(cw_fetch_throttle *throttle, int64_t owed_us, int64_t now_us)
{
    int64_t wait_us = cw_least(owed_us, LOOK_US);
    struct timeval wait = {.tv_sec = wait_us / 1000000, .tv_usec = wait_us % 1000000};
    throttle->due_us = now_us + wait_us;
    evtimer_add(throttle->timer, &wait);
}

static void throttle_enter(cw_fetch_throttle *throttle, cw_fetch_hold *hold, size_t bytes, int64_t now_us)
{
    hold->inside = true;
    hold->bytes = bytes;
    hold->since_us = now_us;
    TAILQ_INSERT_TAIL(&throttle->holds, hold, link);
    atomic_fetch_add_explicit(&throttle->held, 1, memory_order_relaxed);
    int64_t owed = owed_us(hold, now_us);
    if (!evtimer_pending(throttle->timer, NULL) || now_us + owed < throttle->due_us)
        throttle_set_timer(throttle, owed, now_us);
}

bool cw_fetch_throttle_admits(cw_fetch_throttle *throttle, cw_fetch_hold *hold, size_t bytes, int64_t now_us)
{
    size_t paid = hold->paid < bytes ? hold->paid : bytes;
    if (hold->inside)
        return false;
    if (!paid && owed_us(hold, now_us)) {
        throttle_enter(throttle, hold, bytes, now_us);
        return false;
    }
    hold->paid -= paid;
    cw_fetch_hold_take(hold, bytes - paid, now_us);
    return true;
}

void cw_fetch_throttle_leave(cw_fetch_throttle *throttle, cw_fetch_hold *hold)
{
    if (!hold->inside)
        return;
    hold->inside = false;
    TAILQ_REMOVE(&throttle->holds, hold, link);
    atomic_fetch_sub_explicit(&throttle->held, 1, memory_order_relaxed);
}

static cw_fetch_hold *throttle_let_go(cw_fetch_throttle *throttle, cw_fetch_hold *hold, int64_t now_us)
{
    hold->held_us += now_us - hold->since_us;
    hold->paid = hold->bytes;
    cw_fetch_throttle_leave(throttle, hold);
    cw_fetch_hold_take(hold, hold->bytes, now_us);
    return hold;
}

cw_fetch_hold *cw_fetch_throttle_next(cw_fetch_throttle *throttle, int64_t now_us)
{
    cw_fetch_hold *hold;
    int64_t soonest = INT64_MAX;
    TAILQ_FOREACH(hold, &throttle->holds, link)
    {
        int64_t owed = owed_us(hold, now_us);
        if (!owed)
            return throttle_let_go(throttle, hold, now_us);
        soonest = owed < soonest ? owed : soonest;
    }
    if (soonest < INT64_MAX)
        throttle_set_timer(throttle, soonest, now_us);
    return NULL;
}

/* See <crawl/fetch.h>. A rate is stored as the moment until which the received bytes use it up (the generic cell rate
 * algorithm of ITU-T I.371, continuous-state leaky bucket): each byte advances that moment by its share of time. While
 * it is ahead of now, that much is owed. */

enum { NS_PER_US = 1000 };
static const int64_t NS_PER_S = 1000000000;

/* An unused share may be used later, up to this much time of it: a loop that was late catches up, but one that had
 * nothing to read for long does not burst. */
static const int64_t CATCH_UP_NS = 100000000;

/* Maximum bytes counted per call, which prevents overflow: at a byte per second they stand for centuries. */
static const uint64_t MOST_BYTES = UINT64_C(1) << 33;

struct crawl_fetch_rate {
    atomic_uint_fast64_t bytes_per_s; /* 0: no limit */
    atomic_int_fast64_t full_until_ns;
};

crawl_fetch_rate *crawl_fetch_rate_create(uint64_t bytes_per_s)
{
    crawl_fetch_rate *rate = calloc(1, sizeof *rate);
    if (rate)
        atomic_init(&rate->bytes_per_s, bytes_per_s);
    return rate;
}

void crawl_fetch_rate_free(crawl_fetch_rate *rate)
{
    free(rate);
}

/* Also drops the debt, which was measured by the old rate. */
void crawl_fetch_rate_set(crawl_fetch_rate *rate, uint64_t bytes_per_s)
{
    if (atomic_exchange(&rate->bytes_per_s, bytes_per_s) != bytes_per_s)
        atomic_store(&rate->full_until_ns, 0);
}

uint64_t crawl_fetch_rate_get(const crawl_fetch_rate *rate)
{
    return rate ? atomic_load_explicit(&rate->bytes_per_s, memory_order_relaxed) : 0;
}

/* The first bytes of a rate have nothing to catch up with. */
static int64_t begin_of(int64_t full_until_ns, int64_t now_ns)
{
    if (full_until_ns == 0)
        return now_ns;
    int64_t earliest = now_ns - CATCH_UP_NS;
    return full_until_ns > earliest ? full_until_ns : earliest;
}

void crawl_fetch_rate_take(crawl_fetch_rate *rate, uint64_t bytes, int64_t now_us)
{
    uint64_t per_s = crawl_fetch_rate_get(rate);
    if (!per_s || !bytes)
        return;
    uint64_t counted = bytes < MOST_BYTES ? bytes : MOST_BYTES;
    int64_t worth_ns = (int64_t)(counted * (uint64_t)NS_PER_S / per_s);
    int_fast64_t before = atomic_load(&rate->full_until_ns);
    int_fast64_t after;
    do
        after = begin_of(before, now_us * NS_PER_US) + worth_ns;
    while (!atomic_compare_exchange_weak(&rate->full_until_ns, &before, after));
}

int64_t crawl_fetch_rate_owed_us(const crawl_fetch_rate *rate, int64_t now_us)
{
    if (!crawl_fetch_rate_get(rate))
        return 0;
    int64_t owed_ns = atomic_load(&rate->full_until_ns) - now_us * NS_PER_US;
    return owed_ns > 0 ? (owed_ns + NS_PER_US - 1) / NS_PER_US : 0;
}
