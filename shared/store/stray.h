/* Hosts that this process does not have.
 *
 * Of some it has urgent requests. A host was lost with one in its queue: it is the business of whoever has the host
 * now, and waits here until this process has it again. Another one was pushed though the host was not this process's:
 * the robots.txt of a host leads to another host. The first host waits for the answer; so the other one is sought in
 * Redis, by name, until this process has it (joint_sessions.c).
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
/* Under the lock, the thread's: takes those out that need not be sought any more. */
void cw_joint_strays_drop(cw_joint *joint);

/* Under the lock: this process has the host no more, or never had it. Does nothing where it has it anew. */
void cw_joint_forget_later(cw_joint *joint, cw_frontier_host *host);
/* The thread's: forgets those that nothing refers to any more. */
void cw_joint_forget_hosts(cw_joint *joint);

void cw_joint_strays_free(cw_joint_strays *strays);
