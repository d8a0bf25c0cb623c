/* See results_store.h. */
#include "results/results_store.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const char *const sqls[CW_RESULTS_SQL_COUNT] = {
    [CW_RESULTS_URL_FIND] = "SELECT id FROM urls WHERE url = ?",
    [CW_RESULTS_URL_ADD] = "INSERT INTO urls(url, canonical) VALUES (?, ?) ON CONFLICT DO NOTHING",
    [CW_RESULTS_VISIT] = "REPLACE INTO visits(page, visit, fetched_at, status, error, digest, changed) "
                         "VALUES (?, ?, ?, ?, ?, ?, ?)",
    [CW_RESULTS_LINK] = "INSERT INTO links(page, target, fragment, fragment_decoded, tag, attr, text, rel, nofollow, "
                        "depth, requisite, verdict, import) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [CW_RESULTS_LINKS_DROP] = "DELETE FROM links WHERE page = ?1 AND id NOT IN (SELECT id FROM links WHERE page = ?1 "
                              "ORDER BY id DESC LIMIT ?2)",
    [CW_RESULTS_IDS_CLEAR] = "DELETE FROM ids WHERE page = ?",
    [CW_RESULTS_ID] = "INSERT OR IGNORE INTO ids VALUES (?, ?)",
    [CW_RESULTS_HEADERS_CLEAR] = "DELETE FROM headers WHERE page = ?",
    [CW_RESULTS_HEADER] = "INSERT INTO headers SELECT ?1, h.key, coalesce(v.key, 0), v.value FROM json_each(?2) h "
                          "LEFT JOIN json_each(h.value) v WHERE true ON CONFLICT DO UPDATE SET value = excluded.value",
    [CW_RESULTS_HREFLANG_CLEAR] = "DELETE FROM hreflang WHERE page = ?",
    [CW_RESULTS_HREFLANG] = "INSERT OR IGNORE INTO hreflang VALUES (?, ?, ?)",
    [CW_RESULTS_SITEMAP] = "INSERT OR REPLACE INTO sitemap VALUES (?, ?)",
    [CW_RESULTS_REQUEST] =
        "INSERT INTO requests(url, start, request, host, ip, kind, method, depth, seq, attempt, sent, pause, pause_by, "
        "\"end\", status, error, retry_after, hold_until, hold_by, conditional, signed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
        "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET \"end\" = excluded.\"end\", status = "
        "excluded.status, error = excluded.error, retry_after = excluded.retry_after, hold_until = excluded.hold_until, "
        "hold_by = excluded.hold_by, signed = excluded.signed WHERE excluded.\"end\" IS NOT NULL",
};

crawl_err cw_results_failed(const cw_results *results, crawl_error *error)
{
    int code = sqlite3_errcode(results->db);
    if (code == SQLITE_NOMEM)
        return cw_error(error, CRAWL_ENOMEM);
    return crawl_error_set(error, code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? CRAWL_ECORRUPT : CRAWL_EIO, "%s",
                           sqlite3_errmsg(results->db));
}

sqlite3_stmt *cw_results_prepare(cw_results *results, cw_results_sql sql, const char *text)
{
    sqlite3_stmt **statement = &results->statements[sql];
    (void)sqlite3_prepare_v3(results->db, text, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
    return *statement;
}

sqlite3_stmt *cw_results_statement(cw_results *results, cw_results_sql sql)
{
    return results->statements[sql] ? results->statements[sql] : cw_results_prepare(results, sql, sqls[sql]);
}

void cw_results_bind(sqlite3_stmt *statement, int at, crawl_slice text)
{
    if (text.data)
        sqlite3_bind_text64(statement, at, text.data, text.size, SQLITE_STATIC, SQLITE_UTF8);
    else
        sqlite3_bind_null(statement, at);
}

crawl_err cw_results_run(cw_results *results, sqlite3_stmt *statement, crawl_error *error)
{
    int code = sqlite3_step(statement);
    crawl_err err = code == SQLITE_DONE ? CRAWL_OK : cw_results_failed(results, error);
    sqlite3_reset(statement);
    return err;
}

/* CRAWL_ABSENT: not stored yet. */
static crawl_err store_find_url(cw_results *results, crawl_slice url, int64_t *id, crawl_error *error)
{
    sqlite3_stmt *find = cw_results_statement(results, CW_RESULTS_URL_FIND);
    if (!find)
        return cw_results_failed(results, error);
    cw_results_bind(find, 1, url);
    int code = sqlite3_step(find);
    crawl_err err = CRAWL_ABSENT;
    if (code == SQLITE_ROW) {
        *id = sqlite3_column_int64(find, 0);
        err = CRAWL_OK;
    } else if (code != SQLITE_DONE) {
        err = cw_results_failed(results, error);
    }
    sqlite3_reset(find);
    return err;
}

/* Returns true if there is a canonical form that differs, which is then in results->canonical. */
static bool store_has_canonical(cw_results *results, crawl_slice url)
{
    crawl_buf_clear(&results->canonical);
    return !crawl_url_parse(results->url, url, NULL, NULL) && !crawl_url_canonical(results->url, &results->canonical) &&
           !crawl_slice_equal(crawl_buf_slice(&results->canonical), url);
}

/* CRAWL_ABSENT: nothing was added, since it is already stored. */
static crawl_err store_add_url(cw_results *results, crawl_slice url, int64_t canonical, int64_t *id, crawl_error *error)
{
    sqlite3_stmt *add = cw_results_statement(results, CW_RESULTS_URL_ADD);
    if (!add)
        return cw_results_failed(results, error);
    cw_results_bind(add, 1, url);
    if (canonical)
        sqlite3_bind_int64(add, 2, canonical);
    else
        sqlite3_bind_null(add, 2);
    crawl_err err = cw_results_run(results, add, error);
    *id = sqlite3_last_insert_rowid(results->db);
    return err || sqlite3_changes(results->db) ? err : CRAWL_ABSENT;
}

/* Most URLs of records are new, so adding before looking up walks the index only once. */
static crawl_err store_own_id(cw_results *results, crawl_slice url, int64_t *id, crawl_error *error)
{
    crawl_err err = store_add_url(results, url, 0, id, error);
    return err == CRAWL_ABSENT ? store_find_url(results, url, id, error) : err;
}

static crawl_err store_target_id(cw_results *results, crawl_slice url, int64_t *id, crawl_error *error)
{
    int64_t canonical = 0;
    crawl_err err = store_find_url(results, url, id, error);
    if (err != CRAWL_ABSENT)
        return err;
    err = CRAWL_OK;
    if (store_has_canonical(results, url))
        err = store_own_id(results, crawl_buf_slice(&results->canonical), &canonical, error);
    return err ? err : store_add_url(results, url, canonical, id, error);
}

/* ---- the latest URLs ---- */

/* A URL is in one of this many adjacent places, which fill a cache line: with one place, a quarter of the URLs linked
 * again had been evicted. */
enum { STORE_WAYS = 4 };

_Static_assert(sizeof(cw_results_place) * STORE_WAYS == 64, "a line of the cache");

cw_results_place *cw_results_make_places(size_t count)
{
    cw_results_place *places = aligned_alloc(STORE_WAYS * sizeof *places, count * sizeof *places);
    if (places)
        memset(places, 0, count * sizeof *places);
    return places;
}

static cw_results_place *store_places(const cw_results *results, uint32_t low)
{
    return &results->places[low & (results->place_count - 1) & ~(size_t)(STORE_WAYS - 1)];
}

/* Returns the number of the URL with this hash; 0: it has no place. */
static int64_t store_find_place(const cw_results *results, cw_keyed_hash hash)
{
    const cw_results_place *places = store_places(results, (uint32_t)hash.low);
    for (size_t i = 0; i < STORE_WAYS; i++)
        if (places[i].high == hash.high && places[i].low == (uint32_t)hash.low)
            return places[i].id;
    return 0;
}

/* Evicts the oldest of the places. */
static void store_take_place(const cw_results *results, cw_results_place place)
{
    cw_results_place *places = store_places(results, place.low);
    memmove(places + 1, places, (STORE_WAYS - 1) * sizeof *places);
    places[0] = place;
}

/* Doubles the number of places. Does nothing if memory is short. */
static void store_grow_places(cw_results *results)
{
    cw_results_place *before = results->places, *after = cw_results_make_places(2 * results->place_count);
    size_t count = results->place_count;
    if (!after)
        return;
    results->places = after;
    results->place_count *= 2;
    for (size_t i = 0; i < count; i++)
        if (before[i].id)
            store_take_place(results, before[i]);
    free(before);
}

crawl_err cw_results_url_id(cw_results *results, crawl_slice url, bool is_target, int64_t *id, crawl_error *error)
{
    cw_keyed_hash hash = cw_keyed_hash_of(&results->secret, url);
    *id = store_find_place(results, hash);
    if (*id)
        return CRAWL_OK;
    crawl_err err = (is_target ? store_target_id : store_own_id)(results, url, id, error);
    if (err || *id > UINT32_MAX)
        return err;
    if (++results->places_taken > results->place_count / 2 && results->place_count < CW_RESULTS_PLACES_MOST)
        store_grow_places(results);
    store_take_place(results, (cw_results_place){hash.high, (uint32_t)hash.low, (uint32_t)*id});
    return CRAWL_OK;
}
