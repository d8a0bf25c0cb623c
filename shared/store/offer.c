#include "shared/store/offer.h"

#include "shared/store/jars.h"
#include "shared/store/joint_seeds.h"
#include "shared/store/partitions.h"

#include <stdlib.h>

/* A turn with pushes that are not all acknowledged. */
typedef struct cw_joint_epoch {
    struct cw_joint_epoch *next;
    cw_joint *joint;
    uint64_t number;
    size_t links;
    bool is_acknowledged;
} cw_joint_epoch;

crawl_err cw_joint_offer_open(cw_joint_pushes *pushes, uint64_t remembers)
{
    for (pushes->met_slots = remembers > 0; pushes->met_slots && pushes->met_slots < remembers;)
        pushes->met_slots *= 2;
    if (pushes->met_slots)
        pushes->met = calloc(pushes->met_slots, sizeof *pushes->met);
    return !pushes->met_slots || pushes->met ? CRAWL_OK : CRAWL_ENOMEM;
}

/* ---- met fingerprints ---- */

/* Returns the place of a fingerprint's tag; *tag is never 0. NULL: nothing is remembered. */
static uint64_t *offer_place_of(const cw_joint *joint, const uint8_t *print, uint64_t *tag)
{
    uint64_t place;
    memcpy(&place, print, sizeof place);
    memcpy(tag, print + sizeof place, sizeof *tag);
    *tag += *tag == 0;
    return joint->pushes->met_slots ? &joint->pushes->met[place & (joint->pushes->met_slots - 1)] : NULL;
}

static bool was_met(const cw_joint *joint, const crawl_fingerprint *fingerprint)
{
    uint64_t tag;
    const uint64_t *place = offer_place_of(joint, fingerprint->bytes, &tag);
    return place && *place == tag;
}

static void offer_remember(cw_joint *joint, const uint8_t *print)
{
    uint64_t tag;
    uint64_t *place = offer_place_of(joint, print, &tag);
    if (place)
        *place = tag;
}

crawl_err cw_joint_met(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint)
{
    return was_met(cw_joint_of(frontier), fingerprint) ? CRAWL_EXISTS : CRAWL_ABSENT;
}

uint32_t crawl_frontier_shared_returns(crawl_frontier *frontier)
{
    cw_joint *joint = cw_joint_shared(frontier);
    return joint ? (uint32_t)atomic_load(&joint->pushes->returns) : 0;
}

void cw_joint_offer_forget(cw_joint_pushes *pushes)
{
    atomic_fetch_add(&pushes->returns, 1);
    if (pushes->met)
        memset(pushes->met, 0, pushes->met_slots * sizeof *pushes->met);
}

/* ---- room ---- */

/* Applies max_queued to all processes: what is queued anywhere by the last look, plus what this process has brought
 * since and what is on its way, though some of that may be seen. Pushes of others since then are unknown, so looks come
 * often if there is little room. */
uint64_t cw_joint_room(const cw_joint *joint)
{
    uint64_t limit = joint->frontier->options.max_queued;
    const cw_joint_counts *counts = &joint->counts;
    uint64_t queued = counts->all.queued + counts->all.held + counts->all.later +
                      (counts->accepted - counts->accepted_before_look) + joint->pushes->owed_links;
    if (!limit)
        return UINT64_MAX;
    return queued < limit ? limit - queued : 0;
}

/* ---- a batch ---- */

/* Under the lock. Answers requests that were met, and keeps the rest, which may be new. */
static void drop_met(cw_joint *joint, cw_frontier_batch *batch)
{
    size_t left = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const crawl_request *request = cw_frontier_batch_request(batch, i);
        if (!request->revisit && was_met(joint, &request->fingerprint))
            cw_frontier_batch_answer(batch, i, CRAWL_PUSHED_SEEN);
        else
            batch->candidates[left++] = batch->candidates[i];
    }
    batch->frontier->refused_seen += batch->count - left;
    batch->count = left;
}

/* Makes the link of a candidate. NULL: out of memory. */
static cw_joint_link *link_of(const cw_frontier_batch *batch, size_t i, crawl_slice parent, crawl_buf *bytes)
{
    const crawl_request *request = cw_frontier_batch_request(batch, i);
    crawl_slice origin = batch->candidates[i].origin;
    cw_frontier_item *item = cw_frontier_item_create(request, origin, 0);
    cw_joint_link *link = NULL;
    crawl_buf_clear(bytes);
    if (item && cw_joint_request_write(item, parent, 0, bytes) == CRAWL_OK)
        link = cw_joint_link_make(request, origin, crawl_buf_slice(bytes),
                                  cw_frontier_order_key(batch->frontier->options.order, item, 0).high);
    free(item);
    return link;
}

void cw_joint_offer_link(cw_joint *joint, cw_joint_link *link)
{
    offer_remember(joint, link->print);
    *(joint->pushes->offered_last ? &joint->pushes->offered_last->next : &joint->pushes->offered) = link;
    joint->pushes->offered_last = link;
    joint->pushes->offered_bytes += link->size;
    joint->pushes->owed_links++;
    joint->counts.is_drained = false;
}

/* Under the lock. Leaves a link for the thread. Another thread may have pushed the same meanwhile, or the batch has it
 * twice. */
static void leave_link(cw_joint *joint, cw_frontier_batch *batch, size_t i, cw_joint_link *link)
{
    const crawl_request *request = cw_frontier_batch_request(batch, i);
    if (!request->revisit && was_met(joint, &request->fingerprint)) {
        cw_frontier_batch_answer(batch, i, CRAWL_PUSHED_SEEN);
        batch->frontier->refused_seen++;
        free(link);
        return;
    }
    if (request->depth && !request->revisit && !cw_joint_room(joint)) { /* seeds pass: workers bring known ones again */
        cw_frontier_batch_answer(batch, i, CRAWL_PUSHED_FULL);
        batch->full = true;
        batch->frontier->refused_full++;
        free(link);
        return;
    }
    if (!request->depth && !request->revisit)
        cw_joint_seed_keep(joint->seeds, link);
    cw_frontier_batch_answer(batch, i, CRAWL_PUSHED_NEW);
    cw_joint_offer_link(joint, link);
    batch->accepted++;
}

/* Makes the links of the rest, in order. A candidate without memory stays INVALID. */
static cw_joint_link *make_links(cw_frontier_batch *batch, crawl_slice parent)
{
    crawl_buf bytes = {0};
    cw_joint_link *first = NULL;
    cw_joint_link **end = &first;
    for (size_t i = 0; i < batch->count; i++) {
        *end = link_of(batch, i, parent, &bytes);
        if (!*end) {
            batch->err = CRAWL_ENOMEM;
            batch->count = i;
            break;
        }
        end = &(*end)->next;
    }
    crawl_buf_free(&bytes);
    return first;
}

void cw_joint_offer(crawl_frontier *frontier, cw_frontier_batch *batch, crawl_slice parent, int64_t now_ms)
{
    cw_joint *joint = cw_joint_of(frontier);
    cw_frontier_enter(frontier, now_ms);
    frontier->pushed += batch->size;
    drop_met(joint, batch);
    cw_frontier_leave(frontier);
    cw_joint_link *link = make_links(batch, parent);
    if (!link)
        return;
    cw_frontier_enter(frontier, now_ms);
    for (size_t i = 0; i < batch->count; i++) {
        cw_joint_link *next = link->next;
        link->next = NULL;
        leave_link(joint, batch, i, link);
        link = next;
    }
    cw_frontier_leave(frontier);
}

/* ---- to the outbox ---- */

/* Acknowledges the first epochs, as far as they are complete; later ones may have been complete before. */
static void move_on(cw_joint *joint)
{
    cw_joint_epoch *first = joint->pushes->epochs;
    while (first && first->is_acknowledged) {
        cw_joint_pushed(joint, first->number);
        joint->pushes->epochs = first->next;
        free(first);
        first = joint->pushes->epochs;
    }
    if (!first)
        joint->pushes->epochs_last = NULL;
}

static void on_acknowledged(void *user, const cw_shared_page_links *links)
{
    cw_joint_epoch *epoch = user;
    cw_joint *joint = epoch->joint;
    cw_frontier_enter(joint->frontier, INT64_MIN);
    joint->counts.accepted += links->queued;
    joint->counts.seen += links->seen;
    joint->pushes->owed_links -= epoch->links;
    cw_frontier_leave(joint->frontier);
    if (links->no_room)
        cw_joint_fail(joint, CRAWL_EIO, "the shared seen-set has reached its maximum size: requests are lost");
    epoch->is_acknowledged = true;
    move_on(joint);
}

/* False: out of memory for some of them. */
static bool offer_add_all(cw_joint_epoch *epoch, cw_shared_page *page, cw_joint_link *link)
{
    bool is_whole = true;
    while (link) {
        cw_joint_link *next = link->next;
        epoch->links++;
        is_whole = cw_shared_page_add(page, &link->request) != CRAWL_ENOMEM && is_whole;
        free(link);
        link = next;
    }
    return is_whole;
}

static void end_epoch(cw_joint *joint, cw_joint_link *links, uint64_t number)
{
    cw_joint_epoch *epoch = malloc(sizeof *epoch);
    cw_shared_page *page = epoch ? cw_shared_page_begin(joint->pushes->outbox) : NULL;
    if (!page) {
        free(epoch);
        cw_joint_fail(joint, CRAWL_ENOMEM, "no memory for what was pushed");
        return;
    }
    *epoch = (cw_joint_epoch){.joint = joint, .number = number};
    *(joint->pushes->epochs_last ? &joint->pushes->epochs_last->next : &joint->pushes->epochs) = epoch;
    joint->pushes->epochs_last = epoch;
    joint->partitions->has_moved = true;
    bool is_whole = offer_add_all(epoch, page, links);
    if (!is_whole)
        cw_joint_fail(joint, CRAWL_ENOMEM, "no memory for what was pushed");
    /* otherwise it stays unacknowledged, and no lease that ends from now on is told */
    cw_shared_page_end(page, is_whole ? on_acknowledged : NULL, epoch);
}

void cw_joint_send_offered(cw_joint *joint)
{
    cw_frontier_enter(joint->frontier, INT64_MIN);
    cw_joint_link *links = joint->pushes->offered;
    uint64_t number = joint->order.epoch++;
    joint->pushes->offered = joint->pushes->offered_last = NULL;
    joint->pushes->offered_bytes = 0;
    joint->pushes->outbox_bytes = cw_shared_outbox_bytes(joint->pushes->outbox);
    cw_frontier_leave(joint->frontier);
    if (links)
        end_epoch(joint, links, number);
    else if (!joint->pushes->epochs)
        cw_joint_pushed(joint, number);
    cw_shared_outbox_flush(joint->pushes->outbox);
}

void cw_joint_offer_free(cw_joint_pushes *pushes)
{
    cw_shared_outbox_free(pushes->outbox);
    cw_joint_links_free(pushes->offered);
    while (pushes->epochs) {
        cw_joint_epoch *next = pushes->epochs->next;
        free(pushes->epochs);
        pushes->epochs = next;
    }
    free(pushes->met);
}
