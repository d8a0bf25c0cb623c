/* Opening a durable frontier: what is on disk becomes what is in memory. After a clean end the record of each host says
 * where its queues begin and how long they are; after any other, all keys of the queue are walked over to find out. */
#include "frontier/disk/disk.h"
#include "frontier/disk/disk_config.h"
#include "frontier/disk/disk_figures.h"
#include "frontier/disk/log/leftover.h"

/* Shared by the walks over hosts and queue. */
typedef struct opening {
    crawl_frontier *frontier;
    bool clean;
    int64_t now;
    crawl_error *error;
} opening;

static crawl_err disk_open_no_memory(opening *o)
{
    return crawl_error_set(o->error, CRAWL_ENOMEM, "no memory for the hosts and queues of the directory");
}

/* So many requests more in a lane, the first of them under this key. */
static crawl_err add_lane(opening *o, cw_frontier_host *host, unsigned range, cw_frontier_lane lane)
{
    cw_frontier_queue *queue = &host->queues[cw_frontier_range_queue(range)];
    if (!lane.count)
        return CRAWL_OK;
    if (!queue->tail && cw_disk_tail_create(o->frontier, host, queue))
        return disk_open_no_memory(o);
    cw_frontier_lane *to = &queue->tail->lanes[cw_frontier_range_lane(range)];
    if (!to->count)
        to->edge = lane.edge;
    to->count += lane.count;
    o->frontier->queued += lane.count;
    if (cw_frontier_range_queue(range) == CW_URGENT)
        o->frontier->urgent += lane.count;
    return CRAWL_OK;
}

/* Does a host stay on disk? Only where there are too many. Of its queue nothing is known yet after an unclean end; but
 * where its record has requests, it may have to be written anew. */
static bool disk_open_rests(const opening *o, const cw_disk_host_record *record)
{
    bool is_idle = record->blocked <= o->now;
    for (unsigned range = 0; range < CW_RANGES; range++)
        is_idle = is_idle && !record->lanes[range].count;
    return is_idle && o->frontier->hosts.numbers > cw_disk_of(o->frontier)->rest.most;
}

static crawl_err disk_open_rest(opening *o, uint32_t number, const cw_disk_host_record *record)
{
    cw_frontier_hosts *hosts = &o->frontier->hosts;
    if (cw_frontier_resting_reserve(&hosts->resting, hosts->memory, 1))
        return disk_open_no_memory(o);
    cw_frontier_resting_add(&hosts->resting, record->origin, (cw_frontier_rester){number, .is_stale = !o->clean});
    return CRAWL_OK;
}

static crawl_err restore_host(opening *o, uint32_t number, const cw_disk_host_record *record)
{
    cw_frontier_hosts *hosts = &o->frontier->hosts;
    crawl_err err = CRAWL_OK;
    if (number >= hosts->numbers || cw_frontier_hosts_find(hosts, record->origin))
        return crawl_error_set(o->error, CRAWL_ECORRUPT, "host %u: known twice, or beyond the number of hosts", number);
    if (disk_open_rests(o, record))
        return disk_open_rest(o, number, record);
    cw_frontier_host *host = cw_frontier_hosts_restore(hosts, record->origin, number);
    if (!host)
        return disk_open_no_memory(o);
    cw_disk_host_restore(host, record, o->now);
    if (record->blocked > o->now && cw_frontier_hosts_block(hosts, host, record->blocked))
        return disk_open_no_memory(o);
    for (unsigned range = 0; range < CW_RANGES && o->clean && !err; range++)
        err = add_lane(o, host, range, record->lanes[range]);
    return err;
}

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
            err = restore_host(o, number, &record);
    }
    if (!err)
        err = cw_disk_cursor_error(&cursor, o->error);
    cw_disk_cursor_close(&cursor);
    return err;
}

static crawl_err disk_open_count_request(opening *o, crawl_slice bytes)
{
    uint32_t number;
    unsigned range;
    cw_heap_key key;
    if (!cw_disk_queue_key_read(bytes, &number, &range, &key))
        return crawl_error_set(o->error, CRAWL_ECORRUPT, "a key of the queue that is none");
    cw_frontier_host *host = cw_frontier_hosts_at(&o->frontier->hosts, number);
    crawl_err err = host ? CRAWL_OK : cw_disk_rest_recall_number(o->frontier, number, &host, o->error);
    if (err == CRAWL_ABSENT)
        return crawl_error_set(o->error, CRAWL_ECORRUPT, "a queued request of host %u, which is not known", number);
    if (err)
        return err == CRAWL_ENOMEM ? disk_open_no_memory(o) : err;
    return add_lane(o, host, range, (cw_frontier_lane){.edge = key, .count = 1});
}

static void disk_open_begin_turns(const opening *o)
{
    const cw_frontier_hosts *hosts = &o->frontier->hosts;
    cw_disk_of(o->frontier)->rest.asked = o->now;
    for (size_t i = 0; i < hosts->numbered_count; i++)
        if (hosts->numbered[i])
            cw_disk_host_begin_turns(hosts->numbered[i], o->now);
}

static crawl_err walk_queue(opening *o)
{
    cw_disk_cursor cursor;
    crawl_err err = CRAWL_OK;
    cw_disk_queue_key from = cw_disk_queue_key_make(0, 0, (cw_heap_key){0});
    const char end[CW_DISK_QUEUE_KEY_SIZE] = "\xff\xff\xff\xff\xff";
    cw_disk_cursor_open(&cursor, &cw_disk_of(o->frontier)->database, CW_FAMILY_QUEUE, CW_DISK_SLICE_OF_KEY(from),
                        crawl_slice_of(end, sizeof end), true);
    for (; !err && cw_disk_cursor_valid(&cursor); cw_disk_cursor_next(&cursor))
        err = disk_open_count_request(o, cw_disk_cursor_key(&cursor));
    if (!err)
        err = cw_disk_cursor_error(&cursor, o->error);
    cw_disk_cursor_close(&cursor);
    disk_open_begin_turns(o);
    return err;
}

static crawl_err disk_open_settle_all(opening *o)
{
    crawl_frontier *frontier = o->frontier;
    const cw_frontier_hosts *hosts = &frontier->hosts;
    uint64_t queued = 0;
    for (size_t i = 0; i < hosts->numbered_count; i++)
        queued += hosts->numbered[i] && cw_frontier_host_queued(hosts->numbered[i]);
    if (cw_frontier_schedule_reserve(&frontier->schedule, &frontier->memory, queued))
        return disk_open_no_memory(o);
    for (size_t i = 0; i < hosts->numbered_count; i++) {
        cw_frontier_host *host = hosts->numbered[i];
        if (!host)
            continue;
        host->changed = !o->clean;
        cw_frontier_hosts_recount(&frontier->hosts, host);
        cw_frontier_schedule_place(&frontier->schedule, host, o->now); /* which may make requests ready */
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
    frontier->forgets.beyond = figures.forgets;
    frontier->forgets.edge = figures.forgets ? (cw_heap_key){0} : CW_FRONTIER_FORGETS_END; /* the first look finds
                                                                                                  the true one */
    return CRAWL_OK;
}

/* Keeps F1: what is neither queued nor out was finished. */
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
    if (err)
        return err == CRAWL_ABSENT ? CRAWL_OK : err; /* new */
    if (frontier->hosts.numbers > (uint64_t)UINT32_MAX + 1)
        return crawl_error_set(error, CRAWL_ECORRUPT, "more hosts than there can be");
    err = read_hosts(&o);
    if (!err && !o.clean)
        err = walk_queue(&o);
    if (!err)
        err = restore_figures(&o);
    if (!err) /* before the queues change: what is due becomes ready, on disk too */
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
    if (!err) /* the witness tells of all writes so far */
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

/* "DIRECTORY: why". */
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
