#include "fetch/throttle.h"

#include <event2/event.h>

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

static void throttle_set_timer(const cw_fetch_throttle *throttle, int64_t wait_us)
{
    struct timeval wait = {.tv_sec = wait_us / 1000000, .tv_usec = wait_us % 1000000};
    evtimer_add(throttle->timer, &wait);
}

static void throttle_enter(cw_fetch_throttle *throttle, cw_fetch_hold *hold, size_t bytes, int64_t now_us)
{
    hold->inside = true;
    hold->bytes = bytes;
    hold->since_us = now_us;
    TAILQ_INSERT_TAIL(&throttle->holds, hold, link);
    atomic_fetch_add_explicit(&throttle->held, 1, memory_order_relaxed);
    if (!evtimer_pending(throttle->timer, NULL))
        throttle_set_timer(throttle, owed_us(hold, now_us));
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
        throttle_set_timer(throttle, soonest);
    return NULL;
}
