/* One moment at which a loop is called, to the microsecond. The timers of a loop go by a clock of a few milliseconds:
 * one that is exact costs a call of the system in each turn of the loop, this one a call where the moment changes. */
#ifndef CW_ENGINE_ALARM_H
#define CW_ENGINE_ALARM_H

#include <crawl/base.h>

struct event;
struct event_base;

typedef struct cw_engine_alarm {
    int fd;         /* a timerfd */
    int64_t set_us; /* the moment, of the monotonic clock; 0: none */
    struct event *event;
    void (*ring)(void *user);
    void *user;
} cw_engine_alarm;

/* Opens an alarm that is {0}. CRAWL_EIO: errno says why. CRAWL_ENOMEM. It must be closed whatever is returned. */
crawl_err cw_engine_alarm_open(cw_engine_alarm *alarm, struct event_base *base, void (*ring)(void *user), void *user);
void cw_engine_alarm_close(cw_engine_alarm *alarm);

/* Makes it ring at this moment at the latest: one that is sooner stands. */
void cw_engine_alarm_set(cw_engine_alarm *alarm, int64_t at_us);

#endif
