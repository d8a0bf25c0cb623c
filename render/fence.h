/* The fences around all processes of the browser, raised in the child between fork and exec: a user of its own,
 * namespaces without a network, limits, Landlock, a system call filter. Chromium's own sandbox around each page
 * comes in addition, and is checked here. */
#pragma once

#include <crawl/base.h>

#include <sys/types.h>

/* Everything the child needs, made before fork: between fork and exec nothing may allocate. */
typedef struct cw_render_fence {
    const char *program; /* absolute */
    const char *folder;  /* the browser's, which it may write to */
    uid_t uid;           /* the browser's; 0: that of this process, which is not root */
    gid_t gid;
    char uid_map[48]; /* for a namespace of this user's own */
    char gid_map[48];
} cw_render_fence;

/* Prepares a fence around program. As root, chooses a user id for the browser that no user has, and makes it the
 * owner of folder. CRAWL_EIO: the owner cannot be changed. */
crawl_err cw_render_fence_plan(cw_render_fence *fence, const char *program, const char *folder, crawl_error *error);

/* Returns true if a browser started by this user may have a folder of this owner. */
bool cw_render_fence_may_own(uid_t uid);

/* In the child. Returns NULL, or the name of the step that failed, with errno: "namespaces", "user", "limits",
 * "landlock", "filter". */
const char *cw_render_fence_raise(const cw_render_fence *fence);

/* Describes a failed step to the user. Returns CRAWL_REFUSED. */
crawl_err cw_render_fence_words(const char *step, int number, crawl_error *error);

/* Facts of one process of a group, as the system shows them. */
typedef struct cw_render_process {
    pid_t pid;
    bool is_page;         /* a renderer; set by cw_render_fence_find_pages */
    bool is_in_namespace; /* in another process namespace than ours, and without new privileges */
    uint64_t filters;     /* of system calls */
    uint64_t memory;      /* bytes of its own, and shared memory */
} cw_render_process;

/* Reads at most `most` processes of a group. Returns how many there are. */
size_t cw_render_fence_look(pid_t group, cw_render_process *processes, size_t most);
/* Finds out which are pages; the look once per second does not need that. */
void cw_render_fence_find_pages(cw_render_process *processes, size_t count);

/* Returns true if there is a page and each page is in Chromium's sandbox: such a process has one more filter than
 * the browser, the first of the group, and a process namespace of its own. */
bool cw_render_fence_is_boxed(const cw_render_process *processes, size_t count, pid_t group);
