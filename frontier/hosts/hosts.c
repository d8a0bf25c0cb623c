/* See hosts.h. Invariants:
 *
 *   H1  live, queued and blocked_queued count the hosts that meet the three conditions (after a recount).
 *   H2  a host is in the heap of blocked ones if and only if host->blocked is not CW_FRONTIER_NEVER, under that time.
 *   H3  hosts are not removed, since a pause must outlive the last request, and a lease borrows the origin; except
 *       hosts
 *       without leases which the store has given back, or keeps with their pauses.
 *   H4  if hosts are indexed, each host in memory is in `awake` under its number.
 *   H5  no two hosts have the same number. */
#include "frontier/hosts/hosts.h"

#include "base/bytes.h"

#include <sys/random.h>

/* Returns a seed unknown to anybody who chooses origins. If the system has none, the address of the table must do. */
static uint64_t random_seed(const cw_frontier_hosts *hosts)
{
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != (ssize_t)sizeof seed)
        seed = (uint64_t)(uintptr_t)hosts;
    return seed;
}

crawl_err cw_frontier_hosts_init(cw_frontier_hosts *hosts, cw_frontier_memory *memory)
{
    *hosts = (cw_frontier_hosts){.memory = memory, .blocked.place = offsetof(cw_frontier_host, at_blocked)};
    hosts->map = cw_map_create(random_seed(hosts));
    hosts->resting.seed = random_seed(hosts);
    return hosts->map ? CRAWL_OK : CRAWL_ENOMEM;
}

static void hosts_free_items(cw_heap_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        cw_frontier_item *item = entries[i].value;
        free(cw_frontier_item_leave_parent(item));
        free(item);
    }
}

static void free_queues(cw_frontier_host *host)
{
    for (size_t i = 0; i < CW_QUEUES; i++) {
        cw_frontier_queue *queue = &host->queues[i];
        hosts_free_items(queue->entries, queue->ready);
        if (queue->delayed)
            hosts_free_items(queue->entries + queue->capacity - queue->delayed, queue->delayed);
        free(queue->entries);
        free(queue->tail);
    }
}

void cw_frontier_hosts_free(cw_frontier_hosts *hosts)
{
    if (!hosts->map)
        return;
    size_t cursor = 0;
    for (cw_frontier_host *host; (host = cw_map_next(hosts->map, &cursor));) {
        free_queues(host);
        if (cw_frontier_hosts_stand_alone(hosts))
            free(host);
    }
    cw_frontier_arena_free(&hosts->arena);
    cw_map_free(hosts->map);
    free(hosts->blocked.entries);
    free(hosts->awake.slots);
    free(hosts->awake.numbers);
    free(hosts->spare);
    free(hosts->resting.slots);
}

/* Returns the size of a host with this origin. */
static size_t hosts_size_of(crawl_slice origin)
{
    size_t size = offsetof(cw_frontier_host, origin) + origin.size;
    return size < sizeof(cw_frontier_host) ? sizeof(cw_frontier_host) : size;
}

static cw_frontier_host *hosts_take_block(cw_frontier_hosts *hosts, size_t size)
{
    if (!cw_frontier_hosts_stand_alone(hosts))
        return cw_frontier_arena_get(&hosts->arena, hosts->memory, size);
    cw_frontier_host *host = malloc(size);
    cw_frontier_memory_adopt(hosts->memory, host);
    return host;
}

/* Gives back the block that was taken last. */
static void return_block(cw_frontier_hosts *hosts, cw_frontier_host *host)
{
    if (cw_frontier_hosts_stand_alone(hosts))
        cw_frontier_memory_free(hosts->memory, host);
    else
        cw_frontier_arena_unget(&hosts->arena, hosts_size_of(cw_frontier_host_origin(host)));
}

static uint32_t hosts_next_number(const cw_frontier_hosts *hosts)
{
    return hosts->spare_count ? hosts->spare[hosts->spare_count - 1] : (uint32_t)hosts->numbers;
}

static cw_frontier_host *create_host(cw_frontier_hosts *hosts, crawl_slice origin, uint32_t number)
{
    cw_frontier_host *host = hosts_take_block(hosts, hosts_size_of(origin));
    if (!host)
        return NULL;
    memset(host, 0, sizeof *host);
    host->last_start = CW_FRONTIER_NEVER;
    host->pause = -1;
    host->blocked = CW_FRONTIER_NEVER;
    host->share = 1;
    host->standing = CRAWL_STANDING_COUNT;
    host->number = number;
    host->turn = number;
    host->away = hosts->away;
    host->origin_size = (uint32_t)origin.size;
    memcpy(host->origin, origin.data, origin.size);
    return host;
}

/* Keeps H4. */
cw_frontier_host *cw_frontier_hosts_restore(cw_frontier_hosts *hosts, crawl_slice origin, uint32_t number)
{
    cw_frontier_host *host = origin.size > UINT32_MAX ? NULL : create_host(hosts, origin, number);
    if (!host)
        return NULL;
    if ((hosts->indexed && cw_frontier_awake_reserve(&hosts->awake, hosts->memory)) ||
        cw_map_put(hosts->map, cw_frontier_host_origin(host), host)) {
        return_block(hosts, host);
        return NULL;
    }
    if (hosts->indexed)
        cw_frontier_awake_add(&hosts->awake, host);
    return host;
}

crawl_err cw_frontier_hosts_look(cw_frontier_hosts *hosts, crawl_slice origin, cw_frontier_host **out)
{
    *out = cw_map_get(hosts->map, origin);
    if (*out)
        return CRAWL_OK;
    return hosts->resting.count ? hosts->recall(hosts->user, origin, out) : CRAWL_ABSENT;
}

crawl_err cw_frontier_hosts_get_within(cw_frontier_hosts *hosts, crawl_slice origin, uint64_t max,
                                       cw_frontier_host **out)
{
    crawl_err err = cw_frontier_hosts_look(hosts, origin, out);
    if (err != CRAWL_ABSENT)
        return err;
    if (max && cw_frontier_hosts_count(hosts) >= max)
        return CRAWL_FULL;
    *out = hosts->numbers > UINT32_MAX ? NULL : cw_frontier_hosts_restore(hosts, origin, hosts_next_number(hosts));
    if (!*out)
        return CRAWL_ENOMEM;
    if (hosts->spare_count)
        hosts->spare_count--;
    else
        hosts->numbers++;
    return CRAWL_OK;
}

crawl_err cw_frontier_hosts_get(cw_frontier_hosts *hosts, crawl_slice origin, cw_frontier_host **out)
{
    return cw_frontier_hosts_get_within(hosts, origin, 0, out);
}

bool cw_frontier_hosts_may_rest(const cw_frontier_host *host)
{
    return !host->live && !host->leased && !host->session && !host->watched && !host->at_ready && !host->at_waiting &&
           host->blocked == CW_FRONTIER_NEVER;
}

/* Keeps H4. */
void cw_frontier_hosts_drop(cw_frontier_hosts *hosts, cw_frontier_host *host)
{
    cw_map_remove(hosts->map, cw_frontier_host_origin(host));
    if (hosts->indexed)
        cw_frontier_awake_remove(&hosts->awake, host);
    cw_frontier_memory_free(hosts->memory, host);
}

/* The number stays reserved. */
void cw_frontier_hosts_rest(cw_frontier_hosts *hosts, cw_frontier_host *host)
{
    cw_frontier_resting_add(&hosts->resting, cw_frontier_host_origin(host),
                            (cw_frontier_rester){.number = host->number});
    cw_frontier_hosts_drop(hosts, host);
}

/* Keeps H5. Without memory the number is never reused. */
static void spare_number(cw_frontier_hosts *hosts, uint32_t number)
{
    if (hosts->spare_count == hosts->spare_room) {
        size_t room = hosts->spare_room * 2 + 64;
        uint32_t *grown = cw_frontier_memory_resize(hosts->memory, hosts->spare, room * sizeof *grown);
        if (!grown)
            return;
        hosts->spare = grown;
        hosts->spare_room = room;
    }
    hosts->spare[hosts->spare_count++] = number;
}

/* Keeps H2, H4 and H5. */
void cw_frontier_hosts_forget(cw_frontier_hosts *hosts, cw_frontier_host *host)
{
    cw_frontier_index_drop(&hosts->blocked, host);
    spare_number(hosts, host->number);
    cw_frontier_hosts_drop(hosts, host);
}

/* Returns true for a port as the URL standard serializes it: no default, no leading zero. */
static bool hosts_is_port(crawl_slice text, uint32_t by_default)
{
    uint32_t port = 0;
    for (size_t i = 0; i < text.size && port <= UINT16_MAX; i++) {
        if (!cw_is_digit((unsigned char)text.data[i]))
            return false;
        port = port * 10 + (uint32_t)(text.data[i] - '0');
    }
    return text.size && (text.size == 1 || *text.data != '0') && port <= UINT16_MAX && port != by_default;
}

/* Returns true for a host without capitals and without code points that the standard forbids in one. */
static bool hosts_is_host(crawl_slice text)
{
    bool is_address = text.size && *text.data == '[' && text.data[text.size - 1] == ']';
    if (is_address)
        text = crawl_slice_of(text.data + 1, text.size - 2);
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c <= ' ' || c >= 0x7f || (c >= 'A' && c <= 'Z') || strchr("#%/<>?@[\\]^|", c) || (c == ':' && !is_address))
            return false;
    }
    return text.size > 0;
}

bool cw_frontier_is_origin(crawl_slice origin)
{
    bool is_https = cw_take_text(&origin, "https://");
    if ((!is_https && !cw_take_text(&origin, "http://")) || !origin.size)
        return false;
    const char *end = memchr(origin.data, ']', origin.size);
    size_t from = end ? (size_t)(end - origin.data) : 0;
    const char *colon = memchr(origin.data + from, ':', origin.size - from);
    if (!colon)
        return hosts_is_host(origin);
    size_t size = (size_t)(colon - origin.data);
    return hosts_is_host(crawl_slice_of(origin.data, size)) &&
           hosts_is_port(crawl_slice_of(colon + 1, origin.size - size - 1), is_https ? 443 : 80);
}

/* Keeps H2. */
crawl_err cw_frontier_hosts_block(cw_frontier_hosts *hosts, cw_frontier_host *host, int64_t until)
{
    if (until == CW_FRONTIER_NEVER) {
        cw_frontier_index_drop(&hosts->blocked, host);
    } else {
        crawl_err err = cw_frontier_index_reserve(&hosts->blocked, hosts->memory, (size_t)hosts->blocked.count + 1);
        if (err)
            return err;
        cw_frontier_index_put(&hosts->blocked, host, (cw_heap_key){.high = cw_heap_key_of_time(until)});
    }
    host->blocked = until;
    return CRAWL_OK;
}

void cw_frontier_hosts_expire(cw_frontier_hosts *hosts, int64_t now)
{
    while (hosts->blocked.count && cw_heap_time_of_key(hosts->blocked.entries[0].key.high) <= now) {
        cw_frontier_host *host = hosts->blocked.entries[0].value;
        cw_frontier_index_drop(&hosts->blocked, host);
        host->blocked = CW_FRONTIER_NEVER;
        cw_frontier_hosts_recount(hosts, host);
    }
}

static void hosts_count(uint64_t *counter, bool *counted, bool counts)
{
    *counter += (uint64_t)counts - (uint64_t)*counted;
    *counted = counts;
}

/* Keeps H1. */
void cw_frontier_hosts_recount(cw_frontier_hosts *hosts, cw_frontier_host *host)
{
    bool queued = cw_frontier_host_queued(host) > 0;
    bool kept = host->queues[CW_NORMAL].kept || host->queues[CW_URGENT].kept;
    hosts_count(&hosts->live, &host->live, queued || kept);
    hosts_count(&hosts->queued, &host->counted_queued, queued);
    hosts_count(&hosts->blocked_queued, &host->counted_blocked, queued && host->blocked != CW_FRONTIER_NEVER);
    for (size_t i = 0; i < CW_QUEUES; i++)
        cw_frontier_queue_trim(&host->queues[i], hosts->memory);
}
