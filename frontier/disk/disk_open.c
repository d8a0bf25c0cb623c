/* Opening a durable frontier: restores the state in memory from disk. After a clean shutdown the record of each host
 * says where its queues begin and how long they are. After an unclean one, a walk over all keys of the queue beside the
 * records finds out; a record that is wrong is rewritten if its host is to rest. */
#include "frontier/disk/disk.h"
#include "frontier/disk/disk_config.h"
#include "frontier/disk/disk_figures.h"
#include "frontier/disk/log/leftover.h"

#define RECORDS_AT_ONCE 1000u /* rewritten in one batch */

/* Shared by the walks over hosts and queue. */
typedef struct opening {
    crawl_frontier *frontier;
    bool clean;
    int64_t now;
    cw_disk_cursor queue; /* after an unclean shutdown */
    uint32_t written;     /* records in the current batch */
    uint32_t paused;      /* hosts found to pause */
    crawl_error *error;
} opening;

static crawl_err disk_open_no_memory(opening *o)
{
    return crawl_error_set(o->error, CRAWL_ENOMEM, "no memory for the hosts and queues of the directory");
}

/* ---- the queue, after an unclean shutdown ---- */

/* Counts the keys up to this host, under the cursor, as lanes; all must be its own. */
static crawl_err disk_open_count(opening *o, uint64_t number, cw_frontier_lane lanes[CW_RANGES])
{
    memset(lanes, 0, CW_RANGES * sizeof *lanes);
    for (; cw_disk_cursor_valid(&o->queue); cw_disk_cursor_next(&o->queue)) {
        uint32_t host;
        unsigned range;
        cw_heap_key key;
        if (!cw_disk_queue_key_read(cw_disk_cursor_key(&o->queue), &host, &range, &key))
            return crawl_error_set(o->error, CRAWL_ECORRUPT, "an invalid key in the queue");
        if (host > number)
            return CRAWL_OK;
        if (host < number)
            return crawl_error_set(o->error, CRAWL_ECORRUPT, "a queued request of unknown host %u", host);
        if (!lanes[range].count++)
            lanes[range].edge = key;
    }
    return cw_disk_cursor_error(&o->queue, o->error);
}

/* Replaces the lanes in the record by those found. */
static crawl_err disk_open_correct(opening *o, uint32_t number, cw_disk_host_record *record, bool *differs)
{
    cw_frontier_lane lanes[CW_RANGES];
    crawl_err err = disk_open_count(o, number, lanes);
    bool is_ahead = record->last_start >= o->now;
    *differs = is_ahead || memcmp(lanes, record->lanes, sizeof lanes) != 0;
    memcpy(record->lanes, lanes, sizeof lanes);
    if (is_ahead) /* otherwise it would look like one written from now on */
        record->last_start = CW_FRONTIER_NEVER;
    return err;
}

/* ---- resting hosts ---- */

/* Fills in *out, without an origin, as the host would be in memory, for its place in the schedule; it has nothing
 * urgent. */
static void disk_open_sketch(const opening *o, uint32_t number, const cw_disk_host_record *record,
                             cw_frontier_tail *tail, cw_frontier_host *out)
{
    *out = (cw_frontier_host){.number = number, .blocked = CW_FRONTIER_NEVER};
    *tail = (cw_frontier_tail){.lanes = {[CW_LANE_READY] = record->lanes[CW_RANGE_NORMAL],
                                         [CW_LANE_DELAYED] = record->lanes[CW_RANGE_NORMAL_DELAYED]}};
    out->queues[CW_NORMAL].tail = tail;
    cw_disk_host_restore(out, record, o->now);
}

/* After a clean shutdown few hosts pause. After an unclean one all do, except hosts with a pause of zero; some of them
 * can be watched. */
static bool disk_open_stands_still(opening *o, crawl_standing standing)
{
    if (standing == CRAWL_STANDING_READY)
        return o->clean || !o->frontier->schedule.pause;
    if (standing == CRAWL_STANDING_PAUSED)
        return !o->clean && o->paused++ >= CW_FRONTIER_WATCHED;
    return standing != CRAWL_STANDING_BLOCKED;
}

/* Returns true if a host stays on disk: only if there are too many. */
static bool disk_open_rests(opening *o, const cw_disk_host_record *record, crawl_standing standing)
{
    return o->frontier->hosts.numbers > cw_disk_of(o->frontier)->rest.most && record->blocked <= o->now &&
           !record->lanes[CW_RANGE_URGENT].count && !record->lanes[CW_RANGE_URGENT_DELAYED].count &&
           disk_open_stands_still(o, standing);
}

static crawl_err disk_open_commit(opening *o)
{
    cw_disk *disk = cw_disk_of(o->frontier);
    crawl_err err = o->written ? cw_disk_commit(disk) : CRAWL_OK;
    o->written = 0;
    return err == CRAWL_ENOMEM ? disk_open_no_memory(o) : err ? cw_disk_why(disk, o->error) : CRAWL_OK;
}

static crawl_err disk_open_write(opening *o, uint32_t number, const cw_disk_host_record *record)
{
    cw_disk *disk = cw_disk_of(o->frontier);
    if (!o->written)
        cw_disk_begin(disk);
    cw_disk_put_host_record(disk, number, record);
    o->written++;
    return o->written < RECORDS_AT_ONCE ? CRAWL_OK : disk_open_commit(o);
}

/* Keeps the place of the sketched host, and counts it. */
static crawl_err disk_open_lay(opening *o, cw_frontier_host *sketch, crawl_standing standing)
{
    crawl_frontier *frontier = o->frontier;
    if (!cw_frontier_host_queued(sketch))
        return CRAWL_OK;
    if (cw_frontier_schedule_lay(&frontier->schedule, &frontier->memory, sketch, standing))
        return disk_open_no_memory(o);
    frontier->schedule.binding.hosts[standing]++;
    frontier->hosts.queued++;
    frontier->queued += cw_frontier_host_queued(sketch);
    return CRAWL_OK;
}

static crawl_err disk_open_rest(opening *o, uint32_t number, const cw_disk_host_record *record)
{
    cw_frontier_hosts *hosts = &o->frontier->hosts;
    if (cw_frontier_resting_reserve(&hosts->resting, hosts->memory, 1))
        return disk_open_no_memory(o);
    cw_frontier_resting_add(&hosts->resting, record->origin, (cw_frontier_rester){number, .was_opened = !o->clean});
    return CRAWL_OK;
}

/* ---- hosts in memory ---- */

static crawl_err restore_host(opening *o, uint32_t number, const cw_disk_host_record *record)
{
    crawl_frontier *frontier = o->frontier;
    cw_frontier_host *host = cw_frontier_hosts_restore(&frontier->hosts, record->origin, number);
    if (!host || cw_disk_rest_fill(frontier, host, record))
        return disk_open_no_memory(o);
    cw_disk_host_restore(host, record, o->now);
    if (record->blocked > o->now && cw_frontier_hosts_block(&frontier->hosts, host, record->blocked))
        return disk_open_no_memory(o);
    frontier->queued += cw_frontier_host_queued(host);
    frontier->urgent += cw_frontier_queue_count(&host->queues[CW_URGENT]);
    return CRAWL_OK;
}

static crawl_err disk_open_host(opening *o, uint32_t number, cw_disk_host_record *record)
{
    cw_frontier_host sketch;
    cw_frontier_tail tail;
    bool differs = false;
    if (number >= o->frontier->hosts.numbers || cw_frontier_hosts_find(&o->frontier->hosts, record->origin))
        return crawl_error_set(o->error, CRAWL_ECORRUPT, "host %u: known twice, or beyond the number of hosts", number);
    crawl_err err = o->clean ? CRAWL_OK : disk_open_correct(o, number, record, &differs);
    if (err)
        return err;
    cw_disk_host_begin_turns(record, number, &cw_disk_of(o->frontier)->rest.kill);
    disk_open_sketch(o, number, record, &tail, &sketch);
    crawl_standing standing = cw_disk_rest_standing(o->frontier, &sketch, o->now);
    if (!disk_open_rests(o, record, standing))
        return restore_host(o, number, record);
    err = disk_open_rest(o, number, record);
    if (!err)
        err = disk_open_lay(o, &sketch, standing);
    return err || !differs ? err : disk_open_write(o, number, record);
}

/* ---- all ---- */

static crawl_err read_hosts(opening *o)
{
    cw_disk_cursor cursor;
    cw_disk_host_record record;
    crawl_err err = CRAWL_OK;
    cw_disk_host_key first = cw_disk_host_key_make(0);
    const char end[] = {(char)(first.bytes[0] + 1)};
    cw_disk_cursor_open(&cursor, &cw_disk_of(o->frontier)->database, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(first),
                        crawl_slice_of(end, 1), true);
    for (; !err && cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor)) {
        uint32_t number;
        if (!cw_disk_host_key_read(cw_disk_cursor_key(&cursor), &number) ||
            !cw_disk_host_read(cw_disk_cursor_value(&cursor), &record))
            err = crawl_error_set(o->error, CRAWL_ECORRUPT, "a record of a host cannot be read");
        else
            err = disk_open_host(o, number, &record);
    }
    if (!err)
        err = cw_disk_cursor_error(&cursor, o->error);
    cw_disk_cursor_close(&cursor);
    return err;
}

static crawl_err disk_open_end_walk(opening *o)
{
    cw_disk *disk = cw_disk_of(o->frontier);
    if (!o->written)
        cw_disk_begin(disk);
    cw_disk_figures_write_kill(disk, &disk->rest.kill);
    o->written++;
    return disk_open_commit(o);
}

/* Restores after an unclean shutdown. All hosts count as asked at the opening: resting ones with the frontier's pause
 * are held together. */
static crawl_err disk_open_walk(opening *o)
{
    cw_disk *disk = cw_disk_of(o->frontier);
    cw_frontier_lane none[CW_RANGES];
    cw_disk_queue_key from = cw_disk_queue_key_make(0, 0, (cw_heap_key){0});
    const char end[CW_DISK_QUEUE_KEY_SIZE] = "\xff\xff\xff\xff\xff";
    disk->rest.kill = (cw_disk_kill){.at = o->now, .hosts = o->frontier->hosts.numbers};
    cw_disk_cursor_open(&o->queue, &disk->database, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(from),
                        crawl_slice_of(end, sizeof end), true);
    crawl_err err = read_hosts(o);
    if (!err)
        err = disk_open_count(o, UINT64_MAX, none); /* the rest belongs to a host without a record */
    if (!err)
        err = disk_open_end_walk(o);
    cw_disk_cursor_close(&o->queue);
    return err;
}

static crawl_err disk_open_settle_all(opening *o)
{
    crawl_frontier *frontier = o->frontier;
    size_t cursor = 0;
    uint64_t queued = 0;
    for (const cw_frontier_host *host; (host = cw_map_next(frontier->hosts.map, &cursor));)
        queued += cw_frontier_host_queued(host) > 0;
    if (cw_frontier_schedule_reserve(&frontier->schedule, &frontier->memory, queued))
        return disk_open_no_memory(o);
    for (uint64_t i = 0; i < frontier->hosts.numbers; i++) { /* in memory order, and roughly in the order of turns */
        cw_frontier_host *host = cw_frontier_hosts_at(&frontier->hosts, i);
        if (!host)
            continue;
        host->changed = !o->clean;
        cw_frontier_hosts_recount(&frontier->hosts, host);
        cw_frontier_schedule_place(&frontier->schedule, host, o->now); /* may make requests ready */
    }
    return cw_disk_why(cw_disk_of(frontier), o->error);
}

static crawl_err disk_open_read_figures(crawl_frontier *frontier, crawl_error *error)
{
    cw_disk_figures figures;
    crawl_err err = cw_disk_figures_read(&cw_disk_of(frontier)->database, &figures, error);
    if (err)
        return err;
    frontier->pushed = figures.pushed;
    frontier->accepted = figures.accepted;
    frontier->refused_seen = figures.refused_seen;
    frontier->refused_full = figures.refused_full;
    frontier->sequence = (cw_frontier_sequence){.up = figures.up, .down = figures.down};
    frontier->hosts.numbers = figures.hosts;
    frontier->schedule.leases = figures.leases;
    cw_disk_of(frontier)->windows.stage.batch = cw_disk_of(frontier)->windows.stage.settled = figures.stage;
    frontier->again = figures.again;
    frontier->revisits = figures.revisits;
    frontier->deepest = figures.deepest < CRAWL_DEPTHS_MAX ? (uint32_t)figures.deepest : CRAWL_DEPTHS_MAX;
    frontier->forgets.beyond = figures.forgets;
    frontier->forgets.edge = figures.forgets ? (cw_heap_key){0} : CW_FRONTIER_FORGETS_END; /* the first read finds the
                                                                                              true one */
    return CRAWL_OK;
}

/* Keeps F1: a request that is neither queued nor out was finished. */
static crawl_err restore_figures(opening *o)
{
    crawl_frontier *frontier = o->frontier;
    if (frontier->queued - frontier->urgent > frontier->accepted)
        return crawl_error_set(o->error, CRAWL_ECORRUPT, "more requests are queued than were ever accepted");
    if (frontier->revisits > frontier->queued)
        return crawl_error_set(o->error, CRAWL_ECORRUPT, "more further visits are queued than requests");
    frontier->finished = frontier->accepted + frontier->urgent + frontier->again - frontier->queued;
    return CRAWL_OK;
}

static crawl_err disk_open_restore(crawl_frontier *frontier, int64_t now, crawl_error *error)
{
    opening o = {.frontier = frontier, .now = now, .error = error};
    crawl_err err = cw_disk_figures_was_clean(&cw_disk_of(frontier)->database, &o.clean, error);
    if (!err)
        err = disk_open_read_figures(frontier, error);
    if (!err)
        err = cw_disk_figures_read_kill(&cw_disk_of(frontier)->database, &cw_disk_of(frontier)->rest.kill, error);
    if (err)
        return err == CRAWL_ABSENT ? CRAWL_OK : err; /* new */
    if (frontier->hosts.numbers > (uint64_t)UINT32_MAX + 1)
        return crawl_error_set(error, CRAWL_ECORRUPT, "more hosts than there can be");
    err = o.clean ? read_hosts(&o) : disk_open_walk(&o);
    if (!err)
        err = restore_figures(&o);
    if (!err) /* before the queues change: due requests become ready, on disk too */
        err = cw_disk_figures_set_clean(cw_disk_of(frontier), false, error);
    if (!err)
        err = disk_open_settle_all(&o);
    return err;
}

static crawl_err start_threads(crawl_frontier *frontier)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_err err = cw_disk_sync_start(&disk->sync, disk, frontier->options.sync, frontier->options.sync_ms);
    if (err)
        return err;
    err = cw_disk_settler_start(&disk->settler, frontier);
    if (err)
        cw_disk_sync_stop(&disk->sync);
    disk->running = !err;
    return err;
}

static crawl_err disk_open_begin(crawl_frontier *frontier, int64_t now, crawl_error *error)
{
    cw_disk *disk = cw_disk_of(frontier);
    frontier->now = now < CRAWL_FOREVER ? now : CRAWL_FOREVER - 1;
    uint64_t generation;
    crawl_err err = cw_disk_leftover_settle(disk, &generation, error);
    if (!err)
        err = cw_disk_donelog_open(&disk->donelog, disk->directory, generation, error);
    if (!err)
        err = disk_open_restore(frontier, frontier->now, error);
    if (!err) /* the witness attests all writes so far */
        err = cw_disk_database_sync(&disk->database, error);
    if (!err)
        err = cw_disk_witness_open(&disk->witness, disk->directory, cw_disk_database_sequence(&disk->database),
                                   generation, error);
    if (!err)
        cw_disk_donelog_remove_others(&disk->donelog);
    if (!err && start_threads(frontier))
        err = crawl_error_set(error, CRAWL_ENOMEM, "no memory for a thread");
    return err;
}

/* Prefixes the message: "DIRECTORY: why". */
static crawl_err name_directory(const char *directory, crawl_err err, crawl_error *error)
{
    char why[sizeof error->message];
    if (!err || !error || strncmp(error->message, directory, strlen(directory)) == 0)
        return err;
    memcpy(why, error->message, sizeof why);
    return crawl_error_set(error, err, "%s: %.400s", directory, why);
}

crawl_err crawl_frontier_open(const char *directory, const crawl_frontier_options *options, int64_t now_ms,
                              crawl_frontier **out, crawl_error *error)
{
    cw_disk *disk = NULL;
    crawl_bloom *seen = NULL;
    crawl_frontier *frontier = NULL;
    crawl_frontier_options own;
    crawl_err err = cw_frontier_take_options(options, &own, error);
    if (err)
        return err;
    err = cw_disk_open(directory, own.cache_bytes, &disk, error);
    if (!err)
        err = cw_disk_config_agree(disk, &own, error);
    if (!err)
        err = cw_disk_journal_open(&disk->journal, &disk->database, directory, &own.seen, &seen, error);
    if (!err)
        err = cw_frontier_make(&own, seen, &frontier, error);
    if (err) {
        if (disk)
            cw_disk_close(disk);
        return name_directory(directory, err, error);
    }
    cw_disk_join(disk, frontier);
    err = disk_open_begin(frontier, now_ms, error);
    if (err) {
        cw_frontier_abandon(frontier);
        return name_directory(directory, err, error);
    }
    *out = frontier;
    return CRAWL_OK;
}
