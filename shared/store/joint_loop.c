/* The thread of a joint frontier: so many times a second it has a turn, in which it brings to Redis what has gathered
 * since, takes hosts where some are wanted, keeps those that it has, and looks now and then whether anything is left
 * anywhere. */
#include "base/clock.h"
#include "shared/store/come_back.h"

#include <event2/event.h>

/* ---- the whole ---- */

static bool is_idle(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool is_idle =
        !joint->offered && !joint->feeding && !joint->is_drained && joint->frontier->promise != CW_PROMISE_NONE;
    pthread_mutex_unlock(&joint->frontier->lock);
    return is_idle && !joint->hold_count && !joint->epochs;
}

static void joint_loop_look(cw_joint *joint, bool is_final);

static bool joint_loop_is_empty(const crawl_shared_counts *figures)
{
    return !figures->queued && !figures->held && !figures->sessions && !figures->waiting;
}

/* A first look that finds nothing is followed by one that can be sure of it. */
static void take_look(cw_joint *joint, const cw_shared_look *said, bool is_final)
{
    bool is_drained = is_final && said->is_drained && is_idle(joint) && !joint->is_asking_made;
    cw_joint_look_for_stranded(joint, said);
    cw_joint_seeds_note_unfed(joint, said->unfed, is_drained);
    cw_frontier_enter(joint->frontier, INT64_MIN);
    joint->figures = said->figures;
    joint->accepted_before_look = joint->accepted_at_look;
    joint->is_drained = joint->is_drained || (is_drained && !joint->offered);
    joint->looks_had = joint->look_serves;
    pthread_cond_broadcast(&joint->looked);
    cw_frontier_leave(joint->frontier);
    if (!is_final && joint_loop_is_empty(&said->figures) && is_idle(joint))
        joint_loop_look(joint, true);
}

static void on_looked(void *user, const cw_shared_look *said)
{
    cw_joint *joint = user;
    bool is_final = joint->looks_for_sure;
    joint->is_looking = joint->looks_for_sure = false;
    joint->looked_us = cw_clock_us(CLOCK_BOOTTIME);
    joint->has_moved = joint->has_moved || said->fault;
    if (said->fault)
        cw_joint_fault(joint, said->fault, said->words);
    else
        take_look(joint, said, is_final);
}

static void joint_loop_look(cw_joint *joint, bool is_final)
{
    cw_joint_made_ask(joint); /* its answer comes first, so that no other crawl's end is taken for that of this one */
    joint->has_moved = false;
    joint->looks_for_sure = is_final;
    joint->look_serves = cw_joint_look_serves(joint);
    joint->accepted_at_look = joint->accepted; /* which this thread alone changes */
    joint->is_looking = cw_shared_look_at(joint->shared, is_final, on_looked, joint) == CRAWL_OK;
}

static bool fills_up(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool fills_up = cw_joint_fills_up(joint);
    pthread_mutex_unlock(&joint->frontier->lock);
    return fills_up;
}

static void look_now_and_then(cw_joint *joint, int64_t now_us)
{
    bool has_news = joint->has_moved && !joint->is_stirred;
    int64_t every_ms = fills_up(joint) ? CW_JOINT_FULL_MS : CW_JOINT_FIGURES_MS;
    if (is_idle(joint))
        every_ms = has_news ? CW_JOINT_LOOK_MS : cw_joint_rest_ms(joint);
    if (joint->is_up && cw_joint_runs_are_known(joint) && !joint->is_looking &&
        (now_us - joint->looked_us >= every_ms * 1000 || cw_joint_look_serves(joint) > joint->looks_had))
        joint_loop_look(joint, false);
}

/* ---- the end ---- */

static void end_when_said(cw_joint *joint, int64_t now_us)
{
    if (!joint->close_us) {
        joint->close_us = now_us + CW_JOINT_CLOSE_MS * 1000;
        joint->seeds.are_for_all = joint->seeds.are_for_all && !joint->feeding;
        cw_joint_feed(joint, false);
    }
    bool is_fed = joint->fed == 0 && !joint->fed_sent;
    joint->gave_back = !joint->hold_count && !joint->epochs && is_fed && cw_joint_notes_are_sent(joint) &&
                       cw_joint_cookies_are_told(joint) && cw_joint_budget_is_told(joint) &&
                       cw_joint_places_are_told(joint) && cw_joint_runs_are_left(joint) && cw_joint_crew_end(joint);
    if (joint->gave_back || now_us >= joint->close_us || atomic_load(&joint->failed))
        event_base_loopbreak(joint->base);
}

/* ---- a turn ---- */

static void talk(cw_joint *joint, int64_t now_us)
{
    cw_joint_budget_tell(joint, now_us);
    cw_joint_places_tell(joint, now_us);
    cw_joint_runs_tell(joint, now_us);
    cw_joint_bodies_ask(joint);
    cw_joint_notes_send(joint); /* before what is pushed: whoever has that is to know them */
    cw_joint_send_offered(joint);
    cw_joint_cookies_turn(joint, now_us);
    if (joint->reads_again && joint->is_up && !joint->is_reading_notes && !joint->note_questions)
        cw_joint_notes_ask(joint);
    cw_joint_write_hosts(joint);
    cw_joint_free_gone(joint);
    cw_joint_stray_seek(joint, now_us);
    cw_joint_forget_hosts(joint);
    cw_joint_take_hosts(joint, now_us);
    cw_joint_renew_hosts(joint, now_us);
    look_now_and_then(joint, now_us);
    cw_joint_crew_turn(joint, now_us);
}

void cw_joint_turn(cw_joint *joint)
{
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    cw_joint_come_back(joint);
    if (cw_joint_made_is_known(joint))
        talk(joint, now_us);
    if (atomic_load(&joint->closing))
        end_when_said(joint, now_us);
    if (atomic_load(&joint->stopping))
        event_base_loopbreak(joint->base);
}
