/* Where a frontier keeps its requests beyond what its queues hold in memory: the one interface between the scheduler
 * and its stores. The scheduler (hosts, queues, turns, pauses, leases) fills in one struct of functions when it is made
 * and never asks which store it has. memory_store.c is the store of a frontier in memory, disk/disk_store.c that of one
 * in a directory, shared/store/joint_store.c that of one that shares its crawl with other processes.
 *
 * The contract:
 *
 *   - A function that is NULL has nothing to do in this store.
 *   - All are called under the frontier's lock, which orders them, but for `wait`, `sync`, `notes`, `failure` and those
 *     of the end. A store may have locks of its own, which it takes after the frontier's and never the other way round,
 *     and threads of its own, which may take the frontier's lock. It calls no function of the caller's.
 *   - Room first: what `tails->create` and the reserve functions answered CRAWL_OK for does not fail for want of memory
 *     afterwards. So a call either changes nothing (CRAWL_ENOMEM) or is done as a whole.
 *   - A store's first failure other than CRAWL_ENOMEM is its last: from then on `failure` answers it, nothing is leased
 *     or accepted any more, and leases end in memory alone. An accepted request must not be lost by it.
 *   - What `put`, `put_urgent`, `end`, `end_again`, `put_host` and `set_notes` answered CRAWL_OK for is on its
 *     way; `wait` is called once the frontier's lock is free and before the call returns to the user. A store
 *     whose answers come later (over a network) sends in the former and, if its promise wants it, waits in `wait`, so
 *     that no lock is held meanwhile and many calls share an answer.
 *   - Leases are never kept: after a crash exactly the requests that were not ended come again.
 *   - A store that holds hosts for this process for a time (a partition leased from a server) makes a host known, with
 *     its record and the first of its queue, when it has taken it, under the frontier's lock and by cw_frontier_settle;
 *     it takes the host out by emptying its queues. Hosts that it does not hold are not known here. */
#pragma once

#include "frontier/forgets.h"
#include "frontier/lease.h"

struct cw_frontier_batch;
struct cw_frontier_hastening;

typedef bool cw_each_note(crawl_slice name, crawl_slice note, void *user);

/* Queues that go on beyond memory: each has a tail then (see queue.h), from `create`, before the first request is put,
 * to `free`, when nothing is left of it.
 *
 *   takes     is this request, whose room is given up already, to stay in the store alone? Then the item is freed
 *   grew      it was put into memory; shrank: one was taken out
 *   refill    brings the first ones of a lane that has none in memory
 *   ripen     makes ready what is due, in the store as well
 *   hasten    takes the next step of a hastening through the dated requests of the host, which it has all (hasten.h)
 *
 * CRAWL_ENOMEM: unchanged; of ripen, some are delayed still. */
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

/* Dates to forget at, which frontier->forgets holds or is a window on. Room for one more lease that may end in one; one
 * that is in the store by `end` already; the next ones, where the window is empty (false: they cannot be read); and
 * these are forgotten now. */
typedef struct cw_frontier_dates {
    crawl_err (*reserve)(crawl_frontier *frontier);
    void (*add)(crawl_frontier *frontier, cw_frontier_forget entry);
    bool (*read)(crawl_frontier *frontier);
    crawl_err (*forgotten)(crawl_frontier *frontier, const cw_frontier_forget *gone, size_t count);
} cw_frontier_dates;

typedef struct cw_frontier_store {
    void *self;       /* the store's own */
    const char *kind; /* by which it tells its frontiers from others; NULL: it need not */

    /* Push, where what is pushed goes to the store alone, which decides whether it is new: called without the lock, in
     * place of all that follows the finding of origins. It answers the whole batch. */
    void (*offer)(crawl_frontier *frontier, struct cw_frontier_batch *batch, crawl_slice parent, int64_t now_ms);

    /* Put. A batch in three steps: room for all of it; what is new of it, written as one, all or nothing, with what was
     * added to the seen-set; and, once it is in its queues, what is due after it. */
    crawl_err (*reserve_batch)(crawl_frontier *frontier, struct cw_frontier_batch *batch);
    crawl_err (*put)(crawl_frontier *frontier, struct cw_frontier_batch *batch, int64_t now);
    void (*batch_queued)(crawl_frontier *frontier);
    /* An urgent request alone; it reserves for itself. */
    crawl_err (*put_urgent)(crawl_frontier *frontier, cw_frontier_host *host, cw_heap_key key,
                            const cw_frontier_item *item);

    /* Hosts for a time. may_lease: may anything be leased now? may_give: may a request of this host be leased, or
     * leave, now? False: the host was taken out. is_drained: where nothing is leased here, is nothing left, here and
     * everywhere? Urgent requests that wait for hosts which this process does not have do not count: where nothing else
     * is left, nobody needs their answers. NULL: where nothing is queued. */
    bool (*may_lease)(crawl_frontier *frontier);
    bool (*may_give)(crawl_frontier *frontier, cw_frontier_host *host);
    bool (*is_drained)(const crawl_frontier *frontier);

    /* Taken and ended. Does the request of a lease that is to come again at this date leave this process, after `end`
     * or `end_again`? Room for the way back of a request with this parent; a request was leased; a lease ends so (its
     * attempt is counted already); a lease ends in a further visit: `next` is queued in the place of its request, under
     * this sequence. */
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

    /* Makes those of these hosts awake that rest. CRAWL_ENOMEM: the others can be made so later. */
    crawl_err (*wake)(crawl_frontier *frontier, const uint32_t *numbers, size_t count);

    /* The rest that is kept of a host: pause, block, share, turn. */
    crawl_err (*reserve_host)(crawl_frontier *frontier, const cw_frontier_host *host);
    crawl_err (*put_host)(crawl_frontier *frontier, cw_frontier_host *host);

    /* Notes. An empty one: none. CRAWL_ABSENT: there is none. `notes` takes the lock itself if it needs it; a store
     * without an order of names answers CRAWL_ESTATE to an `after` that is not empty. After an error of set_notes the
     * first ones may be set, unless the store writes them as one. */
    crawl_err (*set_notes)(crawl_frontier *frontier, const crawl_note *notes, size_t count);
    crawl_err (*get_note)(crawl_frontier *frontier, crawl_slice name, crawl_buf *note);
    crawl_err (*notes)(crawl_frontier *frontier, crawl_slice prefix, crawl_slice after, cw_each_note *each, void *user);

    /* Synced. wait: what was answered before is as safe as the options say. sync: it is on the disk. failure: the first
     * one, or CRAWL_OK; error may be NULL. */
    crawl_err (*wait)(crawl_frontier *frontier);
    crawl_err (*sync)(crawl_frontier *frontier);
    crawl_err (*failure)(crawl_frontier *frontier, crawl_error *error);
    /* Puts in what it counts itself. */
    void (*figures)(const crawl_frontier *frontier, crawl_frontier_stats *out);
    /* Its facts of the seen-set. */
    crawl_err (*seen)(const crawl_frontier *frontier, const crawl_fingerprint *fingerprint);

    /* The end: close leaves all in order for the next process; stop ends the store's threads; free gives back the rest,
     * once hosts and leases are gone. Nothing else is called meanwhile. */
    crawl_err (*close)(crawl_frontier *frontier, crawl_error *error);
    void (*stop)(crawl_frontier *frontier);
    void (*free)(crawl_frontier *frontier);

    /* For tests: the text of an invariant that does not hold, or NULL; *bytes goes up by what is counted of it. */
    const char *(*check)(crawl_frontier *frontier, uint64_t *bytes);
} cw_frontier_store;

/* The store of a frontier in memory. */
void cw_frontier_memory_store(crawl_frontier *frontier);
