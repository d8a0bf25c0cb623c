#include "shared/store/joint_join.h"

#include "base/error.h"
#include "shared/store/joint_notes.h"
#include "shared/store/joint_seeds.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORD_MS = 1000, PATIENCE_MS = 5000, LOADING_MS = 60000, AGAIN_MS = 100, TICK_MS = 250 };

static void stop_waiting(cw_joint *joint, crawl_err err, const char *words)
{
    if (err && !joint->joining->err)
        joint->joining->err = crawl_error_set(&joint->joining->error, err, "%s", words);
    event_base_loopbreak(joint->thread.base);
}

static void joint_join_on_again(evutil_socket_t fd, short what, void *user);

/* Takes the result of a join. Asks again while patience lasts if the server is reading its data or has gone away. A
 * final refusal is reported at once. */
static void joint_join_on_joined(void *user, crawl_err err, const crawl_error *error, bool made)
{
    const struct timeval moment = {.tv_usec = AGAIN_MS * 1000};
    cw_joint *joint = user;
    const char *words = error ? error->message : crawl_strerror(err);
    joint->joining->made = joint->joining->made || made;
    if (!err) {
        cw_joint_seeds_note_unfed(joint, cw_shared_unfed(joint->shared), false);
        joint->seeds->are_for_all = joint->seeds->unfed > 0;
        cw_joint_notes_read(joint);
    } else if (err != CRAWL_ENET ||
               event_base_once(joint->thread.base, -1, EV_TIMEOUT, joint_join_on_again, joint, &moment))
        stop_waiting(joint, err, words);
    snprintf(joint->joining->words, sizeof joint->joining->words, "%.199s", words);
}

/* Joins with the choices of the frontier that all must share, besides those of the protocol. */
static crawl_err joint_join_frontier(cw_joint *joint)
{
    static const char *const orders[] = {
        [CRAWL_ORDER_BFS] = "bfs", [CRAWL_ORDER_DFS] = "dfs", [CRAWL_ORDER_BEST] = "best"};
    const crawl_shared_options *options = &joint->options;
    const crawl_frontier_options *of_frontier = &joint->frontier->options;
    size_t count = 0;
    cw_shared_choice *choices = calloc(options->choice_count + 2, sizeof *choices);
    if (!choices)
        return CRAWL_ENOMEM;
    for (; count < options->choice_count; count++)
        choices[count] = (cw_shared_choice){options->choices[count].name, options->choices[count].value};
    choices[count++] = (cw_shared_choice){crawl_slice_from("order"), crawl_slice_from(orders[of_frontier->order])};
    if (of_frontier->fingerprints)
        choices[count++] =
            (cw_shared_choice){crawl_slice_from("fingerprints"), crawl_slice_from(of_frontier->fingerprints)};
    crawl_err err = cw_shared_join(joint->shared, choices, count, options->feeding, joint_join_on_joined, joint);
    free(choices);
    return err;
}

/* Joins again. A connection made meanwhile joins by itself. */
static void joint_join_on_again(evutil_socket_t, short, void *user)
{
    cw_joint *joint = user;
    if (!joint->thread.has_begun && joint->is_up && joint_join_frontier(joint))
        stop_waiting(joint, CRAWL_ENOMEM, crawl_strerror(CRAWL_ENOMEM));
}

/* Gives up: the user must name another user or password, or another server. */
static void joint_join_refuse(cw_joint *joint, crawl_redis_fault fault, const char *words)
{
    char text[400];
    bool is_of_user = fault == CRAWL_REDIS_NOAUTH || fault == CRAWL_REDIS_WRONGPASS || fault == CRAWL_REDIS_NOPERM;
    snprintf(text, sizeof text, "%s (%s)", crawl_redis_fault_words(fault), words);
    stop_waiting(joint, is_of_user ? CRAWL_EINVAL : CRAWL_ENET, text);
}

void cw_joint_join_on_state(cw_joint *joint, crawl_redis_fault fault, const char *words)
{
    snprintf(joint->joining->words, sizeof joint->joining->words, "%.199s", fault ? words : "");
    joint->joining->was_there = joint->joining->was_there || !fault || fault == CRAWL_REDIS_LOADING;
    if (fault == CRAWL_REDIS_OK && joint_join_frontier(joint))
        stop_waiting(joint, CRAWL_ENOMEM, crawl_strerror(CRAWL_ENOMEM));
    else if (fault && !crawl_redis_fault_passes(fault))
        joint_join_refuse(joint, fault, words);
}

/* Tells the user what takes long. */
static void on_waiting(evutil_socket_t, short, void *user)
{
    char text[300];
    cw_joint *joint = user;
    snprintf(text, sizeof text, "waiting for redis: %s",
             *joint->joining->words ? joint->joining->words : "it does not answer");
    cw_joint_say(joint, text);
}

/* Waits longer for a server that was there: it may read its data, or its connection was cut. Counts ticks, not time: a
 * process that is stopped takes no answer meanwhile, and loses one tick at most. */
static void joint_join_on_tick(evutil_socket_t, short, void *user)
{
    cw_joint *joint = user;
    cw_joint_joining *joining = joint->joining;
    if (joint->notes->are_read || --joining->ticks)
        return;
    bool waits = joining->was_there && !joining->was_patient;
    joining->was_patient = true;
    joining->ticks = LOADING_MS / TICK_MS;
    if (!waits)
        event_base_loopbreak(joint->thread.base);
}

crawl_err cw_joint_join_wait(cw_joint *joint, crawl_error *error)
{
    const struct timeval word = {.tv_sec = WORD_MS / 1000};
    const struct timeval tick = {.tv_usec = TICK_MS * 1000};
    struct event *patience = event_new(joint->thread.base, -1, EV_PERSIST, joint_join_on_tick, joint);
    struct event *waiting = evtimer_new(joint->thread.base, on_waiting, joint);
    joint->joining->ticks = PATIENCE_MS / TICK_MS;
    bool is_ready = patience && waiting && !evtimer_add(patience, &tick) && !evtimer_add(waiting, &word);
    if (is_ready)
        event_base_dispatch(joint->thread.base);
    if (patience)
        event_free(patience);
    if (waiting)
        event_free(waiting);
    if (!is_ready)
        return cw_error(error, CRAWL_ENOMEM);
    if (joint->joining->err) {
        *error = joint->joining->error;
        return joint->joining->err;
    }
    if (atomic_load(&joint->faults.failed)) {
        *error = joint->faults.failure;
        return CRAWL_ENET;
    }
    if (joint->notes->are_read)
        return CRAWL_OK;
    return crawl_error_set(error, CRAWL_ENET, "%s",
                           *joint->joining->words ? joint->joining->words : "the server does not answer");
}

/* ---- runs ---- */

bool cw_joint_runs_are_known(const cw_joint *joint)
{
    return cw_shared_run_date(joint->shared) > 0;
}

bool cw_joint_runs_are_left(const cw_joint *joint)
{
    return !joint->runs->takes_part && !joint->runs->is_telling;
}

static void runs_on_part(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    joint->runs->is_telling = false;
    if (!fault) {
        cw_frontier_enter(joint->frontier, INT64_MIN);
        joint->runs->date_ms = cw_shared_run_date(joint->shared);
        cw_frontier_leave(joint->frontier);
        return;
    }
    joint->runs->told_us = 0;
    cw_joint_fault(joint, fault, words);
}

static void on_left(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    joint->runs->is_telling = false;
    joint->runs->takes_part = fault != CRAWL_REDIS_OK;
    if (fault)
        cw_joint_fault(joint, fault, words);
}

void cw_joint_runs_tell(cw_joint *joint, int64_t now_us)
{
    bool leaves = atomic_load(&joint->thread.closing);
    bool is_time = !joint->runs->told_us || now_us - joint->runs->told_us >= joint->options.lease_ms * 1000 / 3;
    bool has_words = leaves ? joint->runs->takes_part : is_time;
    if (!joint->is_up || joint->runs->is_telling || !has_words)
        return;
    joint->runs->takes_part = true;
    joint->runs->told_us = now_us;
    joint->runs->is_telling = cw_shared_run(joint->shared, !leaves, leaves ? on_left : runs_on_part, joint) == CRAWL_OK;
    if (!joint->runs->is_telling)
        joint->runs->told_us = 0;
}
