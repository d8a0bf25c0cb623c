/* See dates.h. */
#include "frontier/disk/dates.h"

#include "frontier/disk/figures.h"
#include "frontier/disk/persist.h"
#include "frontier/forget.h"

bool cw_dates_end(crawl_frontier *frontier, const cw_lease *lease, int64_t at, int64_t now)
{
    cw_forget entry;
    char record[CW_FORGET_ROOM];
    cw_disk *disk = cw_disk_of(frontier);
    if (!cw_frontier_date_of(frontier, lease, at, &entry))
        return false;
    if (at > now) {
        cw_forget_key key = cw_forget_key_make(cw_forget_order(&entry));
        size_t size = (size_t)(cw_forget_write(record, &entry) - record);
        cw_disk_put(disk, CW_FAMILY_META, CW_SLICE_OF_KEY(key), crawl_slice_of(record, size));
        cw_figures_write(frontier, 1);
        return false;
    }
    if (cw_disk_reserve(disk, cw_journal_forgot_room(1)))
        return false;
    cw_persist_log(frontier, cw_journal_forgot(disk->scratch.data, &entry, 1));
    return true;
}

void cw_dates_add(crawl_frontier *frontier, cw_forget entry)
{
    cw_forgets_add_stored(&frontier->forgets, &frontier->memory, entry);
}

/* The first of those on disk, into the window, which is empty and has room. Keeps W2. */
static crawl_err read_window(crawl_frontier *frontier, cw_cursor *cursor, crawl_error *error)
{
    cw_forgets *forgets = &frontier->forgets;
    for (; forgets->beyond && cw_cursor_valid(cursor); cw_cursor_next(cursor)) {
        cw_forget entry;
        if (!cw_forget_read(cw_cursor_key(cursor), cw_cursor_value(cursor), &entry))
            return crawl_error_set(error, CRAWL_ECORRUPT, "a record of what is to be forgotten cannot be read");
        forgets->edge = cw_forget_order(&entry);
        if (forgets->count == CW_FORGETS_WINDOW)
            return CRAWL_OK;
        cw_forgets_add(forgets, entry);
        forgets->beyond--;
    }
    crawl_err err = cw_cursor_error(cursor, error);
    if (!err && forgets->beyond)
        err = crawl_error_set(error, CRAWL_ECORRUPT, "what is to be forgotten ends before its count");
    forgets->edge = CW_FORGETS_END;
    return err;
}

/* false: it cannot be read, now or ever. */
bool cw_dates_read(crawl_frontier *frontier)
{
    cw_cursor cursor;
    crawl_error error = {0};
    cw_forgets *forgets = &frontier->forgets;
    if (cw_forgets_reserve(forgets, &frontier->memory, CW_FORGETS_WINDOW))
        return false;
    cw_forget_key from = cw_forget_key_make(forgets->edge);
    cw_forget_key to = cw_forget_key_make(CW_FORGETS_END);
    cw_cursor_open(&cursor, &cw_disk_of(frontier)->database, CW_FAMILY_META, CW_SLICE_OF_KEY(from), CW_SLICE_OF_KEY(to),
                   false);
    crawl_err err = read_window(frontier, &cursor, &error);
    cw_cursor_close(&cursor);
    if (err)
        cw_disk_fail(cw_disk_of(frontier), &error);
    return !err;
}

/* One write for all of them. */
crawl_err cw_dates_forgotten(crawl_frontier *frontier, const cw_forget *gone, size_t count)
{
    cw_disk *disk = cw_disk_of(frontier);
    crawl_err err = cw_disk_reserve(disk, cw_journal_forgot_room(count));
    if (err)
        return err;
    cw_disk_begin(disk);
    for (size_t i = 0; i < count; i++) {
        cw_forget_key key = cw_forget_key_make(cw_forget_order(&gone[i]));
        cw_database_delete_single(&disk->database, disk->batch, CW_FAMILY_META, CW_SLICE_OF_KEY(key));
    }
    cw_persist_log(frontier, cw_journal_forgot(disk->scratch.data, gone, count));
    cw_figures_write(frontier, 0);
    err = cw_disk_commit(disk);
    if (!err)
        cw_journal_wrote(&disk->journal, count);
    return err;
}
