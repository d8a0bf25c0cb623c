/* See schedule.h. Invariants, for `now` as of the last call that placed the host:
 *
 *   S1  a host is in `ready` if and only if cw_frontier_schedule_opens(host) <= now, under the key of its head request;
 *       under BFS with the host's turn in place of the request's sequence, so that hosts take turns among requests of
 *       one
 *       priority and depth, or with host_turns of any.
 *   S2  a host that is not ready and that time alone will make ready is in `waiting` under exactly that time.
 *   S3  a ready host is in `waiting` as well if a delayed request of it may become its head, under that request's date.
 *   S4  times in `waiting` are later than the `now` of their placing: waking hosts terminates.
 *   S5  both heaps have room for every live host, so that placing cannot fail.
 *   S6  turns: the number of the host if it was never served a whole turn (hosts are numbered as they become known);
 *       otherwise TURN_SERVED plus the number of the lease that ended its last turn. All differ, and the host whose
 *       last turn is longest ago has the lowest.
 *   S7  a host keeps its turn until as many of its leases count as its share says: taken < share. Urgent ones do not,
 *       nor those returned unstarted to be given again at once, so that a host whose robots.txt is asked for first is
 * not behind all others afterwards. S8  in_session counts the hosts in a session; a ready one is in `sessions` instead
 * of `ready`, and `sessions` has room for all of them. S9  binding counts resting hosts with requests by the standing
 * they had when they went to rest. */
#include "frontier/hosts/schedule.h"

#include "base/bytes.h"

/* Invariants:
 *
 *   B1  hosts[s] counts the hosts whose standing is s.
 *   B2  a watched host is held, is in `watched` once, and knows that it is.
 *   B3  while there is room, every held host placed since is watched. */

/* Keeps B2. */
static void unwatch(cw_frontier_binding *binding, cw_frontier_host *host)
{
    unsigned at = 0;
    while (binding->watched[at] != host)
        at++;
    binding->watched[at] = binding->watched[--binding->watched_count];
    host->watched = false;
}

static unsigned least_watched(const cw_frontier_binding *binding)
{
    unsigned least = 0;
    for (unsigned i = 1; i < binding->watched_count; i++)
        if (cw_frontier_host_queued(binding->watched[i]) < cw_frontier_host_queued(binding->watched[least]))
            least = i;
    return least;
}

/* Keeps B3. */
static void binding_watch(cw_frontier_binding *binding, cw_frontier_host *host)
{
    if (binding->watched_count == CW_FRONTIER_WATCHED) {
        cw_frontier_host *least = binding->watched[least_watched(binding)];
        if (cw_frontier_host_queued(host) <= cw_frontier_host_queued(least))
            return;
        unwatch(binding, least);
    }
    binding->watched[binding->watched_count++] = host;
    host->watched = true;
}

/* Records the standing of a host after it was placed; CRAWL_STANDING_COUNT: nothing of it is queued. Keeps B1. */
static void schedule_note_binding(cw_frontier_binding *binding, cw_frontier_host *host, crawl_standing standing)
{
    if (host->standing != CRAWL_STANDING_COUNT)
        binding->hosts[host->standing]--;
    if (standing != CRAWL_STANDING_COUNT)
        binding->hosts[standing]++;
    host->standing = (uint8_t)standing;
    if (host->watched && !cw_frontier_standing_is_held(standing))
        unwatch(binding, host);
    else if (!host->watched && cw_frontier_standing_is_held(standing))
        binding_watch(binding, host);
}

#define TURN_SERVED ((uint64_t)1 << 40)
#define ANY_LEVEL ((uint64_t)1 << 63) /* only whether a request is urgent */

void cw_frontier_schedule_init(cw_frontier_schedule *schedule, const crawl_frontier_options *options)
{
    *schedule = (cw_frontier_schedule){
        .ready.place = offsetof(cw_frontier_host, at_ready),
        .sessions.place = offsetof(cw_frontier_host, at_ready),
        .waiting.place = offsetof(cw_frontier_host, at_waiting),
        .dormant = cw_frontier_dormant_start(),
        .level = options->host_turns && options->order == CRAWL_ORDER_BFS ? ANY_LEVEL : UINT64_MAX,
        .order = options->order,
        .sessions_max = options->order == CRAWL_ORDER_BFS ? options->sessions : 0,
        .pause = options->pause_ms,
        .per_host = options->per_host,
        .confirm_start = options->confirm_start,
    };
}

void cw_frontier_schedule_free(cw_frontier_schedule *schedule)
{
    free(schedule->ready.entries);
    free(schedule->sessions.entries);
    free(schedule->waiting.entries);
    cw_frontier_dormant_free(&schedule->dormant);
}

/* Keeps S5. */
crawl_err cw_frontier_schedule_reserve(cw_frontier_schedule *schedule, cw_frontier_memory *memory, uint64_t live)
{
    crawl_err err = cw_frontier_index_reserve(&schedule->ready, memory, live);
    return err ? err : cw_frontier_index_reserve(&schedule->waiting, memory, live);
}

static int64_t schedule_pause_end(const cw_frontier_schedule *schedule, const cw_frontier_host *host)
{
    int64_t end;
    int64_t pause = host->pause < 0 ? schedule->pause : host->pause;
    if (host->last_start == CW_FRONTIER_NEVER)
        return CW_FRONTIER_NEVER;
    return __builtin_add_overflow(host->last_start, pause, &end) ? CRAWL_FOREVER : end;
}

static bool is_busy(const cw_frontier_schedule *schedule, const cw_frontier_host *host)
{
    return host->leased >= schedule->per_host || host->unstarted || host->away;
}

/* Slots and pause apply to all requests, the block to those that are not urgent. */
int64_t cw_frontier_schedule_opens(const cw_frontier_schedule *schedule, const cw_frontier_host *host)
{
    if (is_busy(schedule, host))
        return CRAWL_FOREVER;
    int64_t urgent = cw_frontier_queue_next(&host->queues[CW_URGENT]);
    int64_t normal = cw_most(host->blocked, cw_frontier_queue_next(&host->queues[CW_NORMAL]));
    return cw_most(schedule_pause_end(schedule, host), cw_least(urgent, normal));
}

/* If several reasons hold the host to the same time, returns the first one, which a change of settings would have to
 * change. */
crawl_standing cw_frontier_schedule_standing(const cw_frontier_schedule *schedule, const cw_frontier_host *host,
                                             int64_t opens, int64_t now)
{
    if (!cw_frontier_host_queued(host))
        return CRAWL_STANDING_COUNT;
    if (is_busy(schedule, host))
        return CRAWL_STANDING_BUSY;
    if (opens <= now)
        return CRAWL_STANDING_READY;
    if (opens == CRAWL_FOREVER)
        return host->leased ? CRAWL_STANDING_BUSY : CRAWL_STANDING_BLOCKED;
    if (opens == schedule_pause_end(schedule, host))
        return CRAWL_STANDING_PAUSED;
    return opens == host->blocked ? CRAWL_STANDING_BLOCKED : CRAWL_STANDING_DATED;
}

/* Returns when a delayed request may displace the head of a ready host. An urgent head yields only to urgent
 * requests. */
static int64_t head_changes(const cw_frontier_host *host)
{
    int64_t urgent = cw_frontier_queue_due(&host->queues[CW_URGENT]);
    if (cw_frontier_queue_has_ready(&host->queues[CW_URGENT]))
        return urgent;
    return cw_least(urgent, cw_frontier_queue_due(&host->queues[CW_NORMAL]));
}

static cw_heap_key ready_key(const cw_frontier_schedule *schedule, cw_frontier_host *host)
{
    cw_frontier_queue *queue = cw_frontier_schedule_head(host);
    cw_heap_key key = cw_frontier_queue_head_key(queue);
    if (schedule->order == CRAWL_ORDER_BFS && queue == &host->queues[CW_NORMAL])
        key = (cw_heap_key){.high = key.high & schedule->level, .low = host->turn};
    return key;
}

static cw_frontier_index *ready_of(cw_frontier_schedule *schedule, const cw_frontier_host *host)
{
    return host->session ? &schedule->sessions : &schedule->ready;
}

void cw_frontier_schedule_expect(cw_frontier_schedule *schedule, const cw_frontier_host *host)
{
    cw_frontier_index_expect(ready_of(schedule, host), host);
}

/* Keeps S1 to S4. */
void cw_frontier_schedule_place(cw_frontier_schedule *schedule, cw_frontier_host *host, int64_t now)
{
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i < CW_QUEUES && !err; i++)
        err = cw_frontier_queue_ripen(&host->queues[i], schedule->order, now);
    int64_t wake = err ? CRAWL_FOREVER : cw_frontier_schedule_opens(schedule, host);
    schedule_note_binding(&schedule->binding, host, cw_frontier_schedule_standing(schedule, host, wake, now));
    if (wake <= now) {
        cw_frontier_index_put(ready_of(schedule, host), host, ready_key(schedule, host));
        wake = head_changes(host);
    } else {
        cw_frontier_index_drop(ready_of(schedule, host), host);
    }
    if (wake < CRAWL_FOREVER)
        cw_frontier_index_put(&schedule->waiting, host, (cw_heap_key){.high = cw_heap_key_of_time(wake)});
    else
        cw_frontier_index_drop(&schedule->waiting, host);
}

/* Releases the hosts that are held together. Keeps S9. */
static void schedule_let_go(cw_frontier_schedule *schedule, int64_t now)
{
    cw_frontier_dormant *dormant = &schedule->dormant;
    if (!dormant->held || dormant->held_until > now)
        return;
    schedule->binding.hosts[CRAWL_STANDING_PAUSED] -= dormant->held;
    schedule->binding.hosts[CRAWL_STANDING_READY] += dormant->held;
    dormant->held = 0;
}

void cw_frontier_schedule_wake(cw_frontier_schedule *schedule, int64_t now)
{
    schedule_let_go(schedule, now);
    while (schedule->waiting.count && cw_heap_time_of_key(schedule->waiting.entries[0].key.high) <= now)
        cw_frontier_schedule_place(schedule, schedule->waiting.entries[0].value, now);
}

/* Among heads of one priority and depth, a host in a session goes first if no other session can begin. */
static bool session_goes_first(const cw_frontier_schedule *schedule, cw_heap_key fresh)
{
    const cw_heap_entry *going = schedule->sessions.count ? schedule->sessions.entries : NULL;
    if (!going)
        return false;
    if (fresh.high == going->key.high && schedule->in_session >= schedule->sessions_max)
        return true;
    return !cw_heap_key_less(fresh, going->key);
}

cw_frontier_host *cw_frontier_schedule_best(const cw_frontier_schedule *schedule)
{
    const cw_heap_entry *fresh = schedule->ready.count ? schedule->ready.entries : NULL;
    if (fresh && !session_goes_first(schedule, fresh->key))
        return fresh->value;
    return schedule->sessions.count ? schedule->sessions.entries[0].value : NULL;
}

static void end_session(cw_frontier_schedule *schedule, cw_frontier_host *host)
{
    cw_frontier_index_drop(&schedule->sessions, host);
    host->session = 0;
    schedule->in_session--;
}

void cw_frontier_schedule_leave(cw_frontier_schedule *schedule, cw_frontier_host *host)
{
    if (host->session)
        end_session(schedule, host);
}

/* Without memory, the host's turn is only this lease. */
static void begin_session(cw_frontier_schedule *schedule, cw_frontier_memory *memory, cw_frontier_host *host)
{
    if (cw_frontier_index_reserve(&schedule->sessions, memory, schedule->in_session + 1))
        return;
    cw_frontier_index_drop(&schedule->ready, host);
    host->session = CW_FRONTIER_SESSION;
    schedule->in_session++;
}

/* Keeps S8. A session covers requests of one priority and depth, so that other hosts' requests of the same come before
 * the host's next ones; it consists of whole turns, so that shares apply in it as well. Urgent requests do not
 * count. */
bool cw_frontier_schedule_count_session(cw_frontier_schedule *schedule, cw_frontier_memory *memory,
                                        cw_frontier_host *host, cw_heap_key key, uint64_t queued)
{
    const cw_frontier_queue *queue = &host->queues[CW_NORMAL];
    if (cw_frontier_key_is_urgent(key))
        return false;
    if (!host->session && schedule->sessions_max && queued > schedule->sessions_max)
        begin_session(schedule, memory, host);
    if (!host->session)
        return false;
    bool more = cw_frontier_queue_has_ready(queue) &&
                cw_frontier_schedule_level(schedule, cw_frontier_queue_head_key(queue).high, key.high);
    bool is_turn_over = schedule->confirm_start ? host->taken + 1 >= host->share : !host->taken;
    if (more && !is_turn_over)
        return false;
    if (more && host->session > 1) {
        host->session--;
        return false;
    }
    end_session(schedule, host);
    return true;
}

/* Keeps S6 and S7. */
static void schedule_count_turn(cw_frontier_schedule *schedule, cw_frontier_host *host)
{
    if (++host->taken >= host->share) {
        host->turn = TURN_SERVED + schedule->leases;
        host->taken = 0;
    }
    schedule->leases++;
}

void cw_frontier_schedule_served(cw_frontier_schedule *schedule, cw_frontier_host *host, bool urgent, int64_t now)
{
    host->leased++;
    if (schedule->confirm_start)
        host->unstarted = true;
    else
        cw_frontier_schedule_started(schedule, host, urgent, now);
}

void cw_frontier_schedule_started(cw_frontier_schedule *schedule, cw_frontier_host *host, bool urgent, int64_t now)
{
    host->unstarted = false;
    host->last_start = now;
    if (!urgent)
        schedule_count_turn(schedule, host);
}

void cw_frontier_schedule_unstarted(cw_frontier_schedule *schedule, cw_frontier_host *host, bool is_turn)
{
    host->unstarted = false;
    if (is_turn)
        schedule_count_turn(schedule, host);
}

/* Sets *key to the first place of the resting hosts that may be asked. false: there is none. */
static bool dormant_first(const cw_frontier_schedule *schedule, cw_heap_key *key)
{
    const cw_frontier_dormant *dormant = &schedule->dormant;
    uint32_t number;
    return dormant->hosts && !dormant->held && cw_frontier_dormant_first(dormant, key, &number);
}

/* Returns the soonest time that changes something about a resting host, and its number. */
static int64_t dormant_date(const cw_frontier_schedule *schedule, uint32_t *number)
{
    const cw_frontier_dormant *dormant = &schedule->dormant;
    cw_heap_key key;
    int64_t date = dormant->hosts ? cw_frontier_dormant_date(dormant, number) : CRAWL_FOREVER;
    if (!dormant->held || dormant->held_until >= date || !cw_frontier_dormant_first(dormant, &key, number))
        return date;
    return dormant->held_until;
}

static int64_t first_wait(const cw_frontier_schedule *schedule)
{
    return schedule->waiting.count ? cw_heap_time_of_key(schedule->waiting.entries[0].key.high) : CRAWL_FOREVER;
}

int64_t cw_frontier_schedule_next(const cw_frontier_schedule *schedule, int64_t now)
{
    uint32_t number;
    cw_heap_key key;
    if (cw_frontier_schedule_is_ready(schedule) || dormant_first(schedule, &key))
        return now;
    return cw_least(first_wait(schedule), dormant_date(schedule, &number));
}

void cw_frontier_schedule_describe(const cw_frontier_schedule *schedule, const cw_frontier_host *host,
                                   crawl_held_host *out)
{
    size_t size = host->origin_size < sizeof out->origin ? host->origin_size : sizeof out->origin - 1;
    memcpy(out->origin, host->origin, size);
    out->origin[size] = '\0';
    out->standing = (crawl_standing)host->standing;
    out->queued = cw_frontier_host_queued(host);
    out->opens_ms = cw_frontier_schedule_opens(schedule, host);
}

bool cw_frontier_schedule_may_rest(const cw_frontier_schedule *schedule, const cw_frontier_host *host)
{
    const cw_frontier_queue *urgent = &host->queues[CW_URGENT];
    if (!host->counted_queued || host->queues[CW_NORMAL].kept || urgent->kept || cw_frontier_queue_count(urgent) ||
        host->session || host->watched || host->blocked != CW_FRONTIER_NEVER)
        return false;
    if (host->standing == CRAWL_STANDING_READY)
        return host->at_ready && !schedule->dormant.held;
    return host->standing == CRAWL_STANDING_DATED && host->at_waiting;
}

/* Returns true if a host resting with this standing has a place among those that may be asked; false: only a date. */
static bool rests_in_line(const cw_frontier_host *host, crawl_standing standing)
{
    return cw_frontier_queue_has_ready(&host->queues[CW_NORMAL]) &&
           (standing == CRAWL_STANDING_READY || (standing == CRAWL_STANDING_PAUSED && host->pause < 0));
}

static void count_dormant(cw_frontier_schedule *schedule, const cw_frontier_host *host, crawl_standing standing, int by)
{
    cw_frontier_dormant *dormant = &schedule->dormant;
    dormant->hosts += (uint64_t)by;
    dormant->requests += (uint64_t)by * cw_frontier_host_queued(host);
    if (standing == CRAWL_STANDING_PAUSED && rests_in_line(host, standing))
        dormant->held += (uint64_t)by;
}

crawl_err cw_frontier_schedule_lay(cw_frontier_schedule *schedule, cw_frontier_memory *memory, cw_frontier_host *host,
                                   crawl_standing standing)
{
    cw_frontier_dormant *dormant = &schedule->dormant;
    bool placed = rests_in_line(host, standing);
    cw_heap_key key = placed ? ready_key(schedule, host) : (cw_heap_key){0};
    int64_t date = placed ? head_changes(host) : cw_frontier_schedule_opens(schedule, host);
    crawl_err err = placed ? cw_frontier_dormant_add(dormant, memory, key, host->number) : CRAWL_OK;
    if (!err && date < CRAWL_FOREVER)
        err = cw_frontier_dormant_add_date(dormant, memory, date, host->number);
    if (err && placed)
        cw_frontier_dormant_remove(dormant, memory, key, host->number);
    if (err)
        return err;
    count_dormant(schedule, host, standing, 1);
    if (standing == CRAWL_STANDING_PAUSED && placed)
        dormant->held_until = cw_frontier_schedule_opens(schedule, host);
    return CRAWL_OK;
}

/* Keeps S1 to S3, and S9. */
void cw_frontier_schedule_rise(cw_frontier_schedule *schedule, cw_frontier_memory *memory, cw_frontier_host *host,
                               crawl_standing standing)
{
    int64_t wake = cw_frontier_schedule_opens(schedule, host);
    count_dormant(schedule, host, standing, -1);
    host->standing = (uint8_t)standing;
    if (rests_in_line(host, standing))
        cw_frontier_dormant_remove(&schedule->dormant, memory, ready_key(schedule, host), host->number);
    if (standing == CRAWL_STANDING_READY) {
        cw_frontier_index_put(&schedule->ready, host, ready_key(schedule, host));
        wake = head_changes(host);
    }
    if (wake < CRAWL_FOREVER)
        cw_frontier_index_put(&schedule->waiting, host, (cw_heap_key){.high = cw_heap_key_of_time(wake)});
}

bool cw_frontier_schedule_lacks_best(const cw_frontier_schedule *schedule)
{
    cw_heap_key key;
    if (!dormant_first(schedule, &key) || session_goes_first(schedule, key))
        return false;
    return !schedule->ready.count || cw_heap_key_less(key, schedule->ready.entries[0].key);
}

bool cw_frontier_schedule_lacks_date(const cw_frontier_schedule *schedule, uint32_t *number)
{
    return dormant_date(schedule, number) < first_wait(schedule);
}
