#include "tools/report/survey/survey_settle.h"

#include "base/bytes.h"
#include "tools/report/survey/survey_judge.h"
#include "tools/report/survey/survey_sql.h"

/* ---- folders ----
 *
 * Counts the pages of a site's folders: hosts, and below them the parts between the slashes of paths, down to
 * FOLDER_LEVELS. A folder counts all pages below it; pages of deeper folders count for the last one above. The table
 * folder has a row for each, and one with an empty path for the whole site:
 *
 *   path, parent       "https://example.com/docs/", "https://example.com/"
 *   level              0: the site, 1: a host
 *   pages, own         own: pages in no subfolder
 *   of_2xx to of_5xx, of_none  by status
 *   checked, broken, bytes
 *
 * Pages come in the order of their URLs, so that all pages of a folder follow one another. */

enum { FOLDER_LEVELS = 8, FOLDERS_OPEN = FOLDER_LEVELS + 2 };

enum { OF_2XX, OF_3XX, OF_4XX, OF_5XX, OF_NONE, FOLDER_CLASSES };

typedef struct folder {
    size_t size; /* of the path that name it */
    int64_t pages, own, checked, broken, bytes;
    int64_t classes[FOLDER_CLASSES];
} folder;

/* The folders of the last page, each inside the one before it, and its path. */
typedef struct open_folders {
    folder items[FOLDERS_OPEN];
    size_t count;
    crawl_buf path;
    sqlite3_stmt *insert;
} open_folders;

/* Returns the size of the URL up to and including the first slash from `at` on. 0: no such folder, or the path ended
 * before, as in "x?y://host/". */
static size_t folder_end(crawl_slice path, size_t at)
{
    if (at >= path.size)
        return 0;
    size_t slash = at + cw_find_char(cw_drop(path, at), '/');
    return slash < path.size ? slash + 1 : 0;
}

/* Finds the ends of a URL's folders. Returns their number. */
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

/* Closes the folders that do not contain the URL, and opens those that do. */
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

static crawl_err folders_build(cw_survey *survey)
{
    open_folders open = {0};
    sqlite3_stmt *pages = NULL;
    crawl_err err = cw_survey_run(
        survey,
        "CREATE TEMP TABLE folder(path TEXT, parent TEXT, level INTEGER, pages INTEGER, own INTEGER, of_2xx INTEGER,"
        "of_3xx INTEGER, of_4xx INTEGER, of_5xx INTEGER, of_none INTEGER, checked INTEGER, broken INTEGER,"
        "bytes INTEGER); CREATE INDEX temp.folder_parent ON folder(parent, pages DESC, path);");
    if (!err)
        err = cw_survey_checked(survey, sqlite3_prepare_v2(survey->db,
                                                           "SELECT url, status, state, bytes FROM p "
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

/* ---- redirects, groups and the origin ---- */

static uint64_t settle_number(cw_survey *survey, const char *sql)
{
    return (uint64_t)cw_survey_number(survey, sql);
}

/* URLs are sorted: if the first and the last have the same origin, all between them have it. */
static crawl_err settle_origin(cw_survey *survey)
{
    sqlite3_stmt *origins = NULL;
    int result = sqlite3_prepare_v2(survey->db, "SELECT origin_of(min(url)), origin_of(max(url)) FROM p WHERE kind = 0",
                                    -1, &origins, NULL);
    result = result ? result : sqlite3_step(origins);
    crawl_err err = cw_survey_checked(survey, result);
    const char *least = result == SQLITE_ROW ? (const char *)sqlite3_column_text(origins, 0) : NULL;
    const char *most = result == SQLITE_ROW ? (const char *)sqlite3_column_text(origins, 1) : NULL;
    if (least && most && strcmp(least, most) == 0)
        err = crawl_buf_append_text(&survey->origin, least);
    sqlite3_finalize(origins);
    return err;
}

crawl_err cw_survey_settle_pages(cw_survey *survey)
{
    crawl_err err = cw_survey_run(survey, cw_survey_pages);
    survey->has_canonicals = settle_number(survey, "SELECT count(*) FROM OF_canonical");
    uint64_t *const of_visits[] = {&survey->first, &survey->last, &survey->records};
    cw_survey_numbers(survey,
                      "SELECT moment(min(nullif(fetched_at, ''))), moment(max(fetched_at)), count(*) FROM DB.visits "
                      "WHERE page IN (SELECT id FROM OF_page)",
                      of_visits, sizeof of_visits / sizeof *of_visits);
    return err ? err : survey->failure;
}

/* A sitemap without a page names no host, so it is taken to be of all. */
static crawl_err settle_empty_sitemap(cw_survey *survey)
{
    static const char sql[] = "UPDATE host SET listed = 1 WHERE NOT EXISTS (SELECT 1 FROM main.sitemap)";
    return survey->has_sitemap_file ? cw_survey_run(survey, sql) : CRAWL_OK;
}

crawl_err cw_survey_settle_records(cw_survey *survey)
{
    crawl_err err = cw_survey_settle_pages(survey);
    if (!err)
        err = cw_survey_run(survey, cw_survey_after_records);
    if (!err)
        err = settle_empty_sitemap(survey);
    survey->has_sitemap =
        survey->has_sitemap_file || settle_number(survey, "SELECT EXISTS (SELECT 1 FROM page WHERE in_sitemap)");
    survey->has_ids = settle_number(survey, "SELECT EXISTS (SELECT 1 FROM main.pages WHERE ids_cut IS NOT NULL)");
    survey->has_near = settle_number(survey, "SELECT EXISTS (SELECT 1 FROM main.pages WHERE near_duplicate_of IS NOT "
                                             "NULL OR simhash IS NOT NULL)");
    survey->has_data = settle_number(survey, "SELECT EXISTS (SELECT 1 FROM main.pages WHERE data IS NOT NULL)");
    survey->links = settle_number(survey, "SELECT count(*) FROM links");
    survey->has_links |= survey->links > 0;
    survey->has_requests |= settle_number(survey, "SELECT EXISTS (SELECT 1 FROM main.requests)") > 0;
    if (!err)
        err = settle_origin(survey);
    return err ? err : survey->failure;
}

/* Counts the URLs without a result. */
static crawl_err count_coverage(cw_survey *survey)
{
    sqlite3_stmt *cuts = NULL;
    int result =
        sqlite3_prepare_v2(survey->db, "SELECT cut, count(*) FROM page WHERE cut > 0 GROUP BY cut", -1, &cuts, NULL);
    for (result = result ? result : sqlite3_step(cuts); result == SQLITE_ROW; result = sqlite3_step(cuts)) {
        uint64_t count = (uint64_t)sqlite3_column_int64(cuts, 1);
        survey->coverage.cut[sqlite3_column_int(cuts, 0)] = count;
        survey->coverage.missing += count;
    }
    sqlite3_finalize(cuts);
    return cw_survey_checked(survey, result);
}

/* Links pages to those of the earlier crawl. */
static crawl_err tie_to(cw_survey *survey, cw_survey *old)
{
    static const char sql[] = "UPDATE page SET was = was((SELECT url FROM p WHERE p.id = page.id)) WHERE kind = 0;"
                              "CREATE INDEX temp.page_was ON page(was) WHERE was IS NOT NULL;";
    return old ? cw_survey_run(survey, sql) : CRAWL_OK;
}

crawl_err cw_survey_settle_links(cw_survey *survey, cw_survey *old)
{
    crawl_err err = cw_survey_run(survey, cw_survey_after_links);
    survey->leads_out = settle_number(survey, "SELECT EXISTS (SELECT 1 FROM lead WHERE leads_out)");
    if (!err)
        err = tie_to(survey, old);
    if (!err)
        err = count_coverage(survey);
    return err ? err : folders_build(survey);
}
