/* Urgent requests of hosts that this process does not have. There are two kinds.
 *
 * A host was lost with an urgent request in its queue: it is the business of whoever has the host now, and waits here
 * until this process has it again. Another one was pushed though the host was not this process's: the robots.txt of a
 * host leads to another host. The first host waits for the answer; so the other one is sought in Redis, by name, until
 * this process has it. */
#include "shared/store/joint_state.h"

#include <stdlib.h>

/* ---- under the lock ---- */

static crawl_err stray_add(cw_joint *joint, cw_frontier_host *host)
{
    if (cw_joint_stray_has(joint, host))
        return CRAWL_OK;
    cw_joint_stray *made = malloc(sizeof *made);
    if (!made)
        return CRAWL_ENOMEM;
    *made = (cw_joint_stray){.next = joint->strays, .joint = joint, .host = host};
    joint->strays = made;
    return CRAWL_OK;
}

crawl_err cw_joint_stray_put(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                             const cw_frontier_item *item)
{
    (void)key;
    (void)item;
    cw_joint *joint = cw_joint_of(frontier);
    if (cw_joint_hold_of(joint, host))
        return CRAWL_OK;
    crawl_err err = stray_add(joint, host);
    if (!err)
        cw_joint_stray_count(joint, 1);
    return err;
}

/* Was it asked, with whatever came of it? */
static bool stray_is_served(const cw_frontier_host *host)
{
    return !host->leased && !cw_frontier_queue_count(&host->queues[CW_URGENT]);
}

/* Takes those out that need not be sought any more. */
static void drop_served(cw_joint *joint)
{
    cw_joint_stray **at = &joint->strays;
    while (*at) {
        cw_joint_stray *stray = *at;
        if (stray->is_out || !stray_is_served(stray->host)) {
            at = &stray->next;
        } else {
            *at = stray->next;
            cw_joint_forget_later(joint, stray->host);
            free(stray);
        }
    }
}

/* ---- on the thread ---- */

static void stray_on_took(void *user, const cw_shared_taken *taken)
{
    cw_joint_stray *stray = user;
    stray->is_out = false;
    if (taken->fault)
        cw_joint_fault(stray->joint, taken->fault, taken->words);
    else
        cw_joint_took(stray->joint, taken, stray->sent_us);
}

static void seek(cw_joint_stray *stray, int64_t now_us)
{
    cw_joint *joint = stray->joint;
    stray->sent_us = now_us;
    stray->is_out = cw_shared_seek(joint->shared, cw_frontier_host_origin(stray->host), joint->options.window, now_us,
                                   stray_on_took, stray) == CRAWL_OK;
}

void cw_joint_stray_seek(cw_joint *joint, int64_t now_us)
{
    pthread_mutex_lock(&joint->frontier->lock);
    drop_served(joint);
    cw_joint_stray *first = joint->is_up && !atomic_load(&joint->closing) ? joint->strays : NULL;
    pthread_mutex_unlock(&joint->frontier->lock);
    for (cw_joint_stray *stray = first; stray; stray = stray->next) {
        pthread_mutex_lock(&joint->frontier->lock);
        unsigned partition = cw_shared_partition(cw_frontier_host_origin(stray->host));
        bool has_it = cw_joint_hold_of(joint, stray->host) != NULL || joint->partitions[partition].quiet_us > now_us;
        pthread_mutex_unlock(&joint->frontier->lock);
        if (!has_it && !stray->is_out && now_us - stray->sent_us >= CW_JOINT_SEEK_MS * 1000)
            seek(stray, now_us);
    }
}

void cw_joint_stray_free(cw_joint *joint)
{
    while (joint->strays) {
        cw_joint_stray *next = joint->strays->next;
        free(joint->strays);
        joint->strays = next;
    }
}
