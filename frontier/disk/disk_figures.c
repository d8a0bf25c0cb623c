#include "frontier/disk/disk_figures.h"

#include <assert.h>

static const crawl_slice counters_name = {.data = "mcounters", .size = sizeof "mcounters" - 1};
static const crawl_slice clean_name = {.data = "mclean", .size = sizeof "mclean" - 1};
static const crawl_slice kill_name = {.data = "mkill", .size = sizeof "mkill" - 1};

enum { FIGURES = sizeof(cw_disk_figures) / sizeof(uint64_t) };

static_assert(FIGURES == 13, "the figures are numbers of 64 bits and nothing else");

void cw_disk_figures_write(crawl_frontier *frontier, unsigned forgets)
{
    const cw_disk_figures figures = {.pushed = frontier->pushed,
                                     .accepted = frontier->accepted,
                                     .refused_seen = frontier->refused_seen,
                                     .refused_full = frontier->refused_full,
                                     .up = frontier->sequence.up,
                                     .down = frontier->sequence.down,
                                     .hosts = frontier->hosts.numbers,
                                     .leases = frontier->schedule.leases,
                                     .stage = cw_disk_of(frontier)->windows.stage.batch,
                                     .again = frontier->again,
                                     .revisits = frontier->revisits,
                                     .forgets = cw_frontier_forgets_count(&frontier->forgets) + forgets,
                                     .deepest = frontier->deepest};
    uint64_t numbers[FIGURES];
    char record[FIGURES * CW_DISK_NUMBER_MAX];
    char *at = record;
    memcpy(numbers, &figures, sizeof numbers);
    for (size_t i = 0; i < FIGURES; i++)
        at = cw_disk_put_number(at, numbers[i]);
    cw_disk_put(cw_disk_of(frontier), CW_FAMILY_META, counters_name, crawl_slice_of(record, (size_t)(at - record)));
}

crawl_err cw_disk_figures_read(cw_disk_database *database, cw_disk_figures *out, crawl_error *error)
{
    uint64_t numbers[FIGURES] = {[FIGURES - 1] = CRAWL_DEPTHS_MAX};
    crawl_buf record = {0};
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, counters_name, &record, error);
    crawl_slice at = crawl_buf_slice(&record);
    for (size_t i = 0; i < FIGURES && !err; i++)
        if (!cw_disk_get_number(&at, &numbers[i]) && i < FIGURES - 1)
            err = crawl_error_set(error, CRAWL_ECORRUPT, "the record of the figures cannot be read");
    crawl_buf_free(&record);
    memcpy(out, numbers, sizeof *out);
    return err;
}

void cw_disk_figures_write_kill(cw_disk *disk, const cw_disk_kill *kill)
{
    char record[2 * CW_DISK_NUMBER_MAX];
    char *at = cw_disk_put_number(cw_disk_put_number(record, (uint64_t)kill->at), kill->hosts);
    cw_disk_put(disk, CW_FAMILY_META, kill_name, crawl_slice_of(record, (size_t)(at - record)));
}

crawl_err cw_disk_figures_read_kill(cw_disk_database *database, cw_disk_kill *out, crawl_error *error)
{
    crawl_buf record = {0};
    uint64_t time = 0;
    *out = (cw_disk_kill){0};
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, kill_name, &record, error);
    crawl_slice at = crawl_buf_slice(&record);
    if (!err && (!cw_disk_get_number(&at, &time) || !cw_disk_get_number(&at, &out->hosts)))
        err = crawl_error_set(error, CRAWL_ECORRUPT, "the record of the last opening cannot be read");
    out->at = (int64_t)time;
    crawl_buf_free(&record);
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}

crawl_err cw_disk_figures_was_clean(cw_disk_database *database, bool *clean, crawl_error *error)
{
    crawl_buf record = {0};
    crawl_err err = cw_disk_database_get(database, CW_FAMILY_META, clean_name, &record, error);
    *clean = !err;
    crawl_buf_free(&record);
    return err == CRAWL_ABSENT ? CRAWL_OK : err;
}

crawl_err cw_disk_figures_set_clean(cw_disk *disk, bool clean, crawl_error *error)
{
    cw_disk_begin(disk);
    if (clean)
        cw_disk_put(disk, CW_FAMILY_META, clean_name, crawl_slice_from("1"));
    else
        cw_disk_database_delete(&disk->database, disk->batch, CW_FAMILY_META, clean_name);
    return cw_disk_database_write(&disk->database, disk->batch, true, error);
}
