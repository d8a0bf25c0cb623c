/* See folders.h. Pages come in the order of their URLs, so that all pages of a folder come one after the other. */
#include "tools/report/survey/folders.h"

#include "base/bytes.h"
#include "tools/report/survey/survey_judge.h"

enum { OF_2XX, OF_3XX, OF_4XX, OF_5XX, OF_NONE, FOLDER_CLASSES, FOLDERS_OPEN = CW_SURVEY_FOLDER_LEVELS + 2 };

typedef struct folder {
    size_t size; /* bytes of the path that name it */
    int64_t pages, own, checked, broken, bytes;
    int64_t classes[FOLDER_CLASSES];
} folder;

/* The folders of the last page, each in the one before, and its path. */
typedef struct open_folders {
    folder items[FOLDERS_OPEN];
    size_t count;
    crawl_buf path;
    sqlite3_stmt *insert;
} open_folders;

/* How many bytes of the URL name the folder that ends at the first slash from `at` on; 0: there is no such folder, or
 * the path has ended before, as in "x?y://host/". */
static size_t folder_end(crawl_slice path, size_t at)
{
    if (at >= path.size)
        return 0;
    size_t slash = at + cw_find_char(cw_drop(path, at), '/');
    return slash < path.size ? slash + 1 : 0;
}

/* Finds where the folders of a URL end; returns how many there are. */
static size_t folder_ends(crawl_slice url, size_t ends[FOLDERS_OPEN])
{
    size_t count = 0;
    crawl_slice host = cw_survey_host_of(url);
    crawl_slice path = crawl_slice_of(url.data, cw_find_any(url, "?#"));
    size_t end = host.data ? folder_end(path, (size_t)(host.data - url.data)) : 0;
    for (; end && count + 1 < FOLDERS_OPEN; end = folder_end(path, end))
        ends[count++] = end;
    return count;
}

static crawl_err folders_close(cw_survey *survey, open_folders *open)
{
    const folder *last = &open->items[open->count - 1];
    size_t above = open->count > 1 ? open->items[open->count - 2].size : 0;
    const int64_t numbers[] = {(int64_t)open->count - 1,
                               last->pages,
                               last->own,
                               last->classes[OF_2XX],
                               last->classes[OF_3XX],
                               last->classes[OF_4XX],
                               last->classes[OF_5XX],
                               last->classes[OF_NONE],
                               last->checked,
                               last->broken,
                               last->bytes};
    const char *path = last->size ? open->path.data : "";
    sqlite3_bind_text(open->insert, 1, path, (int)last->size, SQLITE_STATIC);
    sqlite3_bind_text(open->insert, 2, path, (int)above, SQLITE_STATIC);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sqlite3_bind_int64(open->insert, 3 + (int)i, numbers[i]);
    open->count--;
    return cw_survey_do(survey, open->insert);
}

/* Closes what the URL is not in, and opens what it is in. */
static crawl_err folders_move(cw_survey *survey, open_folders *open, crawl_slice url)
{
    size_t ends[FOLDERS_OPEN];
    crawl_err err = CRAWL_OK;
    size_t count = folder_ends(url, ends), same = 0;
    crawl_slice before = crawl_buf_slice(&open->path);
    while (same < count && same + 1 < open->count && open->items[same + 1].size == ends[same] &&
           crawl_slice_equal(crawl_slice_of(before.data, ends[same]), crawl_slice_of(url.data, ends[same])))
        same++;
    while (open->count > same + 1 && !err)
        err = folders_close(survey, open);
    for (; same < count; same++)
        open->items[open->count++] = (folder){.size = ends[same]};
    crawl_buf_clear(&open->path);
    return err ? err : crawl_buf_append(&open->path, url.data, url.size);
}

static void folders_count(open_folders *open, sqlite3_stmt *row)
{
    int class = sqlite3_column_int(row, 1) / 100 - 2;
    int state = sqlite3_column_int(row, 2);
    for (size_t i = 0; i < open->count; i++) {
        folder *one = &open->items[i];
        one->pages++;
        one->bytes += sqlite3_column_int64(row, 3);
        one->checked += state != CW_SURVEY_UNCHECKED;
        one->broken += state == CW_SURVEY_BROKEN;
        one->classes[class >= 0 && class < OF_NONE ? class : OF_NONE]++;
    }
    open->items[open->count - 1].own++;
}

static crawl_err folders_walk(cw_survey *survey, open_folders *open, sqlite3_stmt *pages)
{
    crawl_err err = CRAWL_OK;
    int result = sqlite3_step(pages);
    open->items[open->count++] = (folder){0};
    for (; !err && result == SQLITE_ROW; result = sqlite3_step(pages)) {
        err = folders_move(survey, open,
                           crawl_slice_of(sqlite3_column_text(pages, 0), (size_t)sqlite3_column_bytes(pages, 0)));
        folders_count(open, pages);
    }
    if (!err)
        err = cw_survey_checked(survey, result);
    while (open->count && !err)
        err = folders_close(survey, open);
    return err;
}

crawl_err cw_survey_folders_build(cw_survey *survey)
{
    open_folders open = {0};
    sqlite3_stmt *pages = NULL;
    crawl_err err = cw_survey_run(
        survey, "CREATE TABLE folder(path TEXT, parent TEXT, level INTEGER, pages INTEGER, own INTEGER, of_2xx INTEGER,"
                "of_3xx INTEGER, of_4xx INTEGER, of_5xx INTEGER, of_none INTEGER, checked INTEGER, broken INTEGER,"
                "bytes INTEGER); CREATE INDEX folder_parent ON folder(parent, pages DESC, path);");
    if (!err)
        err = cw_survey_checked(survey, sqlite3_prepare_v2(survey->db,
                                                           "SELECT url, status, state, bytes FROM main.p "
                                                           "WHERE kind = 0 ORDER BY url",
                                                           -1, &pages, NULL));
    if (!err)
        err = cw_survey_checked(survey,
                                sqlite3_prepare_v2(survey->db, "INSERT INTO folder VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
                                                   -1, &open.insert, NULL));
    if (!err)
        err = folders_walk(survey, &open, pages);
    sqlite3_finalize(pages);
    sqlite3_finalize(open.insert);
    crawl_buf_free(&open.path);
    return err;
}
