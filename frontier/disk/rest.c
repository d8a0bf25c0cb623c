#include "frontier/disk/rest.h"

#include "frontier/disk/disk.h"
#include "frontier/disk/disk_figures.h"

enum { STEPS = 512, AT_ONCE = 64 };

/* ---- they leave ---- */

/* As a hand of a clock goes over the numbers, so that no list of idle hosts is kept. */
static size_t rest_find(crawl_frontier *frontier, cw_frontier_host **found)
{
    cw_disk_rest *rest = &cw_disk_of(frontier)->rest;
    const cw_frontier_hosts *hosts = &frontier->hosts;
    size_t steps = hosts->numbered_count < STEPS ? hosts->numbered_count : STEPS;
    size_t count = 0;
    for (size_t i = 0; i < steps && count < AT_ONCE; i++) {
        rest->hand = rest->hand + 1 < hosts->numbered_count ? rest->hand + 1 : 0;
        cw_frontier_host *host = hosts->numbered[rest->hand];
        if (host && cw_frontier_hosts_may_rest(host))
            found[count++] = host;
    }
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

crawl_err cw_disk_rest_some(crawl_frontier *frontier)
{
    cw_frontier_hosts *hosts = &frontier->hosts;
    cw_frontier_host *found[AT_ONCE];
    if (cw_map_count(hosts->map) <= cw_disk_of(frontier)->rest.most)
        return CRAWL_OK;
    size_t count = rest_find(frontier, found);
    if (!count || cw_frontier_resting_reserve(&hosts->resting, hosts->memory, count))
        return CRAWL_OK;
    crawl_err err = rest_write(frontier, found, count);
    for (size_t i = 0; i < count && !err; i++)
        cw_frontier_hosts_rest(hosts, found[i]);
    return err == CRAWL_ENOMEM ? CRAWL_OK : err;
}

/* ---- they come back ---- */

static crawl_err rest_read(cw_disk *disk, uint32_t number, cw_disk_host_record *record, crawl_error *error)
{
    cw_disk_host_key name = cw_disk_host_key_make(number);
    crawl_buf_clear(&disk->rest.record);
    crawl_err err =
        cw_disk_database_get(&disk->database, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(name), &disk->rest.record, error);
    if (!err && !cw_disk_host_read(crawl_buf_slice(&disk->rest.record), record))
        err = crawl_error_set(error, CRAWL_ECORRUPT, "a record of a host cannot be read");
    return err;
}

static crawl_err rest_wake(crawl_frontier *frontier, cw_frontier_rester rester, const cw_disk_host_record *record,
                           cw_frontier_host **out)
{
    cw_frontier_hosts *hosts = &frontier->hosts;
    cw_frontier_host *host = cw_frontier_hosts_restore(hosts, record->origin, rester.number);
    if (!host)
        return CRAWL_ENOMEM;
    cw_frontier_resting_remove(&hosts->resting, record->origin, rester);
    cw_disk_host_restore(host, record, frontier->now);
    if (rester.is_stale)
        cw_disk_host_begin_turns(host, cw_disk_of(frontier)->rest.asked);
    *out = host;
    return CRAWL_OK;
}

crawl_err cw_disk_rest_recall_number(crawl_frontier *frontier, uint32_t number, cw_frontier_host **out,
                                     crawl_error *error)
{
    cw_disk_host_record record;
    crawl_err err = rest_read(cw_disk_of(frontier), number, &record, error);
    return err ? err : rest_wake(frontier, (cw_frontier_rester){number, .is_stale = true}, &record, out);
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
        if (err == CRAWL_ABSENT)
            err = crawl_error_set(&error, CRAWL_ECORRUPT, "the record of host %u is missing", rester.number);
        if (err)
            return err == CRAWL_ENOMEM ? err : cw_disk_fail(disk, &error);
        if (crawl_slice_equal(record.origin, origin))
            return rest_wake(frontier, rester, &record, out);
    }
    return CRAWL_ABSENT;
}

void cw_disk_rest_join(crawl_frontier *frontier)
{
    cw_disk_of(frontier)->rest = (cw_disk_rest){.most = frontier->options.host_bytes / CW_DISK_HOST_BYTES};
    frontier->hosts.recall = rest_recall;
    frontier->hosts.user = frontier;
}
