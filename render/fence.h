/* The fences around all processes of the browser, raised in the child between fork and exec: a user of its own,
 * namespaces without a network, limits, Landlock, a filter of system calls. The sandbox that Chromium puts each page in
 * comes on top of it, and is looked at here. */
#pragma once

#include <crawl/base.h>

#include <sys/types.h>

/* All that the child needs is here before fork, because between fork and exec nothing may allocate. */
typedef struct cw_render_fence {
    const char *program; /* absolute */
    const char *folder;  /* of the browser, which it may write to */
    uid_t uid;           /* of the browser; 0: that of this process, which is not root */
    gid_t gid;
    char uid_map[48]; /* for a namespace of this user's own */
    char gid_map[48];
} cw_render_fence;

/* Prepares a fence around program. Root gets a user id for the browser that nobody has, which becomes the owner of
 * folder. CRAWL_EIO: it cannot be given the folder. */
crawl_err cw_render_fence_plan(cw_render_fence *fence, const char *program, const char *folder, crawl_error *error);

/* May a folder of this owner be that of a browser that this user started? */
bool cw_render_fence_may_own(uid_t uid);

/* In the child. Returns NULL, or the name of the step that failed, with errno: "namespaces", "user", "limits",
 * "landlock", "filter". */
const char *cw_render_fence_raise(const cw_render_fence *fence);

/* Words for a person about a step that failed. Returns CRAWL_REFUSED. */
crawl_err cw_render_fence_words(const char *step, int number, crawl_error *error);

/* Facts that the system shows of one process of a group. */
typedef struct cw_render_process {
    pid_t pid;
    bool is_page;         /* a renderer, as cw_render_fence_find_pages says */
    bool is_in_namespace; /* of processes, beside ours; without new privileges */
    uint64_t filters;     /* of system calls */
    uint64_t memory;      /* bytes that are its own, or shared memory */
} cw_render_process;

/* The processes of a group, `most` at most. Returns how many there are. */
size_t cw_render_fence_look(pid_t group, cw_render_process *processes, size_t most);
/* Tells pages from others, which a look by the second needs not know. */
void cw_render_fence_find_pages(cw_render_process *processes, size_t count);

/* Is there a page among them, and each one in Chromium's sandbox? Such a process has a filter more than the browser,
 * the first of the group, and a namespace more. */
bool cw_render_fence_is_boxed(const cw_render_process *processes, size_t count, pid_t group);
