#include "shared/store/turns.h"

#include "base/clock.h"
#include "base/map.h"

#include <stdlib.h>

enum {
    AGAIN_US = 200 * 1000, /* between two questions for a turn, or whether somebody waits for it */
    TURN_US = 2000 * 1000, /* length of a turn that somebody waits for */
    IDLE_US = 2000 * 1000, /* then a turn goes back that is not used here */
    UNUSED_US = 600 * 1000 /* likewise, if somebody else waits for it; or nobody waits here any more */
};

/* Never freed before the end. All under the lock. */
typedef struct cw_joint_turn_at {
    struct cw_joint_turn_at *next; /* in the list to_do */
    uint64_t number;               /* number of turns given back */
    int64_t until_us;              /* this process may ask there until then; 0: it has no turn */
    int64_t since_us;              /* when it got the turn */
    int64_t asked_us;              /* when any process last asked the place, at the latest */
    int64_t wanted_us;             /* when somebody here last wanted to ask */
    int64_t told_us;               /* when Redis was asked */
    uint32_t running;              /* requests of this process */
    bool is_owed; /* Redis does not know yet when the place was asked, or that the turn is given back */
    bool is_waited_for;
    bool is_to_do, is_out;
    char name[];
} cw_joint_turn_at;

/* ---- callers ---- */

static cw_joint_turn_at *turns_get(cw_joint_turns *turns, crawl_slice name)
{
    if (!turns->map)
        turns->map = cw_map_create((uintptr_t)turns);
    cw_joint_turn_at *turn = turns->map ? cw_map_get(turns->map, name) : NULL;
    if (turn || !turns->map)
        return turn;
    turn = cw_map_make(turns->map, name, sizeof *turn + 1, offsetof(cw_joint_turn_at, name));
    if (turn)
        turn->asked_us = INT64_MIN / 2;
    return turn;
}

static void turns_put_to_do(cw_joint_turns *turns, cw_joint_turn_at *turn)
{
    if (turn->is_to_do)
        return;
    turn->is_to_do = true;
    turn->next = turns->to_do;
    turns->to_do = turn;
}

/* Returns true if the turn passes on to a process that waits. */
static bool turn_ends(const cw_joint_turn_at *turn, int64_t now_us)
{
    return turn->is_waited_for && now_us - turn->since_us >= TURN_US;
}

static crawl_err turn_use(cw_joint_turn_at *turn, int64_t pause_us, bool leaves, int64_t now_us, int64_t *wait_us)
{
    int64_t left_us = turn->asked_us + pause_us - now_us;
    turn->wanted_us = now_us;
    if (now_us >= turn->until_us || turn_ends(turn, now_us)) {
        *wait_us = AGAIN_US;
        return CRAWL_AGAIN;
    }
    if (left_us > 0) {
        *wait_us = left_us;
        return CRAWL_AGAIN;
    }
    if (leaves) {
        turn->asked_us = now_us;
        turn->is_owed = true;
        turn->running++;
    }
    return CRAWL_OK;
}

crawl_err crawl_frontier_shared_turn(crawl_frontier *frontier, crawl_slice place, int64_t pause_us, bool leaves,
                                     int64_t *wait_us)
{
    cw_joint *joint = cw_joint_shared(frontier);
    if (!joint)
        return CRAWL_ESTATE;
    pthread_mutex_lock(&frontier->lock);
    cw_joint_turn_at *turn = turns_get(joint->turns, place);
    crawl_err err = CRAWL_ENOMEM;
    if (turn) {
        turns_put_to_do(joint->turns, turn);
        err = turn_use(turn, pause_us, leaves, cw_clock_us(CLOCK_BOOTTIME), wait_us);
    }
    pthread_mutex_unlock(&frontier->lock);
    return err;
}

crawl_err crawl_frontier_shared_turn_left(crawl_frontier *frontier, crawl_slice place)
{
    cw_joint *joint = cw_joint_shared(frontier);
    if (!joint)
        return CRAWL_ESTATE;
    pthread_mutex_lock(&frontier->lock);
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    cw_joint_turn_at *turn = joint->turns->map ? cw_map_get(joint->turns->map, place) : NULL;
    bool is_had = turn && now_us < turn->until_us;
    if (is_had)
        turn->asked_us = now_us;
    pthread_mutex_unlock(&frontier->lock);
    return is_had ? CRAWL_OK : CRAWL_AGAIN;
}

void crawl_frontier_shared_turn_over(crawl_frontier *frontier, crawl_slice place)
{
    cw_joint *joint = cw_joint_shared(frontier);
    if (!joint)
        return;
    pthread_mutex_lock(&frontier->lock);
    cw_joint_turn_at *turn = joint->turns->map ? cw_map_get(joint->turns->map, place) : NULL;
    if (turn && turn->running)
        turn->running--;
    pthread_mutex_unlock(&frontier->lock);
}

/* ---- the thread ---- */

static void turn_hear(cw_joint_turn_at *turn, const cw_shared_turn *said, int64_t now_us)
{
    bool has_begun = said->is_wanted && said->is_had && turn->until_us <= now_us;
    int64_t asked_us = now_us - said->quiet_ms * 1000;
    turn->is_waited_for = said->is_waited_for;
    if (asked_us > turn->asked_us)
        turn->asked_us = asked_us;
    if (has_begun)
        turn->since_us = now_us;
    if (said->is_wanted) {
        turn->until_us = said->is_had ? said->until_us : 0;
        return;
    }
    turn->is_owed = false;
    turn->number++;
}

static void turns_on_told(void *user, crawl_redis_fault fault, const char *words)
{
    cw_joint *joint = user;
    cw_joint_turns *turns = joint->turns;
    pthread_mutex_lock(&joint->frontier->lock);
    int64_t now_us = cw_clock_us(CLOCK_BOOTTIME);
    for (size_t i = 0; i < turns->count; i++) {
        turns->of[i]->is_out = false;
        if (!fault && turns->asked[i].number == turns->of[i]->number)
            turn_hear(turns->of[i], &turns->asked[i], now_us);
    }
    turns->count = 0;
    pthread_mutex_unlock(&joint->frontier->lock);
    if (fault)
        cw_joint_fault(joint, fault, words);
}

/* Under the lock, like the rest. */
static bool turn_is_idle(const cw_joint_turn_at *turn, bool is_closing, int64_t now_us)
{
    bool is_kept = turn->until_us > now_us && !turn->is_waited_for;
    return is_closing || now_us - turn->wanted_us >= (is_kept ? IDLE_US : UNUSED_US);
}

/* Returns true if the turn must be given back, or Redis must hear that it was. */
static bool turn_goes(const cw_joint_turn_at *turn, bool is_closing, int64_t now_us)
{
    if (turn->until_us <= now_us)
        return turn->is_owed;
    return !turn->running && (turn_is_idle(turn, is_closing, now_us) || turn_ends(turn, now_us));
}

/* Returns what to tell. A turn given back no longer belongs to this process, even if telling it fails. */
static cw_shared_turn turn_say(cw_joint_turn_at *turn, bool goes, int64_t now_us)
{
    if (goes) {
        turn->until_us = 0;
        turn->is_waited_for = false;
        turn->is_owed = true;
    }
    turn->told_us = now_us;
    turn->is_out = true;
    return (cw_shared_turn){.place = crawl_slice_from(turn->name),
                            .number = turn->number,
                            .is_wanted = !goes,
                            .ago_ms = goes && turn->asked_us > 0 ? (now_us - turn->asked_us) / 1000 : -1};
}

/* Returns true if there is nothing to tell until somebody wants the turn. */
static bool turn_is_done(const cw_joint_turn_at *turn, bool is_closing, int64_t now_us)
{
    return !turn->is_out && !turn->is_owed && !turn->running && turn->until_us <= now_us &&
           turn_is_idle(turn, is_closing, now_us);
}

static bool turn_must_tell(const cw_joint_turn_at *turn, bool goes, bool takes_none, int64_t now_us)
{
    bool has_turn = turn->until_us > now_us;
    bool is_time = now_us - turn->told_us >= AGAIN_US;
    if (turn->is_out)
        return false;
    return goes ? has_turn || is_time : is_time && (has_turn || !takes_none);
}

/* Turns that are told go to the end of the list: if there are more than one call has room for, each comes in time. */
static size_t turns_gather(cw_joint *joint, int64_t now_us)
{
    cw_joint_turns *turns = joint->turns;
    bool is_closing = atomic_load(&joint->thread.closing);
    cw_joint_turn_at *told = NULL;
    cw_joint_turn_at **last = &told;
    cw_joint_turn_at **at = &turns->to_do;
    size_t count = 0;
    while (*at && count < CW_SHARED_TURNS_MAX) {
        cw_joint_turn_at *turn = *at;
        if (turn_is_done(turn, is_closing, now_us)) {
            turn->is_to_do = false;
            *at = turn->next;
            continue;
        }
        bool goes = turn_goes(turn, is_closing, now_us);
        if (turn_must_tell(turn, goes, is_closing || now_us < turns->quiet_us, now_us)) {
            turns->asked[count] = turn_say(turn, goes, now_us);
            turns->of[count++] = turn;
            *at = turn->next;
            *last = turn;
            last = &turn->next;
        } else {
            at = &turn->next;
        }
    }
    *last = NULL;
    while (*at)
        at = &(*at)->next;
    *at = told;
    return count;
}

void cw_joint_turns_tell(cw_joint *joint, int64_t now_us)
{
    cw_joint_turns *turns = joint->turns;
    if (!joint->is_up || turns->count)
        return;
    pthread_mutex_lock(&joint->frontier->lock);
    turns->count = turns_gather(joint, now_us);
    pthread_mutex_unlock(&joint->frontier->lock);
    if (turns->count && cw_shared_take_turns(joint->shared, turns->asked, turns->count, now_us, turns_on_told, joint))
        turns_on_told(joint, CRAWL_REDIS_UNSENT, "");
}

void cw_joint_turns_drop(cw_joint *joint, int64_t quiet_us)
{
    pthread_mutex_lock(&joint->frontier->lock);
    joint->turns->quiet_us = quiet_us;
    for (cw_joint_turn_at *turn = joint->turns->to_do; turn; turn = turn->next) {
        turn->until_us = 0;
        turn->number++;
    }
    pthread_mutex_unlock(&joint->frontier->lock);
}

bool cw_joint_turns_are_told(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool is_told = !joint->turns->to_do;
    pthread_mutex_unlock(&joint->frontier->lock);
    return is_told;
}

void cw_joint_turns_free(cw_joint_turns *turns)
{
    cw_map_free_values(turns->map);
}
