#include "shared/store/budget.h"

enum { SOON_US = 250 * 1000, AHEAD_FIRST = 8, AHEAD_MAX = 256 };
#define NO_LIMIT ((uint64_t)1 << 52) /* a number that Lua counts exactly */

void cw_joint_budget_open(cw_joint_budget *budget)
{
    budget->left = 1; /* perhaps */
    budget->ahead = AHEAD_FIRST;
}

static bool has_limit(const cw_joint *joint)
{
    return joint->budget->known.max_pages || joint->budget->known.max_bytes;
}

/* Exchanges figures with the engine: it says what it has used, and learns what there is. */
static void budget_compare(cw_joint *joint)
{
    crawl_shared_budget *known = &joint->budget->known;
    joint->options.on_budget(joint->options.user, known);
    pthread_mutex_lock(&joint->frontier->lock);
    joint->budget->is_spent = known->max_pages && !joint->budget->left && known->taken >= known->had;
    pthread_mutex_unlock(&joint->frontier->lock);
}

static void budget_on_tickets(void *user, const cw_shared_tickets *said)
{
    cw_joint *joint = user;
    crawl_shared_budget *known = &joint->budget->known;
    joint->budget->is_telling = false;
    if (said->fault) {
        joint->budget->told_us = 0;
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    bool has_used_all = joint->budget->told.used >= said->had;
    known->had = said->had;
    known->all_bytes = said->bytes;
    known->is_over = known->max_pages && !said->left && !said->others && has_used_all;
    joint->budget->left = said->left;
    budget_compare(joint);
}

/* Returns how many tickets are wanted in all. Tickets of this process go back only at the end, when nobody takes
 * one. */
static uint64_t wanted(const cw_joint *joint)
{
    const crawl_shared_budget *known = &joint->budget->known;
    uint64_t ahead = known->taken + joint->budget->ahead;
    if (!known->max_pages)
        return 0;
    if (atomic_load(&joint->thread.closing))
        return known->taken;
    return ahead > known->had ? ahead : known->had;
}

static bool budget_is_told(const cw_joint *joint)
{
    const crawl_shared_budget *known = &joint->budget->known;
    return joint->budget->told.used == known->used && joint->budget->told.bytes == known->bytes;
}

static bool budget_must_tell(const cw_joint *joint, int64_t now_us)
{
    const crawl_shared_budget *known = &joint->budget->known;
    int64_t since_us = now_us - joint->budget->told_us;
    bool is_low = known->had < known->taken + joint->budget->ahead / 2;
    bool runs_out = known->max_pages && joint->budget->left && is_low;
    bool waits = known->max_pages && !joint->budget->left;
    if (atomic_load(&joint->thread.closing))
        return !cw_joint_budget_is_told(joint);
    return runs_out || (since_us >= SOON_US && (waits || !budget_is_told(joint))) ||
           since_us >= joint->options.lease_ms * 1000 / 3;
}

void cw_joint_budget_tell(cw_joint *joint, int64_t now_us)
{
    crawl_shared_budget *known = &joint->budget->known;
    if (!joint->options.on_budget)
        return;
    budget_compare(joint);
    if (!has_limit(joint) || !joint->is_up || joint->budget->is_telling || !budget_must_tell(joint, now_us))
        return;
    if (known->had && known->taken >= known->had && joint->budget->left && joint->budget->ahead < AHEAD_MAX)
        joint->budget->ahead *= 2; /* they are used up faster than they arrive */
    joint->budget->told = (cw_shared_wish){.limit = known->max_pages ? known->max_pages : NO_LIMIT,
                                           .wanted = wanted(joint),
                                           .used = known->used,
                                           .bytes = known->bytes};
    joint->budget->told_us = now_us;
    joint->budget->is_telling =
        cw_shared_take_tickets(joint->shared, &joint->budget->told, budget_on_tickets, joint) == CRAWL_OK;
}

bool cw_joint_budget_is_told(const cw_joint *joint)
{
    const crawl_shared_budget *known = &joint->budget->known;
    bool keeps_some = known->max_pages && known->had > known->taken;
    return !joint->options.on_budget || !has_limit(joint) ||
           (!joint->budget->is_telling && joint->budget->told_us && budget_is_told(joint) && !keeps_some);
}
