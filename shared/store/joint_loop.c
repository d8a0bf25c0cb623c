
#include "base/clock.h"
#include "base/error.h"
#include "base/thread.h"
#include "shared/store/budget.h"
#include "shared/store/hold.h"
#include "shared/store/joint.h"
#include "shared/store/joint_cookies.h"
#include "shared/store/joint_crew.h"
#include "shared/store/joint_join.h"
#include "shared/store/joint_notes.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/joint_sessions.h"
#include "shared/store/lone.h"
#include "shared/store/look.h"
#include "shared/store/offer.h"
#include "shared/store/partitions.h"
#include "shared/store/places.h"
#include "shared/store/stray.h"
#include "shared/store/turns.h"

#include <event2/event.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    TICK_MS = 20,   /* between two turns; fewer turns cost fewer scripts a page */
    CLOSE_MS = 5000 /* how long closing waits for Redis */
};

/* ---- close ---- */

/* Pushes wait while a new connection asks whether it has the same crawl. */
static bool joint_loop_has_offers(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool has_some = joint->pushes->offered != NULL;
    pthread_mutex_unlock(&joint->frontier->lock);
    return has_some || joint->pushes->epochs;
}

/* Returns true if everything was reported and given back. The end is told last: a look says that the process lives. */
static bool joint_loop_is_said(cw_joint *joint)
{
    bool is_fed = joint->seeds->fed == 0 && !joint->seeds->is_telling;
    return !joint->holds->count && cw_joint_lones_are_told(joint) && !joint_loop_has_offers(joint) && is_fed &&
           cw_joint_notes_are_sent(joint) && cw_joint_cookies_are_told(joint) && cw_joint_budget_is_told(joint) &&
           cw_joint_places_are_told(joint) && cw_joint_turns_are_told(joint) && cw_joint_runs_are_left(joint) &&
           cw_joint_stirs_are_told(joint) && !joint->look->is_out && cw_joint_crew_end(joint);
}

static void joint_loop_end_when_said(cw_joint *joint, int64_t now_us)
{
    cw_joint_thread *thread = &joint->thread;
    if (!thread->close_us) {
        thread->close_us = now_us + CLOSE_MS * 1000;
        joint->seeds->are_for_all = joint->seeds->are_for_all && !joint->seeds->feeding;
        cw_joint_feed(joint, false);
    }
    thread->gave_back = joint_loop_is_said(joint);
    if (thread->gave_back || now_us >= thread->close_us || atomic_load(&joint->faults.failed))
        event_base_loopbreak(thread->base);
}

/* ---- a turn ---- */

static void joint_loop_talk(cw_joint *joint, int64_t now_us)
{
    cw_joint_budget_tell(joint, now_us);
    cw_joint_places_tell(joint, now_us);
    cw_joint_turns_tell(joint, now_us);
    cw_joint_runs_tell(joint, now_us);
    cw_joint_bodies_ask(joint);
    cw_joint_notes_send(joint); /* before pushes: whoever gets a push must know the notes */
    cw_joint_send_offered(joint);
    cw_joint_cookies_turn(joint, now_us);
    cw_joint_notes_ask_again(joint);
    cw_joint_write_hosts(joint);
    cw_joint_free_gone(joint);
    cw_joint_lones_turn(joint, now_us);
    cw_joint_seek_hosts(joint, now_us);
    cw_joint_forget_hosts(joint);
    cw_joint_take_hosts(joint, now_us);
    cw_joint_seeds_tell(joint, now_us);
    cw_joint_renew_hosts(joint, now_us);
    cw_joint_look_turn(joint, now_us);
    cw_joint_crew_turn(joint, now_us);
}

void cw_joint_turn(cw_joint *joint)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    cw_joint_come_back(joint);
    if (cw_joint_look_knows_crawl(joint))
        joint_loop_talk(joint, now_us);
    cw_joint_wake(joint);
    if (atomic_load(&joint->thread.closing))
        joint_loop_end_when_said(joint, now_us);
    if (atomic_load(&joint->thread.stopping))
        event_base_loopbreak(joint->thread.base);
}

/* ---- the thread ---- */

static void joint_loop_on_tick(evutil_socket_t, short, void *user)
{
    cw_joint_turn(user);
}

static void joint_loop_on_wake(evutil_socket_t fd, short, void *user)
{
    eventfd_t count;
    eventfd_read(fd, &count); /* clears all pending wakes */
    cw_joint_turn(user);
}

static void *joint_loop_run(void *user)
{
    cw_joint *joint = user;
    event_base_dispatch(joint->thread.base);
    return NULL;
}

static void joint_loop_wake(cw_joint *joint)
{
    eventfd_write(joint->thread.wake_fd, 1);
}

crawl_err cw_joint_loop_create(cw_joint *joint, crawl_error *error)
{
    cw_joint_thread *thread = &joint->thread;
    thread->base = event_base_new();
    thread->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (!thread->base || thread->wake_fd < 0)
        return cw_error(error, CRAWL_EIO);
    thread->tick = event_new(thread->base, -1, EV_PERSIST, joint_loop_on_tick, joint);
    thread->wake = event_new(thread->base, thread->wake_fd, EV_READ | EV_PERSIST, joint_loop_on_wake, joint);
    if (!thread->tick || !thread->wake)
        return cw_error(error, CRAWL_ENOMEM);
    return CRAWL_OK;
}

crawl_err cw_joint_loop_start(cw_joint *joint)
{
    cw_joint_thread *thread = &joint->thread;
    const struct timeval every = {.tv_usec = TICK_MS * 1000};
    if (event_add(thread->tick, &every) || event_add(thread->wake, NULL))
        return CRAWL_ENOMEM;
    thread->has_begun = true;
    if (cw_thread_start(&thread->id, joint_loop_run, joint) == 0)
        return CRAWL_OK;
    thread->has_begun = false;
    return CRAWL_EIO;
}

void cw_joint_loop_end(cw_joint *joint, atomic_bool *how)
{
    if (!joint->thread.has_begun)
        return;
    atomic_store(how, true);
    joint_loop_wake(joint);
    pthread_join(joint->thread.id, NULL);
    joint->thread.has_begun = false;
}

static void joint_loop_free_event(struct event *event)
{
    if (event)
        event_free(event);
}

void cw_joint_loop_free(cw_joint_thread *thread)
{
    joint_loop_free_event(thread->tick);
    joint_loop_free_event(thread->wake);
    if (thread->base) {
        event_base_loop(thread->base, EVLOOP_NONBLOCK); /* frees what libevent frees late */
        event_base_free(thread->base);
    }
    if (thread->wake_fd >= 0)
        close(thread->wake_fd);
}
