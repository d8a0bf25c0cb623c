/* The seeds that this process has brought, kept because no page brings them again if the server loses them. Redis is
 * told while this process may have more, so that nobody takes the crawl for finished. */
#pragma once

#include "shared/store/joint.h"
#include "shared/store/joint_bytes.h"

typedef struct cw_joint_seeds {
    /* Under the lock. */
    cw_joint_link *first; /* copies */
    size_t bytes;
    bool are_cut;       /* too many: not all are kept */
    bool feeding;       /* there may be more */
    uint64_t fed_epoch; /* acknowledge this epoch before telling that there are no more */

    /* Belongs to the thread. */
    int fed;          /* last told to Redis: 1 has seeds, 0 has none, -1 nothing */
    int64_t told_us;  /* when */
    bool is_telling;  /* `fed` is being told */
    uint64_t unfed;   /* workers known to have been lost while they had seeds */
    bool are_for_all; /* there were such when this process joined, and it brings all of its own */
} cw_joint_seeds;

/* Under the lock. Keeps a copy. */
void cw_joint_seed_keep(cw_joint_seeds *seeds, const cw_joint_link *link);
/* Not under the lock. feeding: this process has seeds that are not all offered yet; otherwise it has no more. */
void cw_joint_feed(cw_joint *joint, bool feeding);
/* On the thread. Says again that this process has seeds, if it is time; or that it has no more, when all pushes are
 * acknowledged. */
void cw_joint_seeds_tell(cw_joint *joint, int64_t now_us);
/* On the thread. Takes the number of workers known to be lost while they had seeds. Tells the user when it grows, and
 * at the end. */
void cw_joint_seeds_note_unfed(cw_joint *joint, uint64_t unfed, bool is_end);
