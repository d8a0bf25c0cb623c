/* Where a frontier keeps the requests that its queues do not hold in memory: the one interface between the scheduler
 * and its stores. The scheduler (hosts, queues, turns, pauses, leases) fills in one struct of functions when it is
 * created and never asks which store it has. memory_store.c is the store of a frontier in memory, disk/disk_store.c
 * that of one in a directory, shared/store/joint_store.c that of one that shares its crawl with other processes.
 *
 * The contract:
 * - A function that is NULL has nothing to do in this store.
 * - All are called under the frontier's lock, which orders them, except `wait`, `sync`, `notes`, `failure` and the
 *   shutdown functions. A store may have locks of its own, which it takes after the frontier's and never before, and
 *   threads of its own, which may take the frontier's lock. It calls no function of the caller's.
 * - Room first: once `tails->create` and the reserve functions have returned CRAWL_OK, the calls they prepare do not
 *   fail for lack of memory. A call either changes nothing (CRAWL_ENOMEM) or is done completely.
 * - A store's first failure other than CRAWL_ENOMEM is final: from then on `failure` returns it, nothing is leased or
 *   accepted any more, and leases end in memory only. It must not lose an accepted request.
 * - Once `put`, `put_urgent`, `end`, `end_again`, `put_host` or `set_notes` has returned CRAWL_OK, the data is on its
 *   way; `wait` is called after the frontier's lock is released and before the call returns to the user. A store whose
 *   replies come later (over a network) sends in the former and waits in `wait` if its guarantee needs that, so that no
 *   lock is held meanwhile and many calls share one reply.
 * - Leases are never stored: after a crash exactly the requests that had not ended come again.
 * - A store that holds hosts for this process for a time (a partition leased from a server) makes a host known, with
 *   its record and the start of its queue, once it has acquired it, under the frontier's lock and by
 *   cw_frontier_settle; it removes the host by emptying its queues. Hosts that it does not hold are not known here. */
#pragma once

#include "frontier/forgets.h"
#include "frontier/lease.h"

struct cw_frontier_batch;
struct cw_frontier_hastening;

typedef bool cw_each_note(crawl_slice name, crawl_slice note, void *user);

/* Queues that extend beyond memory: each has a tail (see queue.h) from `create`, before the first request is put, to
 * `free`, when nothing is left of it.
 *
 *   takes     returns true if this request, whose room is given up already, stays in the store only; frees the item
 *   grew      an item was put into memory; shrank: one was taken out
 *   refill    reads the first requests of a lane that has none in memory
 *   ripen     makes ready the requests that are due, in the store as well
 *   hasten    takes the next step of a hastening through the host's dated requests, all of which it has (hasten.h)
 *
 * CRAWL_ENOMEM: unchanged; from ripen: some are still delayed. */
typedef struct cw_frontier_tails {
    crawl_err (*create)(crawl_frontier *frontier, cw_frontier_host *host, cw_frontier_queue *queue);
    void (*free)(cw_frontier_queue *queue, cw_frontier_memory *memory);
    bool (*takes)(cw_frontier_queue *queue, int lane, cw_heap_key key, cw_frontier_item *item);
    void (*grew)(cw_frontier_queue *queue, int lane, cw_frontier_item *item);
    void (*shrank)(cw_frontier_queue *queue, cw_frontier_item *item);
    crawl_err (*refill)(cw_frontier_queue *queue, int lane);
    crawl_err (*ripen)(cw_frontier_queue *queue, crawl_order order, int64_t now);
    crawl_err (*hasten)(crawl_frontier *frontier, cw_frontier_queue *queue, struct cw_frontier_hastening *hastening);
} cw_frontier_tails;

/* Dates to forget at, which frontier->forgets holds or is a window on. reserve: keeps room for one more lease that may
 * end in a date. add: adds one that `end` has already stored. read: reads the next ones, if the window is empty (false:
 * they cannot be read). forgotten: these are forgotten now. */
typedef struct cw_frontier_dates {
    crawl_err (*reserve)(crawl_frontier *frontier);
    void (*add)(crawl_frontier *frontier, cw_frontier_forget entry);
    bool (*read)(crawl_frontier *frontier);
    crawl_err (*forgotten)(crawl_frontier *frontier, const cw_frontier_forget *gone, size_t count);
} cw_frontier_dates;

typedef struct cw_frontier_store {
    void *self;       /* the store's own */
    const char *kind; /* tells its frontiers from others; NULL: not needed */

    /* Push for a store that alone receives what is pushed and decides whether it is new: called without the lock, in
     * place of every step after the origins are found. It answers the whole batch. */
    void (*offer)(crawl_frontier *frontier, struct cw_frontier_batch *batch, crawl_slice parent, int64_t now_ms);

    /* Put. A batch in three steps: reserve room for all of it; write its new requests in one write, all or nothing,
     * with the additions to the seen-set; and, once they are queued, do what is due afterwards. */
    crawl_err (*reserve_batch)(crawl_frontier *frontier, struct cw_frontier_batch *batch);
    crawl_err (*put)(crawl_frontier *frontier, struct cw_frontier_batch *batch, int64_t now);
    void (*batch_queued)(crawl_frontier *frontier);
    /* Writes one urgent request; reserves for itself. */
    crawl_err (*put_urgent)(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                            const cw_frontier_item *item);

    /* Hosts held for a time. may_lease returns true if anything may be leased now. may_give returns true if a request
     * of this host may be leased or, if lease is not NULL, this one may leave now; false: it was removed. is_drained is
     * asked if nothing is leased here, and returns true if nothing is left, here and everywhere. Urgent requests that
     * wait for hosts which this process does not hold do not count: if nothing else is left, nobody needs their
     * answers. NULL: drained when nothing is queued. */
    bool (*may_lease)(crawl_frontier *frontier);
    bool (*may_give)(crawl_frontier *frontier, cw_frontier_host *host, const cw_frontier_lease *lease);
    bool (*is_drained)(const crawl_frontier *frontier);

    /* Taken and ended. leaves: returns true if the request of a lease that is to come again at this date leaves this
     * process after `end` or `end_again`. reserve_request: keeps room for the return of a request with this parent.
     * taken: a request was leased. end: a lease ends with this outcome (its attempt is counted already). end_again: a
     * lease ends in a further visit, and `next` is queued in place of its request, under this sequence. */
    bool (*leaves)(const crawl_frontier *frontier, const cw_frontier_lease *lease, crawl_outcome outcome, int64_t at,
                   int64_t now);
    crawl_err (*reserve_request)(crawl_frontier *frontier, const cw_frontier_item *item,
                                 const cw_frontier_parent *parent);
    void (*taken)(crawl_frontier *frontier, cw_frontier_lease *lease);
    crawl_err (*end)(crawl_frontier *frontier, cw_frontier_lease *lease, crawl_outcome outcome, int64_t at,
                     int64_t now);
    crawl_err (*end_again)(crawl_frontier *frontier, cw_frontier_lease *lease, cw_frontier_item *next,
                           uint64_t sequence, int64_t at, int64_t now);

    const cw_frontier_dates *dates; /* NULL: nothing is forgotten at a date */
    const cw_frontier_tails *tails; /* NULL: all of a queue is in memory */

    /* Wakes the resting ones among these hosts. CRAWL_ENOMEM: the others can be woken later. */
    crawl_err (*wake)(crawl_frontier *frontier, const uint32_t *numbers, size_t count);

    /* The stored state of a host: pause, block, share, turn. */
    crawl_err (*reserve_host)(crawl_frontier *frontier, const cw_frontier_host *host);
    crawl_err (*put_host)(crawl_frontier *frontier, cw_frontier_host *host);

    /* Notes. An empty one deletes. CRAWL_ABSENT: there is none. `notes` takes the lock itself if it needs it; a store
     * without an order of names answers CRAWL_ESTATE to an `after` that is not empty. After an error of set_notes the
     * first ones may be set, unless the store writes all in one. */
    crawl_err (*set_notes)(crawl_frontier *frontier, const crawl_note *notes, size_t count);
    crawl_err (*get_note)(crawl_frontier *frontier, crawl_slice name, crawl_buf *note);
    crawl_err (*notes)(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after, cw_each_note *each, void *user);

    /* wait: returns once all earlier writes are as safe as the options say. sync: returns once they are on disk.
     * failure: returns the first failure, or CRAWL_OK; error may be NULL. */
    crawl_err (*wait)(crawl_frontier *frontier);
    crawl_err (*sync)(crawl_frontier *frontier);
    crawl_err (*failure)(crawl_frontier *frontier, crawl_error *error);
    /* Fills in the figures that the store counts itself. */
    void (*figures)(const crawl_frontier *frontier, crawl_frontier_stats *out);
    /* Looks up the fingerprint in the store's own seen-set. */
    crawl_err (*seen)(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint);

    /* Shutdown. close leaves everything in order for the next process; stop ends the store's threads; free releases the
     * rest, once hosts and leases are gone. Nothing else is called meanwhile. */
    crawl_err (*close)(crawl_frontier *frontier, crawl_error *error);
    void (*stop)(crawl_frontier *frontier);
    void (*free)(crawl_frontier *frontier);
} cw_frontier_store;

/* Sets up the store of a frontier in memory. */
void cw_frontier_memory_store(crawl_frontier *frontier);
