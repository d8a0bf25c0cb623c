#include "frontier/disk/rest.h"

#include "frontier/disk/disk.h"
#include "frontier/disk/disk_figures.h"

enum { STEPS = 512, VAIN_MOST = 4, AT_ONCE = 64, WAKE_PART = 8 };

/* ---- leaving memory ---- */

/* A host stays in memory while it has leases, or requests in the stage, which are only there. */
static bool rest_may(const crawl_frontier *frontier, const cw_frontier_host *host)
{
    const cw_frontier_queue *queue = &host->queues[CW_NORMAL];
    if (!cw_frontier_host_load(host))
        return cw_frontier_hosts_may_rest(host);
    return cw_frontier_schedule_may_rest(&frontier->schedule, host) && !cw_disk_window_of(queue)->staged;
}

/* Sweeps over the hosts like the hand of a clock, so that no list of candidates is needed. */
static size_t rest_find(crawl_frontier *frontier, cw_frontier_host **found)
{
    cw_disk_rest *rest = &cw_disk_of(frontier)->rest;
    const cw_frontier_awake *awake = &frontier->hosts.awake;
    size_t steps = awake->room < STEPS ? awake->room : STEPS;
    size_t count = 0;
    steps >>= rest->vain;
    for (size_t i = 0; i < steps && count < AT_ONCE; i++) {
        rest->hand = rest->hand + 1 < awake->room ? rest->hand + 1 : 0;
        cw_frontier_host *host = awake->slots[rest->hand];
        if (host && rest_may(frontier, host))
            found[count++] = host;
    }
    rest->vain = count ? 0 : rest->vain + (rest->vain < VAIN_MOST);
    return count;
}

static crawl_err rest_write(crawl_frontier *frontier, cw_frontier_host **hosts, size_t count)
{
    cw_disk *disk = cw_disk_of(frontier);
    bool writes = false;
    cw_disk_begin(disk);
    for (size_t i = 0; i < count; i++) {
        if (hosts[i]->stored && !hosts[i]->changed)
            continue;
        cw_disk_put_host(disk, hosts[i]);
        writes = true;
    }
    if (!writes)
        return CRAWL_OK;
    cw_disk_figures_write(frontier, 0);
    return cw_disk_commit(disk);
}

/* The requests are on disk, and the host's place is kept. */
static void rest_leave_queue(crawl_frontier *frontier, cw_frontier_host *host)
{
    cw_frontier_queue *queue = &host->queues[CW_NORMAL];
    cw_disk_tail_leave(queue);
    cw_frontier_queue_trim(queue, &frontier->memory);
    cw_disk_tail_free(queue, &frontier->memory);
    cw_frontier_index_drop(&frontier->schedule.ready, host);
    cw_frontier_index_drop(&frontier->schedule.waiting, host);
    frontier->hosts.live--;
}

/* A host stays in memory if there is no room for its place. */
static void rest_begin(crawl_frontier *frontier, cw_frontier_host *host)
{
    if (cw_frontier_host_load(host)) {
        if (cw_frontier_schedule_lay(&frontier->schedule, &frontier->memory, host, (crawl_standing)host->standing))
            return;
        rest_leave_queue(frontier, host);
    }
    cw_frontier_hosts_rest(&frontier->hosts, host);
}

crawl_err cw_disk_rest_some(crawl_frontier *frontier, size_t others)
{
    cw_frontier_hosts *hosts = &frontier->hosts;
    cw_frontier_host *found[AT_ONCE];
    crawl_err err = CRAWL_OK;
    for (size_t i = 0; i <= others / (AT_ONCE / 2) && !err; i++) {
        if (cw_map_count(hosts->map) <= cw_disk_of(frontier)->rest.most)
            return CRAWL_OK;
        size_t count = rest_find(frontier, found);
        if (!count || cw_frontier_resting_reserve(&hosts->resting, hosts->memory, count))
            return CRAWL_OK;
        err = rest_write(frontier, found, count);
        for (size_t j = 0; j < count && !err; j++)
            rest_begin(frontier, found[j]);
    }
    return err == CRAWL_ENOMEM ? CRAWL_OK : err;
}

/* ---- coming back ---- */

crawl_err cw_disk_rest_fill(crawl_frontier *frontier, cw_frontier_host *host, const cw_disk_host_record *record)
{
    for (unsigned range = 0; range < CW_RANGES; range++) {
        const cw_frontier_lane *lane = &record->lanes[range];
        cw_frontier_queue *queue = &host->queues[cw_frontier_range_queue(range)];
        if (!lane->count)
            continue;
        if (!queue->tail && cw_disk_tail_create(frontier, host, queue))
            return CRAWL_ENOMEM;
        queue->tail->lanes[cw_frontier_range_lane(range)] = *lane;
    }
    return CRAWL_OK;
}

/* Requests whose date has come do not count as ready until they were read. */
crawl_standing cw_disk_rest_standing(const crawl_frontier *frontier, const cw_frontier_host *host, int64_t asked)
{
    int64_t opens = cw_frontier_schedule_opens(&frontier->schedule, host);
    crawl_standing standing = cw_frontier_schedule_standing(&frontier->schedule, host, opens, asked);
    bool has_ready = cw_frontier_queue_has_ready(&host->queues[CW_NORMAL]);
    return standing == CRAWL_STANDING_READY && !has_ready ? CRAWL_STANDING_DATED : standing;
}

/* Returns the standing the host had when it went to rest. Hosts resting since an opening after an unclean shutdown were
 * paused then; those held together still are, as long as the group is. */
static crawl_standing rest_stood(const crawl_frontier *frontier, const cw_frontier_host *host, bool was_opened)
{
    bool has_ready = cw_frontier_queue_has_ready(&host->queues[CW_NORMAL]);
    if (!was_opened)
        return has_ready ? CRAWL_STANDING_READY : CRAWL_STANDING_DATED;
    crawl_standing stood = cw_disk_rest_standing(frontier, host, cw_disk_of(frontier)->rest.kill.at);
    bool was_held = stood == CRAWL_STANDING_PAUSED && has_ready && host->pause < 0;
    return was_held && !frontier->schedule.dormant.held ? CRAWL_STANDING_READY : stood;
}

static crawl_err rest_parse(uint32_t number, crawl_slice value, cw_disk_host_record *record, crawl_error *error)
{
    if (!value.size)
        return crawl_error_set(error, CRAWL_ECORRUPT, "the record of host %u is missing", number);
    if (!cw_disk_host_read(value, record))
        return crawl_error_set(error, CRAWL_ECORRUPT, "a record of a host cannot be read");
    return CRAWL_OK;
}

static crawl_err rest_read(cw_disk *disk, uint32_t number, cw_disk_host_record *record, crawl_error *error)
{
    cw_disk_host_key name = cw_disk_host_key_make(number);
    crawl_buf_clear(&disk->rest.record);
    crawl_err err =
        cw_disk_database_get(&disk->database, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(name), &disk->rest.record, error);
    return err && err != CRAWL_ABSENT ? err : rest_parse(number, crawl_buf_slice(&disk->rest.record), record, error);
}

/* Makes the host known, with its record's state. NULL: out of memory. */
static cw_frontier_host *rest_restore(crawl_frontier *frontier, cw_frontier_rester rester,
                                      const cw_disk_host_record *record)
{
    cw_frontier_hosts *hosts = &frontier->hosts;
    if (cw_frontier_schedule_reserve(&frontier->schedule, &frontier->memory, hosts->live + 1))
        return NULL;
    cw_frontier_host *host = cw_frontier_hosts_restore(hosts, record->origin, rester.number);
    if (host && cw_disk_rest_fill(frontier, host, record)) {
        cw_frontier_hosts_drop(hosts, host);
        return NULL;
    }
    return host;
}

static crawl_err rest_end(crawl_frontier *frontier, cw_frontier_rester rester, cw_disk_host_record *record,
                          cw_frontier_host **out)
{
    cw_frontier_hosts *hosts = &frontier->hosts;
    cw_frontier_host *host = rest_restore(frontier, rester, record);
    if (!host)
        return CRAWL_ENOMEM;
    cw_frontier_resting_remove(&hosts->resting, record->origin, rester);
    cw_disk_host_begin_turns(record, rester.number, &cw_disk_of(frontier)->rest.kill);
    cw_disk_host_restore(host, record, frontier->now);
    if (cw_frontier_host_queued(host)) {
        host->live = host->counted_queued = true;
        hosts->live++;
        cw_frontier_schedule_rise(&frontier->schedule, &frontier->memory, host,
                                  rest_stood(frontier, host, rester.was_opened));
    }
    *out = host;
    return CRAWL_OK;
}

static crawl_err rest_fail(cw_disk *disk, crawl_err err, const crawl_error *error)
{
    return err == CRAWL_EIO || err == CRAWL_ECORRUPT ? cw_disk_fail(disk, error) : err;
}

static crawl_err rest_recall(void *user, crawl_slice origin, cw_frontier_host **out)
{
    crawl_frontier *frontier = user;
    cw_disk *disk = cw_disk_of(frontier);
    crawl_error error = {0};
    cw_disk_host_record record;
    cw_frontier_rester rester;
    uint64_t cursor = 0;
    while (cw_frontier_resting_next(&frontier->hosts.resting, origin, &cursor, &rester)) {
        crawl_err err = rest_read(disk, rester.number, &record, &error);
        if (err)
            return rest_fail(disk, err, &error);
        if (crawl_slice_equal(record.origin, origin))
            return rest_end(frontier, rester, &record, out);
    }
    return CRAWL_ABSENT;
}

typedef struct rest_waking {
    crawl_frontier *frontier;
    uint32_t numbers[CW_DISK_DATABASE_MANY]; /* of hosts that are not in memory */
    size_t count;
    crawl_error error;
} rest_waking;

static crawl_err rest_take_record(void *user, size_t index, crawl_slice value)
{
    rest_waking *waking = user;
    crawl_frontier *frontier = waking->frontier;
    uint32_t number = waking->numbers[index];
    cw_disk_host_record record;
    cw_frontier_rester rester;
    cw_frontier_host *host;
    uint64_t cursor = 0;
    if (cw_frontier_hosts_at(&frontier->hosts, number))
        return CRAWL_OK; /* it came twice */
    crawl_err err = rest_parse(number, value, &record, &waking->error);
    while (!err && cw_frontier_resting_next(&frontier->hosts.resting, record.origin, &cursor, &rester))
        if (rester.number == number)
            return rest_end(frontier, rester, &record, &host);
    return err ? err
               : crawl_error_set(&waking->error, CRAWL_ECORRUPT, "the record of host %u is that of another", number);
}

static crawl_err rest_wake_all(rest_waking *waking)
{
    cw_disk *disk = cw_disk_of(waking->frontier);
    cw_disk_host_key names[CW_DISK_DATABASE_MANY];
    crawl_slice keys[CW_DISK_DATABASE_MANY];
    for (size_t i = 0; i < waking->count; i++) {
        names[i] = cw_disk_host_key_make(waking->numbers[i]);
        keys[i] = CW_DISK_SLICE_OF_KEY(names[i]);
    }
    crawl_err err = cw_disk_database_get_many(&disk->database, CW_FAMILY_META, keys, waking->count, rest_take_record,
                                              waking, &waking->error);
    return rest_fail(disk, err, &waking->error);
}

/* Other hosts make room first. */
crawl_err cw_disk_rest_wake(crawl_frontier *frontier, const uint32_t *numbers, size_t count)
{
    rest_waking waking = {.frontier = frontier};
    crawl_err err = cw_disk_failure(cw_disk_of(frontier));
    if (!err)
        err = cw_disk_rest_some(frontier, count);
    for (size_t i = 0; i < count; i++)
        if (!cw_frontier_hosts_at(&frontier->hosts, numbers[i]))
            waking.numbers[waking.count++] = numbers[i];
    return err || !waking.count ? err : rest_wake_all(&waking);
}

void cw_disk_rest_join(crawl_frontier *frontier)
{
    uint64_t most = frontier->options.host_bytes / CW_DISK_HOST_BYTES;
    uint64_t part = most / WAKE_PART + 1;
    cw_disk_of(frontier)->rest = (cw_disk_rest){.most = most};
    frontier->hosts.recall = rest_recall;
    frontier->hosts.user = frontier;
    frontier->schedule.dormant.at_once = part < CW_FRONTIER_DORMANT_PAGE ? (uint32_t)part : CW_FRONTIER_DORMANT_PAGE;
}
