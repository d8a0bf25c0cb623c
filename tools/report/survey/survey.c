#include "tools/report/survey/survey.h"

#include "base/bytes.h"
#include "tools/common/say.h"

#include <stdarg.h>
#include <stdlib.h>

static const char tool[] = "report";

/* ---- SQL ---- */

crawl_err cw_survey_checked(cw_survey *survey, int result)
{
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW)
        return CRAWL_OK;
    if (result != SQLITE_NOMEM)
        cw_tool_say(tool, "the database of the report: %s", sqlite3_errmsg(survey->db));
    crawl_err err = result == SQLITE_NOMEM ? CRAWL_ENOMEM : CRAWL_EIO;
    survey->failure = survey->failure ? survey->failure : err;
    return err;
}

bool cw_survey_has_row(cw_survey *survey, sqlite3_stmt *statement)
{
    int result = sqlite3_step(statement);
    return !cw_survey_checked(survey, result) && result == SQLITE_ROW;
}

/* Appends the SQL with DB. and OF_ replaced by the names of this survey. */
static crawl_err survey_named(const cw_survey *survey, const char *sql, crawl_buf *out)
{
    crawl_err err = CRAWL_OK;
    crawl_slice rest = crawl_slice_from(sql);
    while (rest.size && !err) {
        size_t of = cw_find_text(rest, "OF_"), db = cw_find_text(rest, "DB.");
        crawl_slice before = cw_take(&rest, of < db ? of : db);
        err = crawl_buf_append(out, before.data, before.size);
        if (!err && cw_take_text(&rest, "DB."))
            err = crawl_buf_append_text(out, survey->is_second ? "old." : "main.");
        else if (!err && cw_take_text(&rest, "OF_"))
            err = crawl_buf_append_text(out, survey->is_second ? "old_" : "");
    }
    return err;
}

crawl_err cw_survey_run(cw_survey *survey, const char *sql)
{
    crawl_buf named = {0};
    int result =
        survey_named(survey, sql, &named) ? SQLITE_NOMEM : sqlite3_exec(survey->db, named.data, NULL, NULL, NULL);
    crawl_err err = cw_survey_checked(survey, result);
    crawl_buf_free(&named);
    return err;
}

static int survey_prepare(const cw_survey *survey, const char *sql, unsigned flags, sqlite3_stmt **statement)
{
    crawl_buf named = {0};
    int result = survey_named(survey, sql, &named)
                     ? SQLITE_NOMEM
                     : sqlite3_prepare_v3(survey->db, named.data, -1, flags, statement, NULL);
    crawl_buf_free(&named);
    return result;
}

crawl_err cw_survey_run_with(cw_survey *survey, const char *sql, const char *text)
{
    sqlite3_stmt *statement = NULL;
    int result = survey_prepare(survey, sql, 0, &statement);
    if (result == SQLITE_OK)
        result = sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    crawl_err err = cw_survey_checked(survey, result);
    sqlite3_finalize(statement);
    return err;
}

void cw_survey_numbers(cw_survey *survey, const char *sql, uint64_t *const *numbers, size_t count)
{
    sqlite3_stmt *question = NULL;
    int result = survey_prepare(survey, sql, 0, &question);
    if (result == SQLITE_OK)
        result = sqlite3_step(question);
    (void)cw_survey_checked(survey, result);
    for (size_t i = 0; i < count; i++)
        *numbers[i] = result == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(question, (int)i) : 0;
    sqlite3_finalize(question);
}

int64_t cw_survey_number(cw_survey *survey, const char *sql)
{
    uint64_t number = 0;
    uint64_t *const numbers[] = {&number};
    cw_survey_numbers(survey, sql, numbers, 1);
    return (int64_t)number;
}

static const char *const survey_statements[CW_SQL_STATEMENTS] = {
    [CW_SQL_FIND] = "SELECT p.id FROM DB.urls u JOIN OF_page p ON p.id=u.id WHERE u.url=? AND p.kind=?",
    [CW_SQL_FIND_CANONICAL] = "SELECT c.id FROM DB.urls u JOIN OF_canonical c ON c.url=u.id WHERE u.url=? AND c.kind=?",
    [CW_SQL_HOST] = "SELECT id FROM OF_host WHERE name=?",
    [CW_SQL_HOST_ADD] = "INSERT INTO OF_host(name) VALUES(?)",
    [CW_SQL_REDIRECT] = ("SELECT u.url FROM DB.pages r JOIN OF_page p ON p.id=r.id AND p.redirects "
                         "JOIN DB.urls u ON u.id=r.redirect WHERE r.id=?"),
};

static sqlite3_stmt *survey_statement(cw_survey *survey, cw_survey_statement which)
{
    sqlite3_stmt **statement = &survey->statements[which];
    if (!*statement)
        (void)cw_survey_checked(survey,
                                survey_prepare(survey, survey_statements[which], SQLITE_PREPARE_PERSISTENT, statement));
    return *statement;
}

/* kinds has a letter for each value: i int64_t, s crawl_slice * (NULL if it is empty). */
sqlite3_stmt *cw_survey_bound(cw_survey *survey, cw_survey_statement which, const char *kinds, ...)
{
    va_list values;
    sqlite3_stmt *statement = survey_statement(survey, which);
    va_start(values, kinds);
    for (int at = 1; statement && kinds[at - 1]; at++) {
        if (kinds[at - 1] == 'i') {
            sqlite3_bind_int64(statement, at, va_arg(values, int64_t));
            continue;
        }
        const crawl_slice *text = va_arg(values, const crawl_slice *);
        (void)(text->size ? sqlite3_bind_text64(statement, at, text->data, text->size, SQLITE_STATIC, SQLITE_UTF8)
                          : sqlite3_bind_null(statement, at));
    }
    va_end(values);
    return statement;
}

crawl_err cw_survey_do(cw_survey *survey, sqlite3_stmt *statement)
{
    if (!statement)
        return CRAWL_EIO;
    int result = sqlite3_step(statement);
    crawl_err err = cw_survey_checked(survey, result);
    sqlite3_reset(statement);
    return err;
}

/* ---- closing ---- */

void cw_survey_free(cw_survey *survey)
{
    if (!survey)
        return;
    for (size_t i = 0; i < CW_SQL_STATEMENTS; i++)
        sqlite3_finalize(survey->statements[i]);
    if (!survey->results && !survey->is_second)
        sqlite3_close(survey->db);
    (void)cw_results_close(survey->results, NULL);
    crawl_url_free(survey->url);
    crawl_buf_free(&survey->canonical);
    crawl_buf_free(&survey->key);
    crawl_buf_free(&survey->origin);
    crawl_buf_free(&survey->tallies);
    crawl_buf_free(&survey->host_text);
    free(survey);
}

/* ---- hosts ---- */

crawl_slice cw_survey_host_of(crawl_slice url)
{
    const char *scheme = url.size ? memmem(url.data, url.size, "://", 3) : NULL;
    if (!scheme)
        return (crawl_slice){0};
    crawl_slice rest = cw_drop(url, (size_t)(scheme - url.data) + 3);
    return crawl_slice_of(rest.data, cw_find_any(rest, "/?#"));
}

crawl_err cw_survey_host_at(cw_survey *survey, crawl_slice name, int64_t *id)
{
    *id = 0;
    if (!name.size)
        return CRAWL_OK;
    if (survey->host_id && crawl_slice_equal(name, crawl_buf_slice(&survey->host_text))) {
        *id = survey->host_id;
        return CRAWL_OK;
    }
    sqlite3_stmt *known = cw_survey_bound(survey, CW_SQL_HOST, "s", &name);
    crawl_err err = known ? CRAWL_OK : CRAWL_EIO;
    if (!err && cw_survey_has_row(survey, known))
        *id = sqlite3_column_int64(known, 0);
    err = err ? err : survey->failure;
    sqlite3_reset(known);
    if (!err && !*id) {
        err = cw_survey_do(survey, cw_survey_bound(survey, CW_SQL_HOST_ADD, "s", &name));
        *id = sqlite3_last_insert_rowid(survey->db);
    }
    crawl_buf_clear(&survey->host_text);
    survey->host_id = 0;
    if (!err)
        err = crawl_buf_append(&survey->host_text, name.data, name.size);
    survey->host_id = err ? 0 : *id;
    return err;
}

/* ---- pages by their URLs ---- */

static bool survey_is_origin(crawl_slice host)
{
    return cw_survey_host_of(host).data;
}

/* Returns the URL to look up. With --map its host, or origin, is replaced by that of the earlier crawl. */
static crawl_slice survey_mapped(cw_survey *survey, crawl_slice url)
{
    crawl_slice host = cw_survey_host_of(url), from = survey->host_from;
    size_t scheme = host.size ? (size_t)(host.data - url.data) : 0, end = scheme + host.size;
    bool is_origin = survey_is_origin(survey->host_to);
    if (!survey->host_to.size || !crawl_slice_equal(is_origin ? crawl_slice_of(url.data, end) : host, survey->host_to))
        return url;
    size_t before = survey_is_origin(from) ? 0 : scheme;
    crawl_slice after = cw_drop(url, end);
    crawl_buf_clear(&survey->key);
    crawl_err err = crawl_buf_printf(&survey->key, "%.*s%.*s%.*s", (int)before, url.data, (int)from.size, from.data,
                                     (int)after.size, after.data);
    survey->mapped++;
    return err ? url : crawl_buf_slice(&survey->key);
}

/* Looks up a number by a text and a kind. */
static crawl_err survey_ask(cw_survey *survey, cw_survey_statement which, crawl_slice text, cw_survey_row_kind kind,
                            int64_t *id)
{
    sqlite3_stmt *found = cw_survey_bound(survey, which, "si", &text, (int64_t)kind);
    *id = 0;
    if (!found)
        return CRAWL_EIO;
    int result = sqlite3_step(found);
    if (result == SQLITE_ROW)
        *id = sqlite3_column_int64(found, 0);
    crawl_err err = cw_survey_checked(survey, result);
    sqlite3_reset(found);
    return err;
}

crawl_err cw_survey_find(cw_survey *survey, crawl_slice url, cw_survey_row_kind kind, int64_t *id)
{
    crawl_slice plain = survey_mapped(survey, crawl_slice_of(url.data, cw_find_char(url, '#')));
    crawl_err err = survey_ask(survey, CW_SQL_FIND, plain, kind, id);
    if (err || *id)
        return err;
    crawl_buf_clear(&survey->canonical);
    if (crawl_url_parse(survey->url, plain, NULL, NULL) || crawl_url_canonical(survey->url, &survey->canonical))
        return CRAWL_OK;
    crawl_slice canonical = crawl_buf_slice(&survey->canonical);
    if (!crawl_slice_equal(canonical, plain))
        err = survey_ask(survey, CW_SQL_FIND, canonical, kind, id);
    bool is_found = err || *id || !survey->has_canonicals;
    return is_found ? err : survey_ask(survey, CW_SQL_FIND_CANONICAL, canonical, kind, id);
}
