/* Pushes. Requests that this process has met are answered at once. The others are copied and left for the thread, which
 * gives them to the outbox in its next turn.
 *
 * A fingerprint counts as met from the moment its request is left for the thread, before Redis has it. This is safe:
 * the end of a page is told only after all pushes before it are acknowledged. */
#pragma once

#include "frontier/push/push.h"
#include "shared/protocol/outbox.h"
#include "shared/store/joint.h"
#include "shared/store/joint_bytes.h"

typedef struct cw_joint_pushes {
    /* Under the lock. */
    cw_joint_link *offered, *offered_last;
    uint64_t offered_bytes, outbox_bytes;
    uint64_t owed_links;          /* offered and not acknowledged */
    uint64_t *met;                /* tags of fingerprints pushed here, placed by their first bytes; 0: none */
    uint64_t met_slots;           /* a power of two, or 0 */
    atomic_uint_fast32_t returns; /* how often this was forgotten, as the server may have lost it */

    /* Belongs to the thread. */
    cw_shared_outbox *outbox;
    struct cw_joint_epoch *epochs, *epochs_last; /* not acknowledged, oldest first */
} cw_joint_pushes;

/* Remembers at least this many fingerprints; 0: none. CRAWL_ENOMEM. */
crawl_err cw_joint_offer_open(cw_joint_pushes *pushes, uint64_t remembers);
void cw_joint_offer_free(cw_joint_pushes *pushes);

/* The store's functions offer and seen. */
void cw_joint_offer(crawl_frontier *frontier, cw_frontier_batch *batch, crawl_slice parent, int64_t now_ms);
crawl_err cw_joint_met(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint);

/* Under the lock. Returns true if the unacknowledged links and `besides` more bytes exceed the limit of memory. */
static inline bool cw_joint_owes_too_much(const cw_joint *joint, uint64_t besides)
{
    const cw_joint_pushes *pushes = joint->pushes;
    return pushes->offered_bytes + pushes->outbox_bytes + besides > joint->options.owed_bytes;
}

/* Under the lock. Returns how many more requests may be queued, as far as this process knows. UINT64_MAX: no limit. */
uint64_t cw_joint_room(const cw_joint *joint);
/* Under the lock. Leaves a link for the thread, which owns it then. */
void cw_joint_offer_link(cw_joint *joint, cw_joint_link *link);
/* Under the lock. Forgets all met fingerprints. */
void cw_joint_offer_forget(cw_joint_pushes *pushes);
/* On the thread. Gives the offered links to the outbox, as one epoch. */
void cw_joint_send_offered(cw_joint *joint);
