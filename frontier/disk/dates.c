#include "frontier/disk/persist.h"

#include "frontier/disk/disk_figures.h"
#include "frontier/forget.h"

bool cw_disk_dates_end(crawl_frontier *frontier, const cw_frontier_lease *lease, int64_t at, int64_t now)
{
    cw_frontier_forget entry;
    char record[CW_DISK_FORGET_ROOM];
    cw_disk *disk = cw_disk_of(frontier);
    if (!cw_frontier_date_of(frontier, lease, at, &entry))
        return false;
    if (at > now) {
        cw_disk_forget_key key = cw_disk_forget_key_make(cw_frontier_forget_order(&entry));
        size_t size = (size_t)(cw_disk_forget_write(record, &entry) - record);
        cw_disk_put(disk, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(key), crawl_slice_of(record, size));
        cw_disk_figures_write(frontier, 1);
        return false;
    }
    if (cw_disk_reserve(disk, cw_disk_journal_forgot_room(1)))
        return false;
    cw_disk_put_log(cw_disk_of(frontier), cw_disk_journal_forgot(disk->scratch.data, &entry, 1));
    return true;
}

void cw_disk_dates_add(crawl_frontier *frontier, cw_frontier_forget entry)
{
    cw_frontier_forgets_add_stored(&frontier->forgets, &frontier->memory, entry);
}

/* Reads the first entries on disk into the window, which must be empty and have room. Keeps W2. */
static crawl_err read_window(crawl_frontier *frontier, cw_disk_cursor *cursor, crawl_error *error)
{
    cw_frontier_forgets *forgets = &frontier->forgets;
    for (; forgets->beyond && cw_disk_cursor_valid(cursor); cw_disk_cursor_next(cursor)) {
        cw_frontier_forget entry;
        if (!cw_disk_forget_read(cw_disk_cursor_key(cursor), cw_disk_cursor_value(cursor), &entry))
            return crawl_error_set(error, CRAWL_ECORRUPT, "a record of URLs to forget cannot be read");
        forgets->edge = cw_frontier_forget_order(&entry);
        if (forgets->count == CW_FRONTIER_FORGETS_WINDOW)
            return CRAWL_OK;
        cw_frontier_forgets_add(forgets, entry);
        forgets->beyond--;
    }
    crawl_err err = cw_disk_cursor_error(cursor, error);
    if (!err && forgets->beyond)
        err = crawl_error_set(error, CRAWL_ECORRUPT, "the URLs to forget end before their count");
    forgets->edge = CW_FRONTIER_FORGETS_END;
    return err;
}

/* false: it cannot be read, now or ever. */
bool cw_disk_dates_read(crawl_frontier *frontier)
{
    cw_disk_cursor cursor;
    crawl_error error = {0};
    cw_frontier_forgets *forgets = &frontier->forgets;
    if (cw_frontier_forgets_reserve(forgets, &frontier->memory, CW_FRONTIER_FORGETS_WINDOW))
        return false;
    cw_disk_forget_key from = cw_disk_forget_key_make(forgets->edge);
    cw_disk_forget_key to = cw_disk_forget_key_make(CW_FRONTIER_FORGETS_END);
    cw_disk_cursor_open(&cursor, &cw_disk_of(frontier)->database, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(from),
                        CW_DISK_SLICE_OF_KEY(to), false);
    crawl_err err = read_window(frontier, &cursor, &error);
    cw_disk_cursor_close(&cursor);
    if (err)
        cw_disk_fail(cw_disk_of(frontier), &error);
    return !err;
}

/* Removes all of them in one write. */
crawl_err cw_disk_dates_forgotten(crawl_frontier *frontier, const cw_frontier_forget *gone, size_t count)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_err err = cw_disk_reserve(disk, cw_disk_journal_forgot_room(count));
    if (err)
        return err;
    cw_disk_begin(disk);
    for (size_t i = 0; i < count; i++) {
        cw_disk_forget_key key = cw_disk_forget_key_make(cw_frontier_forget_order(&gone[i]));
        cw_disk_database_delete_single(&disk->database, disk->batch, CW_FAMILY_META, CW_DISK_SLICE_OF_KEY(key));
    }
    cw_disk_put_log(cw_disk_of(frontier), cw_disk_journal_forgot(disk->scratch.data, gone, count));
    cw_disk_figures_write(frontier, 0);
    err = cw_disk_commit(disk);
    if (!err)
        cw_disk_journal_wrote(&disk->journal, count);
    return err;
}
