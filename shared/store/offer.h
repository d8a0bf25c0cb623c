/* Pushes. Requests that this process has met before are answered at once; the rest is copied and left for the thread,
 * which gives it to the outbox at its next turn.
 *
 * A fingerprint counts as met from the moment in which its request was left for the thread, not only when Redis has it:
 * a page with such a link is not told to be done before the link is acknowledged all the same, since all pushes before
 * its end are waited for. */
#pragma once

#include "frontier/push/push.h"
#include "shared/protocol/outbox.h"
#include "shared/store/joint.h"
#include "shared/store/joint_bytes.h"

typedef struct cw_joint_pushes {
    /* Under the lock. */
    cw_joint_link *offered, *offered_last;
    uint64_t offered_bytes, outbox_bytes;
    uint64_t owed_links; /* that were offered and are not acknowledged */
    uint64_t *met;       /* tags of fingerprints that were pushed here, each where its own first bytes say; 0: none */
    uint64_t met_slots;  /* a power of two, or 0 */
    atomic_uint_fast32_t returns; /* times that this was forgotten, as the server may have */

    /* The thread's. */
    cw_shared_outbox *outbox;
    struct cw_joint_epoch *epochs, *epochs_last; /* not acknowledged, the oldest first */
} cw_joint_pushes;

/* Remembers so many fingerprints at least; 0: none. CRAWL_ENOMEM. */
crawl_err cw_joint_offer_open(cw_joint_pushes *pushes, uint64_t remembers);
void cw_joint_offer_free(cw_joint_pushes *pushes);

/* The store's offer and seen. */
void cw_joint_offer(crawl_frontier *frontier, cw_frontier_batch *batch, crawl_slice parent, int64_t now_ms);
crawl_err cw_joint_met(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint);

/* Under the lock: what is on its way takes as much memory as may be, with so many bytes besides. */
static inline bool cw_joint_owes_too_much(const cw_joint *joint, uint64_t besides)
{
    const cw_joint_pushes *pushes = joint->pushes;
    return pushes->offered_bytes + pushes->outbox_bytes + besides > joint->options.owed_bytes;
}

/* Under the lock: how many requests more may be queued, as far as this process knows. UINT64_MAX: there is no limit. */
uint64_t cw_joint_room(const cw_joint *joint);
/* Under the lock: leaves a link for the thread, whose it is. */
void cw_joint_offer_link(cw_joint *joint, cw_joint_link *link);
/* Under the lock: nothing is known to be met any more. */
void cw_joint_offer_forget(cw_joint_pushes *pushes);
/* The thread's: what was offered goes to the outbox, as one epoch. */
void cw_joint_send_offered(cw_joint *joint);
