#include "shared/store/stray.h"

#include "base/array.h"
#include "shared/store/hold.h"

#include <stdlib.h>

/* ---- urgent requests ---- */

static bool stray_has(const cw_joint *joint, const cw_frontier_host *host)
{
    for (const cw_joint_stray *stray = joint->strays->first; stray; stray = stray->next)
        if (stray->host == host)
            return true;
    return false;
}

static crawl_err stray_add(cw_joint *joint, cw_frontier_host *host)
{
    if (stray_has(joint, host))
        return CRAWL_OK;
    cw_joint_stray *made = malloc(sizeof *made);
    if (!made)
        return CRAWL_ENOMEM;
    *made = (cw_joint_stray){.next = joint->strays->first, .joint = joint, .host = host};
    joint->strays->first = made;
    return CRAWL_OK;
}

crawl_err cw_joint_stray_put(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key, const cw_frontier_item *)
{
    cw_joint *joint = cw_joint_of(frontier);
    if (cw_joint_hold_of(joint, host))
        return CRAWL_OK;
    crawl_err err = stray_add(joint, host);
    if (!err)
        cw_joint_stray_count(joint, 1);
    return err;
}

void cw_joint_stray_seek(cw_joint *joint, cw_frontier_host *host)
{
    bool is_wanted = cw_frontier_queue_count(&host->queues[CW_URGENT]) && host->blocked != CRAWL_FOREVER;
    if (is_wanted && !cw_joint_hold_of(joint, host))
        (void)stray_add(joint, host);
}

bool cw_joint_strays_are_sought(cw_joint *joint)
{
    pthread_mutex_lock(&joint->frontier->lock);
    bool are_sought = joint->strays->first;
    pthread_mutex_unlock(&joint->frontier->lock);
    return are_sought;
}

/* Returns true if the host was asked, whatever came of it. */
static bool stray_is_served(const cw_frontier_host *host)
{
    return !host->leased && !cw_frontier_queue_count(&host->queues[CW_URGENT]);
}

void cw_joint_strays_drop(cw_joint *joint)
{
    cw_joint_stray **at = &joint->strays->first;
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

/* ---- hosts to be forgotten ---- */

void cw_joint_forget_later(cw_joint *joint, cw_frontier_host *host)
{
    if (host->leaving || cw_joint_hold_of(joint, host))
        return;
    if (CW_ARRAY_RESERVE(joint->strays->leaving, joint->strays->leaving_room, joint->strays->leaving_count + 1, 64))
        return; /* the host stays known until it was held and let go again */
    joint->strays->leaving[joint->strays->leaving_count++] = host;
    host->leaving = true;
}

/* Returns true if a hold refers to the host: one that is gone may still await an answer. */
static bool stray_is_named(const cw_joint *joint, const cw_frontier_host *host)
{
    for (size_t i = 0; i < joint->holds->count; i++)
        if (joint->holds->list[i]->host == host)
            return true;
    return false;
}

/* A block without an end is this process's own; no other process knows of it. */
static bool stray_is_needed(const cw_joint *joint, const cw_frontier_host *host)
{
    return host->leased || cw_frontier_host_load(host) || host->blocked == CRAWL_FOREVER || stray_has(joint, host) ||
           stray_is_named(joint, host);
}

static void stray_forget(crawl_frontier *frontier, cw_frontier_host *host)
{
    cw_frontier_schedule_leave(&frontier->schedule, host);
    cw_frontier_hosts_forget(&frontier->hosts, host);
}

void cw_joint_forget_hosts(cw_joint *joint)
{
    size_t left = 0;
    pthread_mutex_lock(&joint->frontier->lock);
    for (size_t i = 0; i < joint->strays->leaving_count; i++) {
        cw_frontier_host *host = joint->strays->leaving[i];
        if (cw_joint_hold_of(joint, host))
            host->leaving = false;
        else if (stray_is_needed(joint, host))
            joint->strays->leaving[left++] = host;
        else
            stray_forget(joint->frontier, host);
    }
    joint->strays->leaving_count = left;
    pthread_mutex_unlock(&joint->frontier->lock);
}

void cw_joint_strays_free(cw_joint_strays *strays)
{
    while (strays->first) {
        cw_joint_stray *next = strays->first->next;
        free(strays->first);
        strays->first = next;
    }
    free(strays->leaving);
}
