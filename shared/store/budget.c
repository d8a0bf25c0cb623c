/* What all processes together may use up. The thread takes tickets for pages ahead of their use, tells how many are
 * used up and how many bytes were fetched, and finds out when all of it is over.
 *
 * A process that has no ticket and cannot have one gives its hosts back: another one may have tickets and no host. */
#include "base/clock.h"
#include "shared/store/joint_state.h"

enum { SOON_US = 250 * 1000, AHEAD_FIRST = 8, AHEAD_MAX = 256 };
#define NO_LIMIT ((uint64_t)1 << 52) /* a number that Lua can count to */

void cw_joint_budget_open(cw_joint *joint)
{
    joint->tickets_left = 1; /* perhaps */
    joint->tickets_ahead = AHEAD_FIRST;
}

static bool has_limit(const cw_joint *joint)
{
    return joint->budget.max_pages || joint->budget.max_bytes;
}

/* Whoever has joined says what was used up, and learns what there is. */
static void budget_compare(cw_joint *joint)
{
    crawl_shared_budget *budget = &joint->budget;
    joint->options.on_budget(joint->options.user, budget);
    pthread_mutex_lock(&joint->frontier->lock);
    joint->is_spent = budget->max_pages && !joint->tickets_left && budget->taken >= budget->had;
    pthread_mutex_unlock(&joint->frontier->lock);
}

static void budget_on_tickets(void *user, const cw_shared_tickets *said)
{
    cw_joint *joint = user;
    crawl_shared_budget *budget = &joint->budget;
    joint->is_taking_tickets = false;
    if (said->fault) {
        joint->told_us = 0;
        cw_joint_fault(joint, said->fault, said->words);
        return;
    }
    bool has_used_all = joint->told.used >= said->had;
    budget->had = said->had;
    budget->all_bytes = said->bytes;
    budget->is_over = budget->max_pages && !said->left && !said->others && has_used_all;
    joint->tickets_left = said->left;
    budget_compare(joint);
}

/* How many tickets are wanted in all. What this process has is given back at the end alone, when nobody takes one. */
static uint64_t wanted(const cw_joint *joint)
{
    const crawl_shared_budget *budget = &joint->budget;
    uint64_t ahead = budget->taken + joint->tickets_ahead;
    if (!budget->max_pages)
        return 0;
    if (atomic_load(&joint->closing))
        return budget->taken;
    return ahead > budget->had ? ahead : budget->had;
}

static bool budget_is_told(const cw_joint *joint)
{
    const crawl_shared_budget *budget = &joint->budget;
    return joint->told.used == budget->used && joint->told.bytes == budget->bytes;
}

static bool budget_must_tell(const cw_joint *joint, int64_t now_us)
{
    const crawl_shared_budget *budget = &joint->budget;
    int64_t since_us = now_us - joint->told_us;
    bool is_low = budget->had < budget->taken + joint->tickets_ahead / 2;
    bool runs_out = budget->max_pages && joint->tickets_left && is_low;
    bool waits = budget->max_pages && !joint->tickets_left;
    if (atomic_load(&joint->closing))
        return !cw_joint_budget_is_told(joint);
    return runs_out || (since_us >= SOON_US && (waits || !budget_is_told(joint))) ||
           since_us >= joint->options.lease_ms * 1000 / 3;
}

void cw_joint_budget_tell(cw_joint *joint, int64_t now_us)
{
    crawl_shared_budget *budget = &joint->budget;
    if (!joint->options.on_budget)
        return;
    budget_compare(joint);
    if (!has_limit(joint) || !joint->is_up || joint->is_taking_tickets || !budget_must_tell(joint, now_us))
        return;
    if (budget->had && budget->taken >= budget->had && joint->tickets_left && joint->tickets_ahead < AHEAD_MAX)
        joint->tickets_ahead *= 2; /* they are used up faster than they come */
    joint->told = (cw_shared_wish){.limit = budget->max_pages ? budget->max_pages : NO_LIMIT,
                                   .wanted = wanted(joint),
                                   .used = budget->used,
                                   .bytes = budget->bytes};
    joint->told_us = now_us;
    joint->is_taking_tickets =
        cw_shared_take_tickets(joint->shared, &joint->told, budget_on_tickets, joint) == CRAWL_OK;
}

bool cw_joint_budget_is_told(const cw_joint *joint)
{
    const crawl_shared_budget *budget = &joint->budget;
    bool keeps_some = budget->max_pages && budget->had > budget->taken;
    return !joint->options.on_budget || !has_limit(joint) ||
           (!joint->is_taking_tickets && joint->told_us && budget_is_told(joint) && !keeps_some);
}
