/* Hosts that this process does not have.
 *
 * Of some it has urgent requests: the robots.txt of a host leads to another host, or a page in the browser has parts
 * there. Others wait for the answer; so the host is sought in Redis, by name, until this process has it
 * (joint_sessions.c). A process that has it hears of that, and leaves it (renew.lua). A host that was lost is sought
 * again, unless it is blocked without an end: then it was to be asked for its own robots.txt, which is the business of
 * whoever has the host now, and waits here until this process has it again.
 *
 * The others are forgotten. Redis has what must outlive a session: pause, block, share and note stand in the host's
 * record, and nobody takes the host before its pause is over. So it becomes known anew with its next session; otherwise
 * a process would grow with each host that it ever had. */
#pragma once

#include "shared/store/joint.h"

/* A host that is sought for its urgent requests. */
typedef struct cw_joint_stray {
    struct cw_joint_stray *next;
    cw_joint *joint;
    cw_frontier_host *host;
    int64_t sent_us; /* the thread's, as is what follows */
    bool is_out;
} cw_joint_stray;

/* Under the lock. */
typedef struct cw_joint_strays {
    cw_joint_stray *first;      /* only the thread takes one out */
    cw_frontier_host **leaving; /* to be forgotten when nothing refers to them */
    size_t leaving_count, leaving_room;
} cw_joint_strays;

/* The store's put_urgent. */
crawl_err cw_joint_stray_put(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                             const cw_frontier_item *item);
/* Under the lock: this process may have the host no more. Where there is no memory, its urgent requests wait until the
 * process has it again. */
void cw_joint_stray_seek(cw_joint *joint, cw_frontier_host *host);
/* Does this process seek a host? */
bool cw_joint_strays_are_sought(cw_joint *joint);
/* Under the lock, the thread's: takes those out that need not be sought any more. */
void cw_joint_strays_drop(cw_joint *joint);

/* Under the lock: this process has the host no more, or never had it. Does nothing where it has it anew. */
void cw_joint_forget_later(cw_joint *joint, cw_frontier_host *host);
/* The thread's: forgets those that nothing refers to any more. */
void cw_joint_forget_hosts(cw_joint *joint);

void cw_joint_strays_free(cw_joint_strays *strays);
