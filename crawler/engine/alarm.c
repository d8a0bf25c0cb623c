#include "crawler/engine/alarm.h"

#include <event2/event.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { SECOND_US = 1000 * 1000 };

static void on_ring(evutil_socket_t fd, short what, void *user)
{
    (void)what;
    cw_engine_alarm *alarm = user;
    uint64_t times;
    ssize_t got = read(fd, &times, sizeof times);
    (void)got; /* nothing there: the moment was moved meanwhile, and comes */
    alarm->set_us = 0;
    alarm->ring(alarm->user);
}

crawl_err cw_engine_alarm_open(cw_engine_alarm *alarm, struct event_base *base, void (*ring)(void *user), void *user)
{
    *alarm = (cw_engine_alarm){.ring = ring, .user = user};
    alarm->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (alarm->fd < 0)
        return CRAWL_EIO;
    alarm->event = event_new(base, alarm->fd, EV_READ | EV_PERSIST, on_ring, alarm);
    return alarm->event && event_add(alarm->event, NULL) == 0 ? CRAWL_OK : CRAWL_ENOMEM;
}

void cw_engine_alarm_close(cw_engine_alarm *alarm)
{
    if (alarm->event)
        event_free(alarm->event);
    if (alarm->ring && alarm->fd >= 0)
        close(alarm->fd);
    *alarm = (cw_engine_alarm){0};
}

void cw_engine_alarm_set(cw_engine_alarm *alarm, int64_t at_us)
{
    if (alarm->set_us && alarm->set_us <= at_us)
        return;
    /* A time of 0 would disarm the timer. */
    int64_t at = at_us > 0 ? at_us : 1;
    struct itimerspec moment = {.it_value = {.tv_sec = at / SECOND_US, .tv_nsec = at % SECOND_US * 1000}};
    if (timerfd_settime(alarm->fd, TFD_TIMER_ABSTIME, &moment, NULL) == 0)
        alarm->set_us = at;
}
