/* Hosts that this process does not have.
 *
 * Some have urgent requests: the robots.txt of a host leads to another host, or a page in the browser has parts
 * there. Something waits for the answer, so this process seeks the host in Redis, by name, until it has it
 * (joint_sessions.c). The process that has the host hears of that, and leaves it (renew.lua). A host that was lost
 * is sought again, unless it is blocked without an end: its urgent request is then for its own robots.txt, which is
 * the business of the process that has the host now, and waits until this process has it again.
 *
 * The others are forgotten. Redis keeps what must outlive a session: the host's record has its pause, block, share
 * and note, and nobody takes the host before its pause is over. The next hold makes the host known again.
 * Otherwise a process would grow with each host that it ever had. */
#pragma once

#include "shared/store/joint.h"

/* A host that is sought for its urgent requests. */
typedef struct cw_joint_stray {
    struct cw_joint_stray *next;
    cw_joint *joint;
    cw_frontier_host *host;
    int64_t sent_us; /* the thread's, as is the next member */
    bool is_out;
} cw_joint_stray;

/* Under the lock. */
typedef struct cw_joint_strays {
    cw_joint_stray *first;      /* only the thread removes one */
    cw_frontier_host **leaving; /* to be forgotten once nothing refers to them */
    size_t leaving_count, leaving_room;
} cw_joint_strays;

/* The store's put_urgent. */
crawl_err cw_joint_stray_put(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                             const cw_frontier_item *item);
/* Call when this process may no longer have the host. If there is no memory, its urgent requests wait until the
 * process has it again. Under the lock. */
void cw_joint_stray_seek(cw_joint *joint, cw_frontier_host *host);
/* Returns true if this process seeks a host. */
bool cw_joint_strays_are_sought(cw_joint *joint);
/* Removes those that need not be sought any more. Under the lock, from the thread. */
void cw_joint_strays_drop(cw_joint *joint);

/* Call when this process has the host no more, or never had it. Does nothing if it has it again. Under the lock. */
void cw_joint_forget_later(cw_joint *joint, cw_frontier_host *host);
/* Forgets the hosts that nothing refers to any more. The thread's. */
void cw_joint_forget_hosts(cw_joint *joint);

void cw_joint_strays_free(cw_joint_strays *strays);
