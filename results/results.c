/* See results.h. */
#include "results/results.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/json/json_read.h"
#include "base/utf8.h"
#include "results/results_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How long to wait for another process that holds the file. */
enum { PATIENCE_MS = 10000 };

/* ---- opening ---- */

static crawl_err results_execute(cw_results *results, const char *sql, crawl_error *error)
{
    return sqlite3_exec(results->db, sql, NULL, NULL, NULL) ? cw_results_failed(results, error) : CRAWL_OK;
}

/* Returns the one number of a query without parameters. */
static crawl_err results_ask(cw_results *results, const char *sql, int64_t *number, crawl_error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(results->db, sql, -1, &statement, NULL);
    code = code ? code : sqlite3_step(statement);
    crawl_err err = code == SQLITE_ROW ? CRAWL_OK : cw_results_failed(results, error);
    if (!err)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return err;
}

static crawl_err results_make(cw_results *results, crawl_error *error)
{
    crawl_buf sql = {0};
    crawl_err err = crawl_buf_printf(&sql, "BEGIN; PRAGMA application_id = %d; PRAGMA user_version = %d; %s %s COMMIT;",
                                     CW_RESULTS_APPLICATION, CW_RESULTS_VERSION, cw_results_schema, cw_results_views);
    err = err ? cw_error(error, err) : results_execute(results, sql.data, error);
    crawl_buf_free(&sql);
    return err;
}

/* Refuses a database of another kind; is_new: it is empty. */
static crawl_err results_check_form(cw_results *results, bool *is_new, crawl_error *error)
{
    int64_t application = 0, version = 0, tables = 0;
    crawl_err err = results_ask(results, "SELECT count(*) FROM sqlite_schema", &tables, error);
    if (!err)
        err = results_ask(results, "PRAGMA application_id", &application, error);
    if (!err)
        err = results_ask(results, "PRAGMA user_version", &version, error);
    *is_new = !tables && !application;
    if (err || *is_new)
        return err;
    if (application != CW_RESULTS_APPLICATION)
        return crawl_error_set(error, CRAWL_EINVAL, "a database of another program (application_id %lld)",
                               (long long)application);
    if (version != CW_RESULTS_VERSION)
        return crawl_error_set(error, CRAWL_EINVAL, "results of version %lld; this program has version %d",
                               (long long)version, CW_RESULTS_VERSION);
    return CRAWL_OK;
}

static crawl_err results_connect(cw_results *results, const char *path, crawl_error *error)
{
    /* WAL lets others read meanwhile. Its pages go into the file every 16 MiB, since most commits touch the same ones.
     * A temporary file needs neither. */
    static const char kept[] = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4096; "
                               "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;";
    static const char temporary[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;";
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* otherwise each allocation takes a lock; no effect once SQLite
                                                         is in use */
    if (sqlite3_open_v2(path ? path : "", &results->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL))
        return results->db ? cw_results_failed(results, error) : cw_error(error, CRAWL_ENOMEM);
    sqlite3_busy_timeout(results->db, PATIENCE_MS);
    /* Checks the form before the pragmas, so that another program's file is never changed. */
    bool is_new = false;
    crawl_err err = results_check_form(results, &is_new, error);
    if (!err && !path)
        err = results_execute(results, "PRAGMA page_size = 16384", error); /* it is scanned completely, many times */
    if (!err && is_new)
        err = results_make(results, error);
    return err ? err : results_execute(results, path ? kept : temporary, error);
}

bool cw_results_is_file(const char *path)
{
    static const char magic[] = "SQLite format 3"; /* with its NUL */
    char head[sizeof magic] = "";
    struct stat found;
    bool is_regular = !stat(path, &found) && S_ISREG(found.st_mode); /* a pipe gives its beginning only once */
    FILE *file = is_regular && strcmp(path, "-") != 0 ? fopen(path, "rb") : NULL;
    bool is_database = file && fread(head, 1, sizeof head, file) == sizeof head && !memcmp(head, magic, sizeof head);
    if (file)
        fclose(file);
    return is_database;
}

crawl_err cw_results_read(const char *path, sqlite3 **db, crawl_error *error)
{
    cw_results reader = {0};
    crawl_error why = {0};
    bool is_new = false;
    crawl_err err;
    if (sqlite3_open_v2(path, &reader.db, SQLITE_OPEN_READONLY, NULL))
        err = reader.db ? cw_results_failed(&reader, &why) : cw_error(&why, CRAWL_ENOMEM);
    else
        err = sqlite3_busy_timeout(reader.db, PATIENCE_MS) ? cw_results_failed(&reader, &why)
                                                           : results_check_form(&reader, &is_new, &why);
    if (!err && is_new)
        err = crawl_error_set(&why, CRAWL_EINVAL, "an empty database");
    if (!err) {
        *db = reader.db;
        return CRAWL_OK;
    }
    sqlite3_close(reader.db);
    return crawl_error_set(error, err, "%s: %s", path, why.message);
}

crawl_err cw_results_open(const char *path, cw_results **out, crawl_error *error)
{
    crawl_error why = {0};
    cw_results *results = calloc(1, sizeof *results);
    if (!results)
        return cw_error(error, CRAWL_ENOMEM);
    results->url = crawl_url_create();
    results->place_count = CW_RESULTS_PLACES_LEAST;
    results->places = cw_results_make_places(results->place_count);
    cw_hash_secret_draw(&results->secret);
    bool has_memory = results->url && results->places;
    crawl_err err = has_memory ? results_connect(results, path, &why) : cw_error(&why, CRAWL_ENOMEM);
    if (!err)
        err = results_ask(results, "SELECT ifnull((SELECT import FROM links ORDER BY id DESC LIMIT 1), 0) + 1",
                          &results->import, &why);
    if (!err) {
        *out = results;
        return CRAWL_OK;
    }
    crawl_error_set(error, err, "%s: %s", path ? path : "a temporary database", why.message);
    (void)cw_results_close(results, NULL);
    return err;
}

sqlite3 *cw_results_database(cw_results *results)
{
    return results->db;
}

/* ---- adding lines ---- */

static crawl_err results_begin(cw_results *results, crawl_error *error)
{
    crawl_err err = results->is_writing ? CRAWL_OK : results_execute(results, "BEGIN IMMEDIATE", error);
    results->is_writing = results->is_writing || !err;
    return err;
}

/* Reports what is wrong with a line. */
static crawl_err results_refuse(crawl_slice line, crawl_err err, crawl_error *error)
{
    json_error_t why = {0};
    if (err == CRAWL_ABSENT)
        return crawl_error_set(error, CRAWL_EPARSE,
                               "neither a record, with url, nor a link, with from and to, nor a request, with event");
    json_t *value = cw_json_read(line, &why);
    json_decref(value);
    return crawl_error_set(error, CRAWL_EPARSE, "%s", value ? "not an object" : why.text);
}

/* Makes room for the texts of a line, whose bytes may not be UTF-8. The URL is decoded twice. */
static crawl_err results_prepare_line(cw_results *results, crawl_slice *line)
{
    crawl_err err = CRAWL_OK;
    crawl_buf_clear(&results->decoded);
    crawl_buf_clear(&results->line);
    if (cw_utf8_valid_prefix(*line) < line->size) {
        err = cw_utf8_repair(*line, &results->line);
        *line = crawl_buf_slice(&results->line);
    }
    return err ? err : crawl_buf_reserve(&results->decoded, 2 * line->size + 2);
}

crawl_err cw_results_line(cw_results *results, crawl_slice line, crawl_error *error)
{
    if (results_prepare_line(results, &line))
        return cw_error(error, CRAWL_ENOMEM);
    /* First tries the kind that the beginning suggests, as a crawl writes links and requests, then the others. */
    enum { RECORD, LINK, REQUEST, KINDS };
    static crawl_err (*const takes[KINDS])(cw_results *, crawl_slice,
                                           crawl_error *) = {cw_results_record, cw_results_link, cw_results_request};
    size_t kind = cw_starts_with(line, "{\"from\"") ? LINK : cw_starts_with(line, "{\"event\"") ? REQUEST : RECORD;
    crawl_err err = results_begin(results, error);
    if (!err)
        err = takes[kind](results, line, error);
    for (size_t i = 0; i < KINDS && err == CRAWL_ABSENT; i++)
        err = i == kind ? err : takes[i](results, line, error);
    return err == CRAWL_ABSENT || err == CRAWL_EPARSE ? results_refuse(line, err, error) : err;
}

static crawl_err results_take_array(cw_results *results, crawl_slice array,
                                    crawl_err (*take)(cw_results *, crawl_slice, crawl_error *), crawl_error *error)
{
    if (results_prepare_line(results, &array))
        return cw_error(error, CRAWL_ENOMEM);
    crawl_err err = results_begin(results, error);
    if (!err)
        err = take(results, array, error);
    return err == CRAWL_ABSENT || err == CRAWL_EPARSE ? results_refuse(array, err, error) : err;
}

void cw_results_order_links(cw_results *results)
{
    results->has_ordered_links = true;
}

crawl_err cw_results_links(cw_results *results, crawl_slice array, crawl_error *error)
{
    return results_take_array(results, array, cw_results_link_array, error);
}

crawl_err cw_results_requests(cw_results *results, crawl_slice array, crawl_error *error)
{
    return results_take_array(results, array, cw_results_request_array, error);
}

void cw_results_next_file(cw_results *results)
{
    results->import++;
}

crawl_err cw_results_sitemap(cw_results *results, crawl_slice url, crawl_slice sitemap, crawl_error *error)
{
    int64_t id = 0;
    crawl_err err = results_begin(results, error);
    if (!err)
        err = cw_results_url_id(results, url, true, &id, error);
    if (err)
        return err;
    sqlite3_stmt *add = cw_results_statement(results, CW_RESULTS_SITEMAP);
    if (!add)
        return cw_results_failed(results, error);
    sqlite3_bind_int64(add, 1, id);
    cw_results_bind(add, 2, sitemap);
    return cw_results_run(results, add, error);
}

/* ---- the end ---- */

crawl_err cw_results_commit(cw_results *results, crawl_error *error)
{
    if (!results->is_writing)
        return CRAWL_OK;
    crawl_err err = results_execute(results, "COMMIT", error);
    results->is_writing = err && !sqlite3_get_autocommit(results->db);
    return err;
}

/* If several files have the links of a page, keeps each link as often as the file that has it most often. */
static crawl_err results_drop_twins(cw_results *results, crawl_error *error)
{
    static const char sql[] =
        "DELETE FROM links WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY page, target, "
        "fragment, tag, attr, text, n ORDER BY verdict = 'repeated', id) AS twin FROM (SELECT *, row_number() OVER "
        "(PARTITION BY import, page, target, fragment, tag, attr, text ORDER BY id) AS n FROM links WHERE page IN "
        "(SELECT page FROM links GROUP BY page HAVING min(import) < max(import)))) WHERE twin > 1)";
    int64_t has_several = 0;
    crawl_err err = results_ask(results,
                                "SELECT (SELECT import FROM links ORDER BY id LIMIT 1) < "
                                "(SELECT import FROM links ORDER BY id DESC LIMIT 1)",
                                &has_several, error);
    return err || !has_several ? err : results_execute(results, sql, error);
}

/* Keeps the links of a page's latest visit. A file has those of one visit after those of the visit before. */
static crawl_err results_drop_lost(cw_results *results, crawl_error *error)
{
    static const char sql[] =
        "DELETE FROM links WHERE id IN (SELECT id FROM (SELECT l.id, p.links + (p.redirect IS NOT NULL) AS found, "
        "row_number() OVER (PARTITION BY l.import, l.page ORDER BY l.id DESC) AS n FROM links l JOIN pages p "
        "ON p.id = l.page WHERE l.page IN (SELECT page FROM visits GROUP BY page HAVING count(*) > 1)) WHERE n > found)";
    int64_t has_revisits = 0;
    crawl_err err =
        results->has_ordered_links
            ? CRAWL_OK
            : results_ask(results, "SELECT count(*) > count(DISTINCT page) FROM visits", &has_revisits, error);
    return err || !has_revisits ? err : results_execute(results, sql, error);
}

crawl_err cw_results_settle(cw_results *results, crawl_error *error)
{
    crawl_err err = results_begin(results, error);
    if (!err)
        err = results_drop_lost(results, error);
    if (!err)
        err = results_drop_twins(results, error);
    return err ? err : cw_results_commit(results, error);
}

crawl_err cw_results_finish(cw_results *results, crawl_error *error)
{
    static const char sql[] =
        "CREATE INDEX IF NOT EXISTS pages_canonical ON pages(canonical);"
        "CREATE INDEX IF NOT EXISTS pages_redirect ON pages(redirect) WHERE redirect IS NOT NULL;"
        "UPDATE urls SET page = (SELECT min(p.id) FROM pages p WHERE p.canonical = coalesce(urls.canonical, urls.id) OR "
        "p.id = urls.canonical) WHERE id NOT IN (SELECT id FROM pages);"
        "UPDATE urls SET page = NULL WHERE page IS NOT NULL AND id IN (SELECT id FROM pages);"
        "CREATE INDEX IF NOT EXISTS links_target ON links(target);"
        "CREATE INDEX IF NOT EXISTS urls_page ON urls(page) WHERE page IS NOT NULL;"
        "INSERT INTO search(search) VALUES ('rebuild'); ANALYZE;";
    crawl_err err = cw_results_settle(results, error);
    if (!err)
        err = results_begin(results, error);
    if (!err)
        err = results_execute(results, sql, error);
    return err ? err : cw_results_commit(results, error);
}

crawl_err cw_results_close(cw_results *results, crawl_error *error)
{
    if (!results)
        return CRAWL_OK;
    crawl_err err = results->is_writing ? cw_results_commit(results, error) : CRAWL_OK;
    for (size_t i = 0; i < CW_RESULTS_SQL_COUNT; i++)
        sqlite3_finalize(results->statements[i]);
    /* If a reader is active this fails, which is not an error: the reader's end completes it. */
    if (results->db && !err)
        (void)sqlite3_exec(results->db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;", NULL, NULL,
                           NULL);
    sqlite3_close(results->db);
    crawl_url_free(results->url);
    crawl_buf_free(&results->canonical);
    crawl_buf_free(&results->decoded);
    crawl_buf_free(&results->words);
    crawl_buf_free(&results->line);
    free(results->places);
    free(results);
    return err;
}
