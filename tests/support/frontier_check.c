/* The texts of the invariants stand above the code that keeps them; the text returned here begins with the number of
 * one. */
#include "tests/support/frontier_check.h"

#include "frontier/memory/memory_notes.h"

/* The sums of the walk over the hosts. */
struct sums {
    uint64_t queued;
    uint64_t leased, parked;
    uint64_t kept;
    uint64_t urgent; /* queued */
    uint64_t live;
    uint64_t hosts_queued;
    uint64_t hosts_blocked;
    uint64_t blocked; /* hosts */
    uint64_t at_ready;
    uint64_t at_sessions;
    uint64_t in_session;
    uint64_t at_waiting;
    uint64_t bytes;
    uint64_t standing[CRAWL_STANDING_COUNT + 1];
    uint64_t watched;
    uint64_t revisits;
    uint64_t revisits_leased;
};

static const char *check_heap(const cw_heap_entry *root, ptrdiff_t step, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        cw_heap_key parent = root[(ptrdiff_t)((i - 1) / 4) * step].key;
        FAIL_UNLESS(!cw_heap_key_less(root[(ptrdiff_t)i * step].key, parent), "heap: a child before its parent");
    }
    return NULL;
}

static const char *check_index(const cw_frontier_index *index)
{
    FAIL_UNLESS(index->count <= index->capacity, "index: more entries than room");
    for (uint32_t i = 0; i < index->count; i++) {
        const char *value = index->entries[i].value;
        uint32_t place = *(const uint32_t *)(const void *)(value + index->place);
        FAIL_UNLESS(place == i + 1, "index: a value that does not know its place");
    }
    return check_heap(index->entries, 1, index->count);
}

static void add_item(struct sums *sums, cw_frontier_item *item)
{
    sums->revisits += cw_frontier_item_visits(item) > 0;
    sums->bytes += cw_frontier_held(item);
    if (item->parent)
        sums->bytes += cw_frontier_held(item->parent) / item->parent->users; /* whole once all users were met; see
                                                                                check_bytes */
}

static const char *check_items(const crawl_frontier *f, const cw_frontier_queue *queue, bool urgent, struct sums *sums)
{
    for (uint32_t i = 0; i < queue->ready; i++) {
        cw_frontier_item *item = queue->entries[i].value;
        cw_heap_key key = cw_frontier_order_key(f->options.order, item, queue->entries[i].key.low);
        FAIL_UNLESS(key.high == queue->entries[i].key.high, "Q2: a ready request under a key that is not its own");
        FAIL_UNLESS(((item->flags & CW_ITEM_URGENT) != 0) == urgent, "Q2: a request in the other queue of its host");
        add_item(sums, item);
    }
    for (uint32_t i = 0; i < queue->delayed; i++)
        add_item(sums, queue->entries[queue->capacity - 1 - i].value);
    return NULL;
}

static const char *check_queue(const crawl_frontier *f, const cw_frontier_queue *queue, bool urgent, struct sums *sums)
{
    uint64_t used = (uint64_t)queue->ready + queue->delayed + queue->kept;
    FAIL_UNLESS(used <= queue->capacity, "Q1: less room than promised");
    FAIL_UNLESS(used || !queue->entries, "Q4: an empty queue holds memory");
    FAIL_UNLESS((queue->tail != NULL) == (f->store.tails && used + cw_frontier_queue_count(queue)),
                "Q4: a tail without requests, or the reverse");
    sums->queued += cw_frontier_queue_count(queue);
    sums->kept += queue->kept;
    sums->urgent += urgent ? cw_frontier_queue_count(queue) : 0;
    sums->bytes += cw_frontier_held(queue->entries);
    const char *failed = check_heap(queue->entries, 1, queue->ready);
    if (!failed && queue->delayed)
        failed = check_heap(queue->entries + queue->capacity - 1, -1, queue->delayed);
    return failed ? failed : check_items(f, queue, urgent, sums);
}

/* Checks places against the time of the last call; a host whose time has come but that was not woken yet counts as
 * such. */
static const char *check_place(const crawl_frontier *f, cw_frontier_host *host)
{
    const cw_frontier_schedule *s = &f->schedule;
    int64_t opens = cw_frontier_schedule_opens(s, host);
    int64_t wake =
        host->at_waiting ? cw_heap_time_of_key(s->waiting.entries[host->at_waiting - 1].key.high) : CRAWL_FOREVER;
    if (wake > f->now || host->at_ready)
        FAIL_UNLESS(host->standing == cw_frontier_schedule_standing(s, host, opens, f->now),
                    "B1: a host of another standing");
    if (opens > f->now) {
        FAIL_UNLESS(!host->at_ready, "S1: a host is ready that may not be asked");
        FAIL_UNLESS(wake == opens, "S2: a host waits for another time than it opens");
        return NULL;
    }
    if (!host->at_ready) {
        FAIL_UNLESS(wake <= f->now, "S1: a host that may be asked is neither ready nor about to be woken");
        return NULL;
    }
    cw_frontier_queue *queue = cw_frontier_schedule_head(host);
    cw_heap_key key = (host->session ? &s->sessions : &s->ready)->entries[host->at_ready - 1].key;
    FAIL_UNLESS(cw_frontier_schedule_level(s, key.high, cw_frontier_queue_head_key(queue).high),
                "S1: a ready host under a key that is not its head's");
    int64_t due = cw_frontier_queue_due(&host->queues[CW_URGENT]);
    if (queue == &host->queues[CW_NORMAL] && cw_frontier_queue_due(queue) < due)
        due = cw_frontier_queue_due(queue);
    FAIL_UNLESS(wake == due, "S3: a ready host is not woken when its head may change");
    return NULL;
}

static const char *check_host(const crawl_frontier *f, cw_frontier_host *host, struct sums *sums)
{
    bool queued = cw_frontier_host_queued(host) > 0;
    bool blocked = host->blocked != CW_FRONTIER_NEVER;
    FAIL_UNLESS(host->live == (cw_frontier_host_load(host) > 0), "H1: live");
    FAIL_UNLESS(host->counted_queued == queued, "H1: queued");
    FAIL_UNLESS(host->counted_blocked == (queued && blocked), "H1: blocked");
    FAIL_UNLESS(!blocked || host->blocked > f->now, "H1: a block that is over");
    FAIL_UNLESS(blocked == (host->at_blocked != 0), "H2: a block without its entry, or the reverse");
    FAIL_UNLESS(host->leased <= f->options.per_host, "more leases of a host at once than its limit");
    FAIL_UNLESS(cw_frontier_hosts_at(&f->hosts, host->number) == (f->hosts.indexed ? host : NULL),
                "H4: a host that is not under its number");
    FAIL_UNLESS(!host->touched, "a host is marked as touched between calls");
    sums->bytes += cw_frontier_hosts_stand_alone(&f->hosts) ? cw_frontier_held(host) : 0;
    sums->leased += host->leased;
    sums->live += host->live;
    sums->hosts_queued += queued;
    sums->hosts_blocked += queued && blocked;
    sums->blocked += blocked;
    sums->at_ready += host->at_ready && !host->session;
    sums->at_sessions += host->at_ready && host->session;
    sums->in_session += host->session != 0;
    sums->at_waiting += host->at_waiting != 0;
    sums->standing[host->standing]++;
    sums->watched += host->watched;
    FAIL_UNLESS(!host->watched || cw_frontier_standing_is_held(host->standing),
                "B2: a host is watched that is not held");
    FAIL_UNLESS(host->share >= 1 && host->taken < host->share, "S7: a turn that is over");
    for (size_t i = 0; i < CW_QUEUES; i++) {
        const char *failed = check_queue(f, &host->queues[i], i == CW_URGENT, sums);
        if (failed)
            return failed;
    }
    return check_place(f, host);
}

static const char *check_leases(const crawl_frontier *f, struct sums *sums)
{
    const cw_frontier_leases *leases = &f->leases;
    uint64_t out = 0;
    uint64_t free_slots = 0;
    for (uint32_t i = 0; i < leases->count; i++) {
        const cw_frontier_lease *lease = &leases->slots[i];
        sums->bytes += cw_frontier_held(lease->url.data);
        if (!lease->host)
            continue;
        out++;
        sums->urgent += (lease->item->flags & CW_ITEM_URGENT) != 0;
        add_item(sums, lease->item);
        sums->revisits_leased += cw_frontier_item_visits(lease->item) > 0;
        sums->parked += lease->parked;
        FAIL_UNLESS(lease->started || lease->host->unstarted, "a lease not started of a host that knows of none");
    }
    for (uint32_t at = leases->free; at && free_slots <= leases->count; at = leases->slots[at - 1].next_free)
        free_slots++;
    FAIL_UNLESS(out == leases->out, "L1: leases out");
    FAIL_UNLESS(out + free_slots == leases->count, "L1: a slot neither out nor free");
    sums->bytes += cw_frontier_held(leases->slots);
    return NULL;
}

static const char *check_sums(const crawl_frontier *f, const struct sums *sums)
{
    const cw_frontier_dormant *dormant = &f->schedule.dormant;
    uint64_t standing = 0;
    FAIL_UNLESS(sums->queued + dormant->requests == f->queued, "F2: queued");
    FAIL_UNLESS(sums->leased + sums->parked == f->leases.out, "F2: leased");
    FAIL_UNLESS(sums->kept == f->leases.out, "F2: kept room and leases out");
    FAIL_UNLESS(sums->urgent == f->urgent, "F1: urgent");
    FAIL_UNLESS(f->accepted + f->urgent + f->again == f->finished + f->queued + f->leases.out,
                "F1: requests lost or multiplied");
    FAIL_UNLESS(f->store.tails || sums->revisits == f->revisits, "F2: further visits");
    FAIL_UNLESS(sums->revisits <= f->revisits, "F2: further visits in memory");
    FAIL_UNLESS(sums->revisits_leased == f->revisits_leased, "F2: further visits leased");
    FAIL_UNLESS(sums->live == f->hosts.live, "H1: sum of live hosts");
    FAIL_UNLESS(sums->hosts_queued + dormant->hosts == f->hosts.queued, "H1: sum of hosts with requests");
    FAIL_UNLESS(sums->hosts_blocked == f->hosts.blocked_queued, "H1: sum of blocked hosts with requests");
    FAIL_UNLESS(sums->blocked == f->hosts.blocked.count, "H2: sum of blocked hosts");
    FAIL_UNLESS(sums->at_ready == f->schedule.ready.count, "S1: sum of ready hosts");
    FAIL_UNLESS(sums->at_sessions == f->schedule.sessions.count, "S8: sum of ready hosts in a session");
    FAIL_UNLESS(sums->in_session == f->schedule.in_session, "S8: sum of hosts in a session");
    FAIL_UNLESS(f->schedule.sessions.capacity >= sums->in_session, "S8: room in the heap of sessions");
    FAIL_UNLESS(sums->at_waiting == f->schedule.waiting.count, "S2: sum of waiting hosts");
    for (unsigned s = 0; s < CRAWL_STANDING_COUNT; s++) {
        FAIL_UNLESS(sums->standing[s] <= f->schedule.binding.hosts[s], "B1: sum of hosts of a standing");
        standing += f->schedule.binding.hosts[s];
    }
    FAIL_UNLESS(standing == f->hosts.queued, "B1, S9: sum of hosts that stand somewhere");
    FAIL_UNLESS(sums->watched == f->schedule.binding.watched_count, "B2: sum of watched hosts");
    FAIL_UNLESS(f->schedule.ready.capacity >= f->hosts.live, "S5: room in the heap of ready hosts");
    FAIL_UNLESS(f->schedule.waiting.capacity >= f->hosts.live, "S5: room in the heap of waiting hosts");
    return NULL;
}

static const char *check_forgets(const crawl_frontier *f)
{
    const cw_frontier_forgets *forgets = &f->forgets;
    FAIL_UNLESS(forgets->beyond || !cw_heap_key_less(forgets->edge, CW_FRONTIER_FORGETS_END),
                "W2: an edge with nothing beyond");
    for (size_t i = 0; i < forgets->count; i++) {
        FAIL_UNLESS(cw_heap_key_less(cw_frontier_forget_order(&forgets->entries[i]), forgets->edge),
                    "W2: in the window behind the edge");
        FAIL_UNLESS(forgets->entries[(i ? i - 1 : 0) / 4].at <= forgets->entries[i].at,
                    "heap: a date before its parent");
    }
    return NULL;
}

static uint64_t bytes_of_dormant(const cw_frontier_dormant *dormant)
{
    uint64_t bytes = cw_frontier_held(dormant->pages.entries) + cw_frontier_held(dormant->turns.entries) +
                     cw_frontier_held(dormant->dates.entries);
    for (uint32_t i = 0; i < dormant->pages.count; i++)
        bytes += cw_frontier_held(dormant->pages.entries[i].value);
    return bytes;
}

/* Shares of parents were rounded down, each by less than a byte per request. */
static const char *check_bytes(crawl_frontier *f, const struct sums *sums)
{
    uint64_t known = sums->bytes + cw_frontier_held(f) + cw_frontier_held(f->hosts.blocked.entries) +
                     cw_frontier_held(f->schedule.ready.entries) + cw_frontier_held(f->schedule.sessions.entries) +
                     cw_frontier_held(f->schedule.waiting.entries) + cw_frontier_held(f->forgets.entries) +
                     cw_frontier_held(f->hosts.awake.slots) + cw_frontier_held(f->hosts.awake.numbers) +
                     cw_frontier_held(f->hosts.spare) + cw_frontier_held(f->hosts.resting.slots) +
                     bytes_of_dormant(&f->schedule.dormant);
    FAIL_UNLESS(f->memory.bytes >= known, "bytes: less counted than held");
    FAIL_UNLESS(f->memory.bytes - known <= f->queued + f->leases.out, "bytes: more counted than held");
    return NULL;
}

uint64_t bytes_of_arena(const cw_frontier_arena *arena)
{
    uint64_t bytes = 0;
    for (const cw_frontier_chunk *chunk = arena->chunks; chunk; chunk = chunk->before)
        bytes += chunk->size;
    return bytes;
}

uint64_t bytes_of_notes(const cw_map *notes)
{
    size_t cursor = 0;
    uint64_t bytes = 0;
    for (void *one = notes ? cw_map_next(notes, &cursor) : NULL; one; one = cw_map_next(notes, &cursor))
        bytes += cw_frontier_held(one);
    return bytes;
}

static const char *check_store(crawl_frontier *frontier, uint64_t *bytes)
{
#ifdef CRAWL_DISK
    if (frontier->store.tails)
        return check_disk(frontier, bytes);
#endif
    const cw_frontier_forgets *forgets = &frontier->forgets;
    if (frontier->store.dates && forgets->count + frontier->leases.out > forgets->capacity)
        return "W1: less room than there are leases";
    *bytes += bytes_of_notes(frontier->store.self);
    return NULL;
}

static const char *check_all(crawl_frontier *f, check_of_store *store)
{
    struct sums sums = {.bytes = bytes_of_arena(&f->hosts.arena)};
    size_t cursor = 0;
    const char *failed = check_index(&f->schedule.ready);
    if (!failed)
        failed = check_index(&f->schedule.sessions);
    if (!failed)
        failed = check_index(&f->schedule.waiting);
    if (!failed)
        failed = check_index(&f->hosts.blocked);
    for (cw_frontier_host *host; !failed && (host = cw_map_next(f->hosts.map, &cursor));)
        failed = check_host(f, host, &sums);
    if (!failed)
        failed = check_leases(f, &sums);
    if (!failed)
        failed = check_sums(f, &sums);
    if (!failed)
        failed = check_forgets(f);
    if (!failed)
        failed = (store ? store : check_store)(f, &sums.bytes);
    return failed ? failed : check_bytes(f, &sums);
}

const char *check_frontier(crawl_frontier *frontier, check_of_store *store)
{
    pthread_mutex_lock(&frontier->lock);
    const char *failed = check_all(frontier, store);
    pthread_mutex_unlock(&frontier->lock);
    return failed;
}
